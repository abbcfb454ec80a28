"""Measured facts of a trace: what the sample is compared with the publisher's file by."""

from __future__ import annotations

import numpy as np

from pearl.datasets.mooncake.trace import MooncakeTrace, predecessors

BIN_MILLISECONDS = 10_000


def statistics(trace: MooncakeTrace) -> dict[str, int | float]:
    """Return the facts that manifests carry; shares are rounded to 4 digits.

    `blocks_reused_share`: block references whose id came earlier in the trace.
    `blocks_shared_share`: distinct ids that occur twice or more.
    `root_only_share`: requests that share no block but the root with an earlier request.
    `most_shared_prefix`: requests in the largest group that shares a second block.
    """
    ids, appears, counts = np.unique(trace.blocks, return_index=True, return_counts=True)
    lengths = np.diff(trace.offsets)
    fresh = np.zeros(len(trace.blocks), dtype=bool)
    fresh[appears] = True
    second = trace.offsets[:-1] + 1
    has_second = second < trace.offsets[1:]
    before = predecessors(trace)
    fresh_second = int(np.count_nonzero(fresh[second[has_second]]))
    per_bin = np.bincount(trace.timestamp // BIN_MILLISECONDS)
    children = ids[before[appears] == trace.blocks[0]]
    return {
        "requests": len(trace),
        "bins_of_10_seconds": len(per_bin),
        "requests_in_a_bin_mean": _rounded(per_bin.mean()),
        "requests_in_a_bin_least": int(per_bin.min()),
        "requests_in_a_bin_most": int(per_bin.max()),
        "input_length_mean": _rounded(trace.input_length.mean()),
        **_quantiles("input_length", trace.input_length),
        "output_length_mean": _rounded(trace.output_length.mean()),
        **_quantiles("output_length", trace.output_length),
        "blocks_of_a_request_mean": _rounded(lengths.mean()),
        "blocks": len(trace.blocks),
        "distinct_blocks": len(ids),
        "blocks_reused_share": _rounded(1 - len(ids) / len(trace.blocks)),
        "blocks_shared_share": _rounded(np.mean(counts >= 2)),
        "root_only_share": _rounded((fresh_second + np.count_nonzero(~has_second)) / len(trace)),
        "distinct_second_blocks": len(children),
        "most_shared_prefix": int(counts[np.isin(ids, children)].max(initial=0)),
    }


def _quantiles(name: str, values: np.ndarray) -> dict[str, int | float]:
    levels = (10, 50, 90, 99)
    found = np.percentile(values, levels, method="inverted_cdf")
    return {f"{name}_p{level}": int(value) for level, value in zip(levels, found, strict=True)}


def _rounded(value: float | np.floating) -> float:
    return round(float(value), 4)
