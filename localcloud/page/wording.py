"""How the page says things: amounts, ranges, sizes, long lists."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from localcloud.store import Json

Row = TypeVar("Row")

_EVERYWHERE = {"0.0.0.0/0": "any IPv4 address", "::/0": "any IPv6 address"}
_COLOURS = {
    "running": "good",
    "available": "good",
    "success": "good",
    "applied": "good",
    "off": "idle",
    "error": "bad",
}


@dataclass(frozen=True)
class Cut(Generic[Row]):
    """A long list: what is shown at once, what a click unfolds, and how many more there are."""

    first: tuple[Row, ...]
    folded: tuple[Row, ...]
    left_out: int

    def __len__(self) -> int:
        return len(self.first) + len(self.folded) + self.left_out


def cut(rows: Sequence[Row], at_once: int, folded: int | None = None) -> Cut[Row]:
    """The list, cut; a single row too many is not worth a click, so it is shown as well."""
    if len(rows) == at_once + 1:
        at_once += 1
    end = len(rows) if folded is None else at_once + folded
    return Cut(tuple(rows[:at_once]), tuple(rows[at_once:end]), max(0, len(rows) - end))


@dataclass(frozen=True)
class Status:
    """A state as its API names it; `colour` is good, bad, idle or busy (under way)."""

    word: str
    colour: str


def status(word: str) -> Status:
    """A state and its colour; what is neither good, bad nor idle is under way."""
    return Status(word, _COLOURS.get(word, "busy"))


def clock_time(stamp: str) -> str:
    """The time of day of an RFC 3339 stamp."""
    return stamp[11:19]


def counted(number: int, noun: str) -> str:
    """`1 machine`, `2 machines`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def ranges(cidrs: Iterable[str]) -> str:
    """Address ranges in words: both families' whole ranges together are `anywhere`."""
    left = list(dict.fromkeys(cidrs))
    words = []
    if set(_EVERYWHERE) <= set(left):
        words.append("anywhere")
        left = [cidr for cidr in left if cidr not in _EVERYWHERE]
    return ", ".join([*words, *(_EVERYWHERE.get(cidr, cidr) for cidr in left)])


def cluster_of(thing: Json) -> str | None:
    """The cluster that a thing belongs to, as its label says."""
    cluster: str | None = thing.get("labels", {}).get("cluster")
    return cluster or None
