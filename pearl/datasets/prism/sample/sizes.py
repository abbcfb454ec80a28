"""How many of everything: PRISM's published marginals, and a small cut of them."""

from __future__ import annotations

from dataclasses import dataclass

from pearl.datasets.prism.sample.draws import shares

SURVEYED = 1500
CONVERSATIONS_OF_A_USER = {"1": 25, "2": 28, "3": 34, "4": 10, "5": 11, "6": 1283, "7": 5}
TYPES = {"unguided": 3113, "values guided": 2460, "controversy guided": 2438}
OPENING_SLATES = {"4": 6220, "3": 1608, "2": 162, "1": 21}
# Turns of a conversation: the digitised counts by turn, moved to the exact sum, sd and most.
TURNS = {"2": 2690, "3": 2469, "4": 1436, "5": 672, "6": 376, "7": 160, "8": 96, "9": 50,
         "10": 31, "11": 14, "12": 9, "13": 5, "14": 2, "22": 1}  # fmt: skip
FEW_TURNS = {"2": 97, "3": 2, "4": 1}
EMPTY = 147
UTTERANCES = 68_371


@dataclass(frozen=True)
class Size:
    """A sample's numbers of users, and how its conversations are spread.

    `turns` of the small sample are fewer than the publisher's, so that it stays small.
    """

    surveyed: int
    conversing: int
    turns: dict[str, int]

    @property
    def conversations_of_a_user(self) -> dict[str, int]:
        """Users by their number of conversations."""
        return shares(CONVERSATIONS_OF_A_USER, self.conversing)

    @property
    def conversations(self) -> int:
        """Conversations in all."""
        return sum(int(held) * users for held, users in self.conversations_of_a_user.items())


FULL = Size(SURVEYED, 1396, TURNS)
SMALL = Size(205, 191, FEW_TURNS)
