"""The paper's statements, checked numerically: what holds, what fails, what says nothing."""

from __future__ import annotations

from pearl.theory.check import Check
from pearl.theory.checks import checks

__all__ = ["Check", "checks"]
