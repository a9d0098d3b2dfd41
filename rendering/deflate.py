"""gzip (RFC 1952) whose bytes depend on nothing but its input.

The zlib that Python finds differs from system to system (zlib, zlib-ng, vendors' forks), and so do the bytes
that it makes of the same input. A server is replaced when its user data changes by one byte, so the system
that runs the program must have no say in them. Hence DEFLATE (RFC 1951) in plain Python: the longest match,
unless the next place has a longer one; blocks with Huffman codes of their own, cut where that pays. As small
as zlib's best, and two tenths of a second for a machine's config.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from operator import mul

from rendering.huffman import Bits, code_lengths, codes

_MIN_MATCH, _MAX_MATCH = 3, 258
_WINDOW = 32_768
# How many earlier places with the same three bytes are looked at; more finds little.
_CHAIN = 1_024
# A match this long is taken without looking at the next place.
_GOOD_MATCH = 64
# A match of three bytes from further away costs more than three literals.
_FAR = 4_096
# Blocks are made of so many tokens, or of several times as many.
_CUT = 1_024

_END = 256
_LENGTH_EXTRA = (*(0,) * 8, *(bits for bits in range(1, 6) for _ in range(4)), 0)
_CODE_LENGTH_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)
_REPEAT_EXTRA = {16: 2, 17: 3, 18: 7}

Token = tuple[int, int]
"""(byte, 0) for a literal, (length, distance) for a match."""


def gzip_compress(data: bytes) -> bytes:
    """Return one gzip member without time or name."""
    header = b"\x1f\x8b\x08" + bytes(5) + b"\x02\xff"
    trailer = zlib.crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return header + deflate(data) + trailer


def deflate(data: bytes) -> bytes:
    """Return the raw DEFLATE stream of some bytes."""
    blocks = list(_blocks(list(_tokens(data))))
    out = bytearray()
    held, count = 0, 0
    for number, block in enumerate(blocks, start=1):
        for value, width in _encoded(block, final=number == len(blocks)):
            held |= value << count
            count += width
            while count >= 8:
                out.append(held & 0xFF)
                held >>= 8
                count -= 8
    if count:
        out.append(held)
    return bytes(out)


# --- matches


def _tokens(data: bytes) -> Iterator[Token]:
    earlier = _Earlier(data)
    place, end = 0, len(data)
    length, distance = earlier.match(0)
    while place < end:
        earlier.add(place)
        following = (0, 0)
        if length < _GOOD_MATCH:
            following = earlier.match(place + 1)
        if length < _MIN_MATCH or following[0] > length:
            yield data[place], 0
            place += 1
            length, distance = following if length < _GOOD_MATCH else earlier.match(place)
            continue
        yield length, distance
        for inside in range(place + 1, place + length):
            earlier.add(inside)
        place += length
        length, distance = earlier.match(place)


class _Earlier:
    """Where the three bytes at a place have stood before."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._last: dict[bytes, int] = {}
        self._before = [-1] * len(data)

    def add(self, place: int) -> None:
        key = self._data[place : place + _MIN_MATCH]
        self._before[place] = self._last.get(key, -1)
        self._last[key] = place

    def match(self, place: int) -> Token:
        """Return length and distance of the longest match, the nearest of equals; (0, 0) for none."""
        data, before = self._data, self._before
        limit = min(_MAX_MATCH, len(data) - place)
        if limit < _MIN_MATCH:
            return 0, 0
        best, distance = _MIN_MATCH - 1, 0
        candidate = self._last.get(data[place : place + _MIN_MATCH], -1)
        oldest = max(0, place - _WINDOW)
        for _ in range(_CHAIN):
            if candidate < oldest:
                break
            if data[candidate + best] == data[place + best]:
                length = _common(data, candidate, place, limit)
                if length > best:
                    best, distance = length, place - candidate
                    if length == limit:
                        break
            candidate = before[candidate]
        if best < _MIN_MATCH or (best == _MIN_MATCH and distance > _FAR):
            return 0, 0
        return best, distance


def _common(data: bytes, one: int, other: int, limit: int) -> int:
    """Return how many bytes two places have in common, `limit` at most."""
    length = 0
    step = 16
    while length + step <= limit:
        ahead = data[other + length : other + length + step]
        if data[one + length : one + length + step] != ahead:
            break
        length += step
    while length < limit and data[one + length] == data[other + length]:
        length += 1
    return length


# --- blocks


