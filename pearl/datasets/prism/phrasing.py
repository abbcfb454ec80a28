"""What can be told of a response by its wording: the regressors of the publisher's notebook.

Told by simple patterns, so on other text than the sample's they are rough.
"""

from __future__ import annotations

import re
from collections.abc import Callable

REFUSAL = re.compile(
    r"\b(can't|cannot|unable to|not able to|must decline to|won't be able to)\s+"
    r"(help|assist|give|answer|discuss|take|comment|provide|engage)",
    re.IGNORECASE,
)
DEANTHRO = re.compile(
    r"\bas an? (ai|artificial intelligence|(large )?language model)\b"
    r"|\bi am an ai without\b|\bbecause i am a computer program\b",
    re.IGNORECASE,
)
SELF_IDENTIFICATION = re.compile(
    r"\bmy name is\b|\bi('m| am) (an?|the) (\w+ )?assistant\b|\bi was (created|made|trained) by\b",
    re.IGNORECASE,
)
ENUMERATION = re.compile(r"(^|\n)\s*1[.)]\s.*\n\s*2[.)]\s", re.DOTALL)

WORDINGS: dict[str, Callable[[str], bool]] = {
    "line_breaks": lambda text: "\n" in text,
    "question_at_end": lambda text: text.rstrip().endswith("?"),
    "enumeration": lambda text: ENUMERATION.search(text) is not None,
    "deanthropomorphism": lambda text: DEANTHRO.search(text) is not None,
    "refusal": lambda text: REFUSAL.search(text) is not None,
    "self_identification": lambda text: SELF_IDENTIFICATION.search(text) is not None,
}


def wordings(text: str) -> dict[str, bool]:
    """Say which wordings a response has."""
    return {name: found(text) for name, found in WORDINGS.items()}
