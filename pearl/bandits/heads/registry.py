"""The reward heads by the name that methods.yaml gives them."""

from __future__ import annotations

from pearl.bandits.heads.head import RewardHead
from pearl.bandits.heads.mrm import MRM
from pearl.bandits.heads.urm import URM
from pearl.bandits.heads.vrf import VRF

HEADS: dict[str, RewardHead] = {"urm": URM(), "mrm": MRM(), "vrf": VRF()}
"""All heads but the MLP's own, which the compiled step has."""
