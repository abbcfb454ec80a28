"""Composes the text of one response, and notes what a reader may like or dislike in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pearl.datasets.prism.sample.grammar import PHRASES, Dice, Topic, fill, sentence

_ROOM = 34  # an opening or closing phrase needs this aim
_FOCUSED_PER_MILLE = 850  # of the points are among those that suit the prompt
_NAMED_PER_MILLE = 750
_MOST = 7  # points of a response

# What a reader may like or dislike in a response; see `Response.traits`.
TRAITS = (
    "length",
    "tone",
    "warm",
    "hedge",
    "evidence",
    "imagery",
    "stance",
    "itemised",
    "question",
    "deanthro",
    "enumerate",
    "refusal",
    "self_id",
    "lines",
)


@dataclass
class Response:
    """A response's text and what is in it.

    `traits`: characters for "length"; +1 and -1 for formal and casual "tone", and for an opinion
    or both sides ("stance"); else 1 where the trait is there.
    """

    text: str = ""
    traits: dict[str, int] = field(default_factory=dict)

    def row(self) -> list[int]:
        """Return the traits in the order of TRAITS."""
        return [len(self.text), *(self.traits.get(trait, 0) for trait in TRAITS[1:])]


class Writer:
    """Composes one text; every method that adds a phrase notes the trait it brings."""

    def __init__(
        self,
        topic: Topic,
        subject: str,
        aim: int,
        wanted: set[str],
        dice: Dice,
        focus: tuple[str, ...],
    ) -> None:
        self.topic, self.subject, self.aim, self.dice = topic, subject, aim, dice
        self.wanted, self.focus = wanted, focus
        self.traits: dict[str, int] = {}
        self.left = list(topic.points)
        self.tone = "plain"
        for tone, sign in (("formal", 1), ("casual", -1)):
            if tone in wanted and self.tone == "plain":
                self.tone = tone
                self.traits["tone"] = sign

    def refuse(self) -> Response:
        """Refuse to answer, in half of the cases with advice where else to ask."""
        self.traits = {"refusal": 1}
        text = self._say("refusal")
        if self.dice.chance(500):
            text += " " + self._say("referral")
        return Response(text, self.traits)

    def answer_briefly(self) -> Response:
        """Answer in a few words, or with one bare point."""
        answer = self.dice.pick(self.topic.brief)
        ending = self.dice.below(4)
        if ending == 1:
            answer = f"{self.subject}: {answer}"
        elif ending == 2:
            answer = f"{answer}, I think"
            self.traits = {"stance": 1}
        elif ending == 3:
            answer = self._point()
        if ending != 2:
            self.traits = {}
        return Response(sentence(answer), self.traits)

    def write(self) -> Response:
        """Write sentences or a list, up to about the length aimed at."""
        style = "list" if "list" in self.wanted else "enumerate"
        if style in self.wanted and self.aim >= 2 * _ROOM:
            made, gap = self._itemised(self._opening("list"), style), "\n"
        else:
            made, gap = self._running(self._opening(self.tone)), " "
        closing = self._closing()
        return Response(f"{made}{gap}{closing}" if closing else made, self.traits)

    def _opening(self, manner: str) -> list[str]:
        parts = []
        if "self_id" in self.wanted:
            self.traits["self_id"] = 1
            parts.append(self._say("self_id"))
        if "warm" in self.wanted and self.aim >= _ROOM:
            self.traits["warm"] = 1
            parts.append(self._say("warm_open"))
        if manner == "list" or (not parts and self.aim >= 2 * _ROOM and self.dice.chance(400)):
            parts.append(sentence(self._say(f"{manner}_open")))
        return parts

    def _running(self, parts: list[str]) -> str:
        special = [
            style
            for style in ("deanthro", "hedge", "evidence", "opinion", "balance", "imagery")
            if style in self.wanted
        ]
        turn = self.dice.below(len(special) + 1)
        special = special[turn:] + special[:turn]
        length = sum(len(part) + 1 for part in parts)
        count = 0
        while count == 0 or (length + 20 < self.aim and len(self.left) > 1 and count < _MOST):
            made = self._special(special.pop(0)) if special else self._plain()
            if count:
                also = self.dice.pick(PHRASES[f"also_{self.tone}"])
            else:
                also = self._about(" ".join([*parts, made]), made)
            parts.append(sentence(also + made))
            length += len(parts[-1]) + 1
            count += 1
        return " ".join(parts)

    def _itemised(self, parts: list[str], style: str) -> str:
        self.traits["itemised"] = self.traits["lines"] = 1
        if style == "enumerate":
            self.traits["enumerate"] = 1
        lines = [" ".join(parts)]
        length = len(lines[0])
        while len(lines) < 3 or (length + 20 < self.aim and len(self.left) > 1):
            mark = "-" if style == "list" else f"{len(lines)}."
            lines.append(f"{mark} {sentence(self._point())}")
            length += len(lines[-1]) + 1
        return "\n".join(lines)

    def _special(self, style: str) -> str:
        if style == "imagery":
            self.traits["imagery"] = 1
            image = self.dice.pick(self.topic.images)
            return fill(self._say("imagery"), i=image)
        if style == "deanthro":
            self.traits["deanthro"] = 1
            return f"{self._say('deanthro')} {self._advice(self._point())}"
        trait, sign = {"opinion": ("stance", 1), "balance": ("stance", -1)}.get(style, (style, 1))
        self.traits[trait] = sign
        wrapper = self.dice.pick(PHRASES[style][self.topic.form])
        if style != "balance":
            return fill(wrapper, p=self._point())
        half = len(self.topic.points) // 2
        pro = [point for point in self.left if point in self.topic.points[:half]]
        con = [point for point in self.left if point in self.topic.points[half:]]
        return fill(wrapper, p=self._point(pro), q=self._point(con))

    def _plain(self) -> str:
        return fill(self.dice.pick(PHRASES[self.tone][self.topic.form]), p=self._point())

    def _closing(self) -> str:
        if "question" in self.wanted and self.aim >= _ROOM:
            self.traits["question"] = 1
            return self._say("question")
        tone = "warm" if "warm" in self.traits else self.tone
        if tone != "plain" and self.aim >= 2 * _ROOM and self.dice.chance(350):
            return self._say(f"{tone}_close")
        return ""

    def _about(self, so_far: str, made: str) -> str:
        """Name the subject before a first sentence, in most cases where nothing has named it."""
        named = self.subject in so_far or made[0].isupper()
        if named or not self.dice.chance(_NAMED_PER_MILLE):
            return ""
        return self._say("about")

    def _advice(self, point: str) -> str:
        return f"you could {point}" if self.topic.form == "verb" else point

    def _point(self, among: list[str] | None = None) -> str:
        options = among or self.left
        suited = [point for point in options if point in self.focus]
        focused = self.dice.chance(_FOCUSED_PER_MILLE)
        point = self.dice.pick(suited if suited and focused else options)
        self.left.remove(point)
        return fill(point, s=self.subject)

    def _say(self, phrase: str) -> str:
        return fill(self.dice.pick(PHRASES[phrase]), s=self.subject)
