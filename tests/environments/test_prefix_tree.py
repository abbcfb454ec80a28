from __future__ import annotations

import numpy as np
import pytest

from pearl.environments.prefix_tree import PrefixTree
from pearl.errors import SettingError

#        0
#      /   \
#     1     4
#    / \
#   2   3
TREE = PrefixTree(np.array([-1, 0, 1, 1, 0]), np.array([1, 2, 3, 4]))


def test_paths_depths_and_children() -> None:
    assert TREE.depth.tolist() == [1, 2, 3, 3, 2]
    assert [TREE.path(i).tolist() for i in range(4)] == [[0, 1], [0, 1, 2], [0, 1, 3], [0, 4]]
    assert TREE.path_offsets.tolist() == [0, 2, 5, 8, 10]
    offsets, nodes = TREE.child_offsets, TREE.child_nodes
    children = [nodes[offsets[v] : offsets[v + 1]].tolist() for v in range(5)]
    assert children == [[1, 4], [2, 3], [], [], []]


def test_every_array_is_int32() -> None:
    arrays = (TREE.parent, TREE.actions, TREE.depth, TREE.path_offsets, TREE.path_nodes)
    for array in (*arrays, TREE.child_offsets, TREE.child_nodes):
        assert array.dtype == np.int32


def test_union_counts_shared_segments_once() -> None:
    assert TREE.union([1, 2]).tolist() == [True, True, True, True, False]
    assert not TREE.union([]).any()


def test_a_tree_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        TREE.parent[1] = 0


@pytest.mark.parametrize(
    ("parent", "actions", "problem"),
    [
        ([], [], "root"),
        ([0], [0], "root"),
        ([-1, -1], [0, 1], "0 <= parent"),
        ([-1, 1], [1], "0 <= parent"),
        ([-1, 2, 0], [1, 2], "0 <= parent"),
        ([-1, 0], [], "actions"),
        ([-1, 0], [1, 1], "ascending"),
        ([-1, 0], [1, 2], "nodes 0..1"),
        ([-1, 0, 0], [1], "leaf 2"),
    ],
)
def test_refuses_what_is_no_tree(parent: list[int], actions: list[int], problem: str) -> None:
    with pytest.raises(SettingError, match=problem):
        PrefixTree(np.array(parent, dtype=np.int32), np.array(actions, dtype=np.int32))
