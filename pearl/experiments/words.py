"""The names and words of pearl.words, for the rooms that ask for them here."""

from __future__ import annotations

from pearl.words import one_of, suggestion, validated

__all__ = ["one_of", "suggestion", "validated"]
