"""Huffman codes as DEFLATE has them (RFC 1951, 3.2.2)."""

import heapq
from collections.abc import Sequence

Bits = tuple[int, int]
"""(value, number of bits), lowest bit first."""


def code_lengths(counts: Sequence[int], limit: int) -> list[int]:
    """Return the length of each symbol's code, `limit` bits at most; 0 for a symbol that does not occur."""
    lengths = [0] * len(counts)
    used = [symbol for symbol, count in enumerate(counts) if count]
    if len(used) < 2:
        # A decoder needs one code, even where nothing is coded with it.
        lengths[used[0] if used else 0] = 1
        return lengths
    weights = [counts[symbol] for symbol in used]
    while max(depths := _depths(weights)) > limit:
        # Flatter counts make a flatter tree.
        weights = [(weight + 1) // 2 for weight in weights]
    for symbol, depth in zip(used, depths, strict=True):
        lengths[symbol] = depth
    return lengths


def _depths(weights: Sequence[int]) -> list[int]:
    heap = [(weight, number) for number, weight in enumerate(weights)]
    heapq.heapify(heap)
    parents = [0] * (2 * len(weights) - 1)
    for parent in range(len(weights), 2 * len(weights) - 1):
        (one, left), (other, right) = heapq.heappop(heap), heapq.heappop(heap)
        parents[left] = parents[right] = parent
        heapq.heappush(heap, (one + other, parent))
    depths = [0] * len(parents)
    for node in range(len(parents) - 2, -1, -1):
        depths[node] = depths[parents[node]] + 1
    return depths[: len(weights)]


def codes(lengths: Sequence[int]) -> list[Bits]:
    """Return the canonical code of each symbol, its bits reversed as in the stream (RFC 1951, 3.2.2)."""
    made: list[Bits] = [(0, 0)] * len(lengths)
    code, last = 0, 0
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(lengths) if length):
        code <<= length - last
        made[symbol] = (int(f"{code:0{length}b}"[::-1], 2), length)
        code, last = code + 1, length
    return made
