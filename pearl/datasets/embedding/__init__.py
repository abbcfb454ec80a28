"""Texts to unit vectors: one pinned model, numbers that agree between machines, a cache."""
