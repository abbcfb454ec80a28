"""The 21 models of PRISM as the generator plays them: how often shown, how liked, what manner."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import yaml

STYLES = (
    "formal",
    "casual",
    "warm",
    "hedge",
    "evidence",
    "opinion",
    "balance",
    "imagery",
    "list",
    "enumerate",
    "question",
    "deanthro",
    "refusal",
    "self_id",
)


@dataclass(frozen=True)
class Model:
    """One model.

    `shown`: opening slates it is in, of the publisher's 8,011 conversations.
    `level`: how much better its responses are liked, in thousandths of the scores' noise.
    `empty`: weight of its responses among those whose text is missing.
    `length`: quartiles of its opening responses, in the publisher's characters.
    `styles`: per mille of its responses that are written in each of STYLES; "refusal" is per mille
    of the delicate prompts alone.
    """

    name: str
    provider: str
    shown: int
    level: int
    empty: int
    length: tuple[int, int, int]
    styles: dict[str, int]


def load_models() -> tuple[Model, ...]:
    """Read models.yaml."""
    text = resources.files(__package__).joinpath("models.yaml").read_text(encoding="utf-8")
    return tuple(
        Model(
            name=row["name"],
            provider=row["provider"],
            shown=row["shown"],
            level=row["level"],
            empty=row["empty"],
            length=(row["length"][0], row["length"][1], row["length"][2]),
            styles=dict(zip(STYLES, row["styles"], strict=True)),
        )
        for row in yaml.safe_load(text)
    )


MODELS = load_models()
