"""Sample data made by pearl's generator, not PRISM: its schema, its counts, its statistics.

Whatever decides a byte is whole-number arithmetic on named random streams. What people and
models say is composed of phrases written for the purpose (topics.yaml, phrases.yaml): no text of
PRISM's participants or models is in it.
"""

from pearl.datasets.prism.sample.writing import LABEL, write_sample

__all__ = ["LABEL", "write_sample"]
