"""pearl: bandits whose world changes under them, from data to the papers' tables."""

__version__ = "0.1.0"
