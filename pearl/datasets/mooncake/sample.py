"""Sample data made by pearl's generator, not Mooncake: a smaller hour of the same shape.

Conversations begin at random in the hour; each has a number of turns, and each turn's prompt is
the one before with its answer and a new message, so it shares every full block of it. Some
conversations begin with one of a set of documents, the r-th most popular in proportion to
1/(r + 4). Lengths, turns and pauses follow quantiles measured on the publisher's trace; every draw
is an integer and every step integer arithmetic, so the bytes are the same on every machine.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pearl.datasets.manifest import FILE_NAME as MANIFEST
from pearl.datasets.manifest import SampleFacts, with_sample
from pearl.datasets.mooncake.jsonl import write_jsonl
from pearl.datasets.mooncake.statistics import statistics
from pearl.datasets.mooncake.trace import BLOCK_TOKENS, Integers, MooncakeTrace
from pearl.files import sha256_of, whole_folder, write_text
from pearl.provenance import FileFacts
from pearl.randomness import generator

LABEL = "sample data made by pearl's generator, not Mooncake"
SEED = 0
CONVERSATIONS = 2650
TICK_MILLISECONDS = 3000
TICKS = 1180
LONGEST_PROMPT = 126_195
LONGEST_ANSWER = 2_000

# Quantiles of the publisher's trace: per mille of the distribution -> value.
FIRST_PROMPT = {0: 891, 50: 898, 100: 908, 150: 976, 200: 1178, 300: 2215, 400: 4400, 500: 5989,
                600: 8621, 700: 12162, 800: 17035, 900: 26499, 950: 38595, 990: 87203,
                1000: LONGEST_PROMPT}  # fmt: skip
ANSWER = {0: 1, 10: 3, 50: 10, 100: 24, 200: 100, 300: 213, 400: 291, 500: 350, 600: 399, 700: 447,
          800: 504, 900: 597, 950: 698, 990: 1119, 1000: LONGEST_ANSWER}  # fmt: skip
MESSAGE = {0: 1, 250: 9, 500: 26, 750: 356, 950: 6921, 990: 16705, 1000: 30000}
PAUSE_TICKS = {0: 3, 10: 4, 50: 9, 250: 22, 500: 41, 750: 89, 950: 202, 990: 485, 1000: 900}
DOCUMENT_BLOCKS = {0: 2, 250: 4, 500: 8, 750: 20, 950: 60, 1000: 145}
# Weights of conversations of 1, 2, 3, ... turns: the 8,072 counted in the publisher's hour, fewer
# with one turn, because an hour cuts conversations short.
TURNS = (4300, 1252, 401, 171, 85, 46, 22, 17, 6, 13, 5, 4, 3, 3, 3, 3)
DOCUMENTS = 120
FLATTENED = 4  # the r-th most popular document in proportion to 1/(r + FLATTENED)
DEEPEST = 1 << 9  # above the most blocks of a prompt
DOCUMENT_PER_MILLE = 150
REPEAT_PER_MILLE = 30


def make_trace(seed: int = SEED) -> MooncakeTrace:
    """Generate one hour of requests, about 1.4 a conversation."""
    turns = 1 + _weighted(seed, "turns", np.array(TURNS), CONVERSATIONS)
    owner = np.repeat(np.arange(CONVERSATIONS), turns)
    total = len(owner)
    first = np.concatenate([[0], np.cumsum(turns)[:-1]])
    start = generator(seed, "mooncake/start").integers(0, TICKS, CONVERSATIONS)
    pause = _quantile(seed, "pause", PAUSE_TICKS, total)
    pause[first] = start
    elapsed = np.cumsum(pause)
    tick = elapsed - (elapsed[first] - pause[first])[owner]
    answer = _quantile(seed, "answer", ANSWER, total)
    prompt, repeated = _prompts(seed, first, answer)
    arrivals = np.argsort(tick, kind="stable")
    arrivals = arrivals[(tick[arrivals] < TICKS) & (prompt[arrivals] <= LONGEST_PROMPT)]
    jitter = generator(seed, "mooncake/jitter").integers(0, 4, TICKS)
    jitter[0] = 0
    offsets, blocks = _blocks(seed, arrivals, owner[arrivals], prompt[arrivals], repeated)
    return MooncakeTrace(
        timestamp=tick[arrivals] * TICK_MILLISECONDS + jitter[tick[arrivals]],
        input_length=prompt[arrivals],
        output_length=answer[arrivals],
        offsets=offsets,
        blocks=blocks,
    )


def write_sample(folder: Path, publisher_text: str) -> None:
    """Write the sample and its manifest into a folder, the same bytes on every machine."""
    with whole_folder(folder) as temporary:
        trace = make_trace()
        file = temporary / "conversation_trace.jsonl"
        write_jsonl(trace, file)
        facts = FileFacts(name=file.name, sha256=sha256_of(file), byte_count=file.stat().st_size)
        sample = SampleFacts(
            label=LABEL,
            generator=__name__,
            seed=SEED,
            licence="Apache-2.0",
            rows=len(trace),
            files=(facts,),
            statistics=statistics(trace),
        )
        write_text(temporary / MANIFEST, with_sample(publisher_text, sample))


def _prompts(seed: int, first: Integers, answer: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """Prompt tokens of each turn, and whether it repeats the prompt before it word for word.

    A prompt holds the prompt before it, the answer to that, and a new message.
    """
    total = len(answer)
    growth = _quantile(seed, "message", MESSAGE, total)
    growth[1:] += answer[:-1]
    repeated = generator(seed, "mooncake/repeat").integers(0, 1000, total) < REPEAT_PER_MILLE
    repeated[first] = False
    growth[repeated] = 0
    growth[first] = _quantile(seed, "first_prompt", FIRST_PROMPT, total)[first]
    summed = np.cumsum(growth)
    conversation = np.searchsorted(first, np.arange(total), side="right") - 1
    return summed - (summed[first] - growth[first])[conversation], repeated


def _blocks(
    seed: int, arrivals: Integers, owner: Integers, prompt: Integers, repeated: NDArray[np.bool_]
) -> tuple[Integers, Integers]:
    """Offsets and block ids of the requests in order of arrival.

    A block is first a symbol: the root, block j of a document, full block j of a conversation, or
    the last, partly filled block of one request. Symbols are then numbered as they first appear.
    """
    full = prompt // BLOCK_TOKENS
    counts = -(-prompt // BLOCK_TOKENS)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])
    request = np.repeat(np.arange(len(counts)), counts)
    position = np.arange(offsets[-1]) - offsets[request]
    document, depth = (column[owner][request] for column in _documents(seed))
    of_document = DEEPEST * document + position
    of_conversation = DEEPEST * (DOCUMENTS + owner[request]) + position
    symbol = np.where(position <= depth, of_document, of_conversation)
    turn = np.maximum.accumulate(np.where(repeated, 0, np.arange(len(repeated))))[arrivals]
    alone = DEEPEST * (DOCUMENTS + CONVERSATIONS) + turn[request]
    symbol = np.where(position >= full[request], alone, symbol)
    symbol[position == 0] = -1
    _, appears, which = np.unique(symbol, return_index=True, return_inverse=True)
    number = np.empty(len(appears), dtype=np.int64)
    number[np.argsort(appears)] = np.arange(len(appears))
    return offsets, number[which]


def _documents(seed: int) -> tuple[Integers, Integers]:
    """Of each conversation: its document, and how many blocks of it it shares; 0 for most."""
    popularity = 1_000_000 // np.arange(1 + FLATTENED, DOCUMENTS + 1 + FLATTENED)
    chosen = _weighted(seed, "document", popularity, CONVERSATIONS)
    blocks = _quantile(seed, "document_blocks", DOCUMENT_BLOCKS, DOCUMENTS)[chosen]
    uses = generator(seed, "mooncake/uses_document").integers(0, 1000, CONVERSATIONS)
    return chosen, np.where(uses < DOCUMENT_PER_MILLE, blocks, 0)


def _weighted(seed: int, stream: str, weights: Integers, count: int) -> Integers:
    """Draw indices in proportion to integer weights."""
    bounds = np.cumsum(weights)
    draws = generator(seed, f"mooncake/{stream}").integers(0, bounds[-1], count)
    return np.searchsorted(bounds, draws, side="right").astype(np.int64)


def _quantile(seed: int, stream: str, table: dict[int, int], count: int) -> Integers:
    """Draw from a distribution given by quantiles (per mille), linear between them."""
    places, values = np.array(list(table)) * 1000, np.array(list(table.values()))
    draws = generator(seed, f"mooncake/{stream}").integers(0, 1_000_000, count)
    step = np.searchsorted(places, draws, side="right") - 1
    rise = (values[step + 1] - values[step]) * (draws - places[step])
    drawn: Integers = values[step] + rise // (places[step + 1] - places[step])
    return drawn
