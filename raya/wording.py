"""How a refusal reads: what is wrong, where, what is allowed, what to do."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence

SECRET_SHOWN = "(a secret, not shown)"
_LONGEST_VALUE = 80
# A path or a name of a key in it is shown whole; what is longer was never meant to be read.
_LONGEST_SENTENCE = 1500
_MOST_PROBLEMS = 20


class Refused(ValueError):
    """A value breaks a rule. ``reason`` says what is allowed and what to do; the reader adds key and value in
    front.

    ``at`` names the part of the value that is meant (``email`` of ``acme``), ``value`` is then that part.
    Without ``name_value`` the sentence leaves the value out: it is secret, or the reason speaks of it.
    ``where`` stands in for the key when the value came from somewhere else.
    """

    def __init__(
        self,
        reason: str,
        *,
        at: str = "",
        value: object = None,
        name_value: bool = True,
        where: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.where = where
        self.at = at
        self.value = value
        self.name_value = name_value


class Refusals(ValueError):
    """Several rules broken by one value."""

    def __init__(self, refused: Iterable[Refused]) -> None:
        self.refused = tuple(refused)
        super().__init__("; ".join(str(one) for one in self.refused))


def refuse_all(refused: Iterable[Refused | None]) -> None:
    """Raises what is not ``None``, together."""
    broken = [one for one in refused if one is not None]
    if broken:
        raise Refusals(broken)


def show(value: object) -> str:
    """A value as it stands in the configuration (JSON notation), cut when it is long."""
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        # Cut first, so that the quotes close.
        beginning = json.dumps(f"{value[:_LONGEST_VALUE]}…", ensure_ascii=False)
        return f"{beginning} ({len(value)} characters)"
    return shortened(json.dumps(value, ensure_ascii=False, default=str))


def shortened(text: str, *, longest: int = _LONGEST_VALUE) -> str:
    """``text`` as it is, or its beginning and how long it was."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"


def one_line(sentence: str) -> str:
    """``sentence`` with line ends and other control characters escaped, and its middle left out when nobody
    would read it: values may hold anything.
    """
    if len(sentence) > _LONGEST_SENTENCE:
        half = _LONGEST_SENTENCE // 2
        sentence = f"{sentence[:half]} … ({len(sentence)} characters) … {sentence[-half:]}"
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in sentence)


def first_problems(problems: Sequence[str]) -> list[str]:
    """The first 20, and a last line that counts the rest."""
    shown = list(problems[:_MOST_PROBLEMS])
    rest = len(problems) - len(shown)
    return [*shown, f"and {rest} more"] if rest else shown


def listing(names: Iterable[str], *, last: str = "or") -> str:
    """``a, b or c``; ``last`` is the word before the last one."""
    items = list(names)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def first_and_count(names: Sequence[str], *, most: int = 3) -> str:
    """``a, b, c and 96 more``"""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def nearest(name: str, allowed: Iterable[str]) -> str | None:
    """The allowed name a typing error most likely meant, whatever its case, or ``None``."""
    by_folded = {candidate.casefold(): candidate for candidate in allowed}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def unknown(name: str, allowed: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: a guess when one is near, and all that is known."""
    names = list(allowed)
    guess = nearest(name, names)
    return f"did you mean {guess}? Known here: {listing(names)}" if guess else f"known here: {listing(names)}"


def json_kind(value: object) -> str:
    """What a decoded JSON value is, in a reader's words: ``the number 5``, ``a list``."""
    if value is None:
        return "null"
    if isinstance(value, bool | int | float):
        noun = "boolean" if isinstance(value, bool) else "number"
        return f"the {noun} {show(value)}"
    if isinstance(value, str):
        return f"the text {show(value)}"
    return "a list" if isinstance(value, list | tuple) else "an object"
