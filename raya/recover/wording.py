"""How a plan reads. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from raya.account import total
from raya.recover.checkpoint import Pending
from raya.recover.engine import Lock
from raya.recover.plan import LeftAlone, Plan
from raya.recover.things import Kind, Thing

_WIDTH = 95
_WHY_DELETED = {
    Kind.SERVER: "the state does not know it, and what it was told cannot be read back. It is shut down "
    "first; the next update makes it anew",
    Kind.KEY: "its private half was lost; the next update makes another",
}
_WHY_TAKEN_IN = {Kind.VOLUME: "it holds the cluster's data, so it is protected there"}


def plan_text(plan: Plan, lock: Lock | None) -> str:
    """A numbered line for each step, in the order in which they are done, and what is left alone."""
    lines = [_folded(f"{number:>3}. ", step) for number, step in enumerate(_steps(plan, lock), start=1)]
    priced = [each.price for each in plan.delete if each.price]
    if len(priced) > 1:
        lines += ["", _folded("", f"What is deleted costs {total(priced)} together.")]
    lines += _left_alone(plan.untouched)
    return "\n".join(lines).strip("\n")


def _steps(plan: Plan, lock: Lock | None) -> Iterator[str]:
    if lock is not None:
        yield f"Free the stack. {lock.sentence}"
    for each in plan.take_in:
        yield f"Take the {each.thing} into the state{_because(each.thing)}."
    taken = {str(each.record["urn"]) for each in plan.take_in}
    for pending in plan.pending:
        if pending.entry.urn not in taken:
            yield f"Forget that a run was {pending.operation} the {pending.entry}.{_may_be_off(pending)}"
    for thing in plan.delete:
        yield f"Delete the {thing}: {_WHY_DELETED[thing.kind]}."
    for entry in plan.changed:
        yield f"Read the {entry} ({entry.raw.get('id')}) again: it is not as the state describes it."
    for entry in plan.gone:
        yield f"Forget the {entry} ({entry.raw.get('id')}): the state has it and the cloud does not."


def _may_be_off(pending: Pending) -> str:
    """No update would switch it on: what is off is to the engine as what is on."""
    if (pending.operation, pending.entry.kind) != ("deleting", Kind.SERVER):
        return ""
    return " When it still exists it may have been shut down: to keep it, `hcloud server poweron`."


def _because(thing: Thing) -> str:
    return f": {_WHY_TAKEN_IN[thing.kind]}" if thing.kind in _WHY_TAKEN_IN else ""


def _left_alone(untouched: Sequence[LeftAlone]) -> Iterator[str]:
    """Each reason once, and below it what it is the reason for."""
    if untouched:
        yield ""
        yield "Not touched:"
    for reason in dict.fromkeys(each.reason for each in untouched):
        yield _folded("  ", reason)
        yield from [_folded("    - ", str(each.thing)) for each in untouched if each.reason == reason]


def _folded(bullet: str, sentence: str) -> str:
    return textwrap.fill(
        sentence, _WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet), break_long_words=False
    )
