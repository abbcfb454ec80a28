"""From requests to the catalogue: retained prefixes, refresh actions, segments, reuse.

Prefixes are followed block by block over all requests at once: the requests that still match a
retained prefix of depth k are grouped by (prefix, next block) to give those of depth k + 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from pearl.environments.prefix_tree import PrefixTree
from pearl.errors import SettingError

if TYPE_CHECKING:
    from pearl.datasets.mooncake import MooncakeTrace

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trie:
    """Prefixes of whole blocks; node 0 is the empty prefix, levels are contiguous.

    Attributes:
        parent: int64[n]; -1 at node 0.
        block: int64[n], a node's last block id; -1 at node 0.
        depth: int64[n], blocks in the prefix.
    """

    parent: Ints
    block: Ints
    depth: Ints


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The contracted tree and the block prefixes behind it.

    Attributes:
        tree: one node a segment, in depth-first order with children by block id.
        trie: the retained prefixes that lead to an action's end.
        segment: int64[n], the segment of each trie node; -1 at the empty prefix.
        longest_path: blocks on the longest action's path.
    """

    tree: PrefixTree
    trie: Trie
    segment: Ints
    longest_path: int


def build_catalogue(
    trace: MooncakeTrace, rows: Ints, *, min_requests: int, max_depth: int | None
) -> Catalogue:
    """Build the catalogue from the construction requests `rows` (C.4).

    Prefixes that begin at least `min_requests` of them are retained; every request is projected
    onto its deepest retained prefix; distinct endpoints no deeper than `max_depth` blocks are the
    actions; chains without a branch or an endpoint are contracted.

    Raises:
        SettingError: no action is left, or the actions share no first block.
    """
    trie, ends = _retained(trace, rows, min_requests)
    ends = ends[trie.depth[ends] > 0]
    if max_depth is not None:
        ends = ends[trie.depth[ends] <= max_depth]
    if len(ends) == 0:
        raise SettingError(
            f"empty catalogue: none of {len(rows)} construction requests ends on a prefix shared"
            f" by min_requests = {min_requests} requests and at most"
            f" max_depth_blocks = {max_depth} deep",
            remedy="lower min_requests, raise max_depth_blocks, or use a longer trace",
        )
    trie, ends = _prune(trie, np.unique(ends))
    roots = np.count_nonzero(trie.parent == 0)
    if roots > 1:
        raise SettingError(
            f"the catalogue needs one first block that every prefix shares, found {roots}",
            remedy="use a trace whose requests all begin with the same block",
        )
    tree, segment = _contract(trie, ends)
    return Catalogue(tree, trie, segment, int(trie.depth[ends].max()))


def reuse_tokens(
    catalogue: Catalogue, trace: MooncakeTrace, rows: Ints, *, block_tokens: int
) -> csr_array[np.int64]:
    """Return int64[len(rows), d]: z_j(Q), matching prefix tokens of each request and segment.

    A match that ends inside a segment counts the blocks matched; the partial last block of a
    request counts whole.
    """
    trie = catalogue.trie
    width = int(trace.blocks.max(initial=0)) + 1
    keys = trie.parent * width + trie.block
    order = np.argsort(keys[1:]) + 1
    known = keys[order]
    at, request, depth = np.zeros(len(rows), dtype=np.int64), np.arange(len(rows)), 0
    found: list[tuple[Ints, Ints]] = []
    while len(request):
        going = depth < (trace.offsets[rows[request] + 1] - trace.offsets[rows[request]])
        at, request = at[going], request[going]
        wanted = at * width + trace.blocks[trace.offsets[rows[request]] + depth]
        place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        going = known[place] == wanted
        at, request = order[place[going]], request[going]
        found.append((request, catalogue.segment[at]))
        depth += 1
    row, column = (np.concatenate(parts) for parts in zip(*found, strict=True))
    tokens = np.full(len(row), block_tokens, dtype=np.int64)
    # duplicates add up: several blocks of one request in one segment
    return coo_array((tokens, (row, column)), (len(rows), catalogue.tree.segments)).tocsr()


def _retained(trace: MooncakeTrace, rows: Ints, min_requests: int) -> tuple[Trie, Ints]:
    """Return all retained prefixes and the deepest one of each request."""
    width = int(trace.blocks.max(initial=0)) + 1
    ends = np.zeros(len(rows), dtype=np.int64)
    parents, blocks, depths = [np.array([-1])], [np.array([-1])], [np.array([0])]
    active, depth, nodes = np.arange(len(rows)), 0, 1
    while len(active):
        active = active[trace.offsets[rows[active]] + depth < trace.offsets[rows[active] + 1]]
        following = trace.blocks[trace.offsets[rows[active]] + depth]
        keys, where, seen = np.unique(
            ends[active] * width + following, return_inverse=True, return_counts=True
        )
        kept = seen >= min_requests
        node = np.where(kept, nodes + np.cumsum(kept) - 1, -1)[where]
        active, node = active[node >= 0], node[node >= 0]
        ends[active] = node
        depth += 1
        parents.append(keys[kept] // width)
        blocks.append(keys[kept] % width)
        depths.append(np.full(np.count_nonzero(kept), depth))
        nodes += int(np.count_nonzero(kept))
    return Trie(np.concatenate(parents), np.concatenate(blocks), np.concatenate(depths)), ends


def _prune(trie: Trie, ends: Ints) -> tuple[Trie, Ints]:
    """Keep the prefixes of the endpoints; return the smaller trie and the renumbered endpoints."""
    kept = np.zeros(len(trie.parent), dtype=np.bool_)
    kept[0] = True
    front = ends
    while len(front):
        kept[front] = True
        front = np.unique(trie.parent[front])
        front = front[~kept[front]]
    number = np.cumsum(kept) - 1
    parent = np.where(trie.parent >= 0, number[trie.parent], -1)
    return Trie(parent[kept], trie.block[kept], trie.depth[kept]), number[ends]


def _contract(trie: Trie, ends: Ints) -> tuple[PrefixTree, Ints]:
    """Contract chains; return the tree and the segment of every trie node."""
    n = len(trie.parent)
    children = np.bincount(trie.parent[1:], minlength=n)
    last = children != 1
    last[ends] = True
    last[0] = False
    # nodes in a level ascend by (parent, block), so visiting them backwards puts the first child
    # on top of the stack
    offsets = np.concatenate([[0], np.cumsum(children)])
    below = 1 + np.argsort(trie.parent[1:], kind="stable")
    segment = np.full(n, -1, dtype=np.int64)
    parents: list[int] = []
    stack = [(int(v), -1) for v in below[offsets[0] : offsets[1]][::-1]]
    while stack:
        v, above = stack.pop()
        mine = len(parents)
        parents.append(above)
        segment[v] = mine
        while not last[v]:
            v = int(below[offsets[v]])
            segment[v] = mine
        stack += [(int(c), mine) for c in below[offsets[v] : offsets[v + 1]][::-1]]
    actions = np.sort(segment[ends])
    return PrefixTree(np.array(parents, dtype=np.int32), actions.astype(np.int32)), segment
