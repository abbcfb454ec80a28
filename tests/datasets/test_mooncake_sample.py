import hashlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pearl.datasets.mooncake import read_jsonl
from pearl.datasets.mooncake.entry import MOONCAKE
from pearl.datasets.mooncake.sample import LABEL, make_trace
from pearl.datasets.mooncake.statistics import statistics
from pearl.datasets.mooncake.trace import new_block_order_holds, violations
from pearl.datasets.places import sample_manifest

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "samples" / "mooncake"

# How far the sample may be from the publisher's file, as a ratio of the two.
RESEMBLES = {
    "bins_of_10_seconds": 1.0,
    "input_length_mean": 1.15,
    "input_length_p10": 1.05,
    "input_length_p50": 1.1,
    "input_length_p90": 1.1,
    "input_length_p99": 1.15,
    "output_length_mean": 1.05,
    "output_length_p50": 1.05,
    "output_length_p90": 1.05,
    "output_length_p99": 1.05,
    "blocks_of_a_request_mean": 1.15,
    "blocks_reused_share": 1.1,
    "blocks_shared_share": 1.3,
    "root_only_share": 1.1,
    "most_shared_prefix": 1.5,
}


def test_the_generator_makes_the_committed_files_byte_for_byte(sample_folder):
    names = sorted(file.name for file in sample_folder.iterdir())
    assert names == ["conversation_trace.jsonl", "manifest.yaml"]
    assert sorted(file.name for file in COMMITTED.iterdir()) == names
    for name in names:
        assert (COMMITTED / name).read_bytes() == (sample_folder / name).read_bytes()


def test_another_process_makes_the_same_bytes(tmp_path):
    code = (
        "import sys; from pathlib import Path; from pearl.datasets.registry import DATASETS; "
        "DATASETS['mooncake'].write_sample(Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "s")], check=True, cwd=ROOT)
    for file in COMMITTED.iterdir():
        assert (tmp_path / "s" / file.name).read_bytes() == file.read_bytes()


def test_the_manifest_says_what_the_file_is():
    manifest = sample_manifest(COMMITTED, MOONCAKE)
    content = (COMMITTED / "conversation_trace.jsonl").read_bytes()
    assert manifest.sample is not None
    assert manifest.sample.label == LABEL == "sample data made by pearl's generator, not Mooncake"
    (facts,) = manifest.sample.files
    assert facts.sha256 == hashlib.sha256(content).hexdigest()
    assert facts.byte_count == len(content) <= 1_200_000
    assert manifest.sample.rows == content.count(b"\n")
    trace = read_jsonl(COMMITTED / "conversation_trace.jsonl")
    assert manifest.sample.statistics == statistics(trace)
    assert manifest.provenance("sample").label == LABEL


def test_the_publishers_facts_were_measured_on_the_publishers_file(real_file):
    assert MOONCAKE.manifest.statistics == statistics(read_jsonl(real_file))


def test_the_sample_keeps_the_rules_and_the_hour(sample_trace):
    assert violations(sample_trace) == []
    assert new_block_order_holds(sample_trace)
    assert 3_800 <= len(sample_trace) <= 4_200
    per_bin = np.bincount(sample_trace.timestamp // 10_000)
    assert len(per_bin) == 354
    assert per_bin.min() >= 1
    assert sample_trace.input_length.max() <= 126_195


@pytest.mark.parametrize("fact", RESEMBLES)
def test_the_sample_resembles_the_publishers_file(fact, sample_trace):
    ratio = statistics(sample_trace)[fact] / MOONCAKE.manifest.statistics[fact]
    assert 1 / RESEMBLES[fact] <= ratio <= RESEMBLES[fact]


def test_sharing_falls_off_like_zipf(sample_trace):
    """Few prefixes are shared by many, most by nobody; the log-log slope is that of 1/rank."""
    second = sample_trace.blocks[sample_trace.offsets[:-1] + 1]
    counts = np.sort(np.array(list(Counter(second.tolist()).values())))[::-1]
    assert 0.6 < np.mean(counts == 1) < 0.8
    ranks = np.arange(1, 201)
    slope = np.polyfit(np.log(ranks), np.log(counts[:200]), 1)[0]
    assert -1.0 < slope < -0.3


def test_the_catalogue_of_the_sample_has_a_few_hundred_actions(sample_trace):
    """Appendix C.4 on 40% of the bins: prefixes seen twice or more, at most 32 blocks deep."""
    share = [
        int.from_bytes(hashlib.sha256(f"12236:{b}".encode()).digest()[:8], "big") / 2**64
        for b in range(354)
    ]
    chosen = [i for i, t in enumerate(sample_trace.timestamp // 10_000) if share[t] < 0.4]
    paths = [
        sample_trace.blocks[sample_trace.offsets[i] : sample_trace.offsets[i + 1]].tolist()
        for i in chosen
    ]
    seen = Counter(block for path in paths for block in path)
    ends = {
        (path[kept - 1], kept)
        for path in paths
        if (kept := sum(1 for block in path if seen[block] >= 2))
    }
    assert 200 <= sum(1 for _, depth in ends if depth <= 32) <= 400


def test_another_seed_makes_another_hour(sample_trace):
    other = make_trace(seed=1)
    assert violations(other) == []
    assert len(other) != len(sample_trace) or not np.array_equal(other.blocks, sample_trace.blocks)
