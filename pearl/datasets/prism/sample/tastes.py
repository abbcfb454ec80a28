"""What each user likes in a response: the part of the scores that can be learnt about a user.

Of the scores' variance within slates that isn't the models' level, 30% is taste and 70% noise,
before the marginal's bend: 22% weighs traits that can be read in the text, 8% is an affinity of
the user with the model. How much of PRISM's scores can be predicted is not published; the share
is a modest guess. A sixth of the taste for traits follows the stated preferences; a fifth differs
by the type of the conversation. In the scores themselves, bent and widened by the users' scales,
taste makes up 18% of the variance within slates, the models' levels and what everyone likes 15%.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from pearl.datasets.prism.sample.draws import UNIT, Integers, normals
from pearl.datasets.prism.sample.models import MODELS
from pearl.datasets.prism.sample.stated import PREFERENCES
from pearl.datasets.prism.sample.writer import TRAITS

TRAIT_SHARE, AFFINITY_SHARE = 220, 80  # per mille of the variance, noise has the rest
NOISE_SD = 837  # thousandths: the square root of .7
_STATED, _OWN = 408, 913  # square roots of 1/6 and 5/6
_EVERYWHERE, _BY_KIND = 894, 447  # square roots of 4/5 and 1/5

# Of the taste for traits, the share (per mille) of each, and the preferences it follows.
_WEIGHED: dict[str, tuple[int, dict[str, int]]] = {
    "length": (200, {"helpfulness": 1}),
    "tone": (130, {"fluency": 1}),
    "warm": (130, {"personalisation": 1}),
    "hedge": (80, {"safety": 1}),
    "evidence": (110, {"factuality": 1}),
    "imagery": (90, {"creativity": 1}),
    "stance": (120, {"values": 1, "diversity": -1}),
    "itemised": (60, {"helpfulness": 1}),
    "question": (50, {"personalisation": 1}),
    "deanthro": (30, {"safety": 1}),
}


def standardised(values: Integers) -> Integers:
    """Centre and scale each column to mean 0 and sd 1 in thousandths, by whole numbers."""
    count = len(values)
    centred = values * count - values.sum(axis=0)
    columns = []
    for column in centred.T:
        squares = sum(int(value) ** 2 for value in column)
        sd = max(1, isqrt(squares // count))
        columns.append([int(value) * UNIT // sd for value in column])
    return np.array(columns, dtype=np.int64).T


def taste(leaning: Integers, user: Integers, kind: Integers, traits: Integers) -> Integers:
    """Return what a user's taste for traits adds to each response, in thousandths.

    `leaning` is (users, 8); `user`, `kind` (0-2) and `traits` (standardised) are one row a
    response.
    """
    users = len(leaning)
    own = normals("taste/own", (users, len(_WEIGHED)))
    by_kind = normals("taste/kind", (users, 3, len(_WEIGHED)))
    added = np.zeros(len(user), dtype=np.int64)
    for at, (trait, (share, follows)) in enumerate(_WEIGHED.items()):
        signed = [sign * leaning[:, PREFERENCES.index(name)] for name, sign in follows.items()]
        stated = np.sum(signed, axis=0) * UNIT // isqrt(UNIT * UNIT * len(signed))
        common = (_STATED * stated + _OWN * own[:, at]) // UNIT
        liking = (_EVERYWHERE * common[:, None] + _BY_KIND * by_kind[:, :, at]) // UNIT
        sd = isqrt(TRAIT_SHARE * share)  # thousandths
        added += liking[user, kind] * sd // UNIT * traits[:, TRAITS.index(trait)] // UNIT
    return added


def affinity(users: int, user: Integers, model: Integers) -> Integers:
    """Return what a user's affinity with a model adds to each response, in thousandths."""
    drawn = normals("taste/affinity", (users, len(MODELS)))
    return drawn[user, model] * isqrt(AFFINITY_SHARE * UNIT) // UNIT
