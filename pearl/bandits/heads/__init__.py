"""Reward heads other than the MLP's: URM, MRM and VRF over the same two layers (section 13.2)."""
