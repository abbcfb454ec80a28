"""The survey's participants: demographics after the published counts, and their free texts."""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml

from pearl.datasets.prism.sample.draws import Integers, dealt, dealt_along, integers, normals

_DOCUMENT = resources.files(__package__).joinpath("demographics.yaml")
TABLES: dict[str, Any] = yaml.safe_load(_DOCUMENT.read_text(encoding="utf-8"))
NEVER = "never"  # TABLES' word for the publisher's null
_ELSEWHERE_PER_MILLE = 90  # born in another country than they live in

Person = dict[str, Any]


def people(count: int) -> list[Person]:
    """Return each participant's answers, apart from preferences and conversations.

    Work and marriage go along with age, and how often with whether they use language models.
    """
    age, use = normals("people/age", count), normals("people/use", count)
    answers = {
        name: dealt(f"people/{name}", TABLES["counts"][name], count) for name in TABLES["counts"]
    }
    for name, along in (
        ("age", age),
        ("employment_status", age),
        ("marital_status", age),
        ("lm_direct_use", use),
        ("lm_frequency_use", use),
    ):
        answers[name] = dealt_along(f"people/{name}", TABLES["along"][name], along, 400)
    born = integers("people/born", 1000, count)
    return [
        {
            **{name: answers[name][at] for name in answers if name not in _DESCRIBED},
            "religion": _described("religion", answers["religion"][at], at),
            "ethnicity": _described("ethnicity", answers["ethnicity"][at], at),
            **_home(answers["special_region"][at], at, elsewhere=born[at] < _ELSEWHERE_PER_MILLE),
            "self_description": _text("selves", at),
            "system_string": _text("wishes", at),
        }
        for at in range(count)
    ]


_DESCRIBED = ("religion", "ethnicity", "special_region")


def draw(stream: str, at: int, count: int) -> Integers:
    """Draw `count` integers that belong to one participant."""
    return integers(f"people/{stream}/{at}", 1 << 20, count)


def _described(name: str, simplified: str, at: int) -> Person:
    options = TABLES[f"{name}_described"][simplified]
    described, categorised = options[int(draw(name, at, 1)[0]) % len(options)]
    return {"self_described": described, "categorised": categorised, "simplified": simplified}


def _home(region: str, at: int, *, elsewhere: bool) -> Person:
    which, other, where = draw("home", at, 3)
    options = TABLES["countries"][region]
    name, code, part, locale = options[which % len(options)]
    abroad = [each for each in TABLES["countries"] if each not in (region, "Prefer not to say")]
    far = TABLES["countries"][abroad[other % len(abroad)]]
    secret = region == "Prefer not to say"
    birth = far[where % len(far)] if elsewhere and not secret else (name, code, part, locale)
    same = "Prefer not to say" if secret else "No" if birth[1] != code else "Yes"
    return {
        "study_locale": locale,
        "location": {
            "birth_country": birth[0],
            "birth_countryISO": birth[1],
            "birth_subregion": birth[2],
            "reside_country": name,
            "reside_countryISO": code,
            "reside_subregion": part,
            "same_birth_reside_country": same,
            "special_region": region,
        },
    }


def _text(kind: str, at: int) -> str:
    """Join one or two sentences."""
    options = TABLES[kind]
    first, second, both = (int(value) for value in draw(kind, at, 3))
    one, two = options[first % len(options)], options[second % len(options)]
    return f"{one} {two}" if both % 3 == 0 and one != two else one