class _Block:
    """Tokens that share their Huffman codes."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.literals = [0] * 286
        self.distances = [0] * 30
        self.literals[_END] = 1
        self._extra_bits = 0
        for length, distance in tokens:
            if not distance:
                self.literals[length] += 1
                continue
            for counts, (symbol, _, width) in (
                (self.literals, _LENGTH_CODES[length]),
                (self.distances, _distance_code(distance)),
            ):
                counts[symbol] += 1
                self._extra_bits += width

    def joined(self, other: "_Block") -> "_Block":
        return _Block(self.tokens + other.tokens)

    def size_bits(self) -> int:
        literals, distances = code_lengths(self.literals, 15), code_lengths(self.distances, 15)
        header = sum(width for _, width in _header(literals, distances, final=False))
        coded: int = sum(map(mul, self.literals, literals)) + sum(map(mul, self.distances, distances))
        return header + coded + self._extra_bits


def _blocks(tokens: list[Token]) -> Iterator[_Block]:
    """Cut tokens into blocks: a piece joins the block before it unless codes of its own make it smaller."""
    block = _Block(tokens[:_CUT])
    for start in range(_CUT, len(tokens), _CUT):
        piece = _Block(tokens[start : start + _CUT])
        joined = block.joined(piece)
        if joined.size_bits() <= block.size_bits() + piece.size_bits():
            block = joined
        else:
            yield block
            block = piece
    yield block


def _encoded(block: _Block, *, final: bool) -> Iterator[Bits]:
    literal_lengths = code_lengths(block.literals, 15)
    distance_lengths = code_lengths(block.distances, 15)
    yield from _header(literal_lengths, distance_lengths, final=final)
    literals, distances = codes(literal_lengths), codes(distance_lengths)
    for length, distance in block.tokens:
        if not distance:
            yield literals[length]
            continue
        symbol, extra, width = _LENGTH_CODES[length]
        yield literals[symbol]
        yield extra, width
        symbol, extra, width = _distance_code(distance)
        yield distances[symbol]
        yield extra, width
    yield literals[_END]


def _header(
    literal_lengths: Sequence[int], distance_lengths: Sequence[int], *, final: bool
) -> Iterator[Bits]:
    """Yield a dynamic block's header: the code lengths, run-length coded, in a Huffman code of their own."""
    literals = _without_zeros_at_the_end(literal_lengths, at_least=257)
    distances = _without_zeros_at_the_end(distance_lengths, at_least=1)
    runs = list(_run_lengths([*literals, *distances]))
    counts = [0] * 19
    for symbol, _ in runs:
        counts[symbol] += 1
    lengths = code_lengths(counts, 7)
    ordered = _without_zeros_at_the_end([lengths[symbol] for symbol in _CODE_LENGTH_ORDER], at_least=4)
    yield from ((int(final), 1), (2, 2))
    yield from ((len(literals) - 257, 5), (len(distances) - 1, 5), (len(ordered) - 4, 4))
    yield from ((length, 3) for length in ordered)
    symbols = codes(lengths)
    for symbol, extra in runs:
        yield symbols[symbol]
        yield extra, _REPEAT_EXTRA.get(symbol, 0)


def _run_lengths(lengths: Sequence[int]) -> Iterator[Bits]:
    """Yield (symbol, extra value): 16 repeats the last length 3 to 6 times, 17 and 18 are 3 to 138 zeros."""
    place = 0
    while place < len(lengths):
        length = lengths[place]
        run = 1
        while place + run < len(lengths) and lengths[place + run] == length:
            run += 1
        place += run
        if length:
            yield length, 0
            run -= 1
        while run >= 3:
            longest, symbol, least = (6, 16, 3) if length else ((10, 17, 3) if run <= 10 else (138, 18, 11))
            part = min(run, longest)
            yield symbol, part - least
            run -= part
        yield from ((length, 0) for _ in range(run))


def _without_zeros_at_the_end(lengths: Sequence[int], *, at_least: int) -> Sequence[int]:
    end = len(lengths)
    while end > at_least and not lengths[end - 1]:
        end -= 1
    return lengths[:end]


# --- symbols of lengths and distances: (symbol, extra value, extra bits)


def _length_codes() -> Iterable[tuple[int, int, int]]:
    for number, width in enumerate(_LENGTH_EXTRA[:-1]):
        for extra in range(1 << width):
            yield 257 + number, extra, width


_LENGTH_CODES = [(0, 0, 0)] * _MIN_MATCH + list(_length_codes())
# The longest length has a symbol of its own, although the one before it could express it.
_LENGTH_CODES[_MAX_MATCH] = (285, 0, 0)


def _distance_code(distance: int) -> tuple[int, int, int]:
    below = distance - 1
    width = max(below.bit_length() - 2, 0)
    return 2 * width + (below >> width), below & ((1 << width) - 1), width
