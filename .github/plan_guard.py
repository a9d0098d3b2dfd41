"""Stops an update of the production stack that would replace or delete what nobody has reviewed.

    pulumi preview --json | python3 .github/plan_guard.py record > PLAN
    python3 .github/plan_guard.py show PLAN
    python3 .github/plan_guard.py compare REVIEWED CURRENT

`record` keeps which resources a preview replaces or deletes: a sorted list of {"op", "urn"}, no property of
theirs. `show` says the same in Markdown. `compare` ends with 1 and a sentence for each entry of CURRENT that
REVIEWED does not have; a REVIEWED file that does not exist is a review of nothing. Standard library only: it
runs before anything is installed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

# Any other operation counts as destructive, one that a later engine invents included.
HARMLESS = frozenset({"same", "create", "update", "read", "refresh", "import"})
SPOKEN = {"delete": "deleted", "delete-replaced": "deleted"}


class GuardError(Exception):
    """The input is not what it has to be; a sentence."""


class Loss(NamedTuple):
    """One resource that an update takes away, for good (`delete`) or to make it anew (`replace`)."""

    urn: str
    op: str

    def sentence(self) -> str:
        """For people: `Server agent-1 would be replaced (urn:...)`."""
        *_, kind, name = self.urn.split("::")
        spoken = SPOKEN.get(self.op, "replaced" if "replace" in self.op else f"changed by «{self.op}»")
        return f"{kind.rsplit(':', 1)[-1]} {name} would be {spoken} ({self.urn})"


def losses(preview: str) -> list[Loss]:
    """What the output of `pulumi preview --json` replaces or deletes, sorted, each once."""
    document = _json(preview, "the preview")
    # Even a preview that changes nothing says how long it took; without that, it is something else's output.
    if not isinstance(document, dict) or "duration" not in document:
        raise GuardError("the preview is not the output of `pulumi preview --json`: it has no duration.")
    if any(entry.get("severity") == "error" for entry in document.get("diagnostics", [])):
        raise GuardError("the preview failed, so it does not show everything: its errors come first.")
    steps = _entries(document.get("steps", []), "the preview")
    return sorted(step for step in steps if step.op not in HARMLESS)


def record(preview: str) -> str:
    """The canonical text of `losses`, one entry a line."""
    entries = [json.dumps({"op": loss.op, "urn": loss.urn}) for loss in losses(preview)]
    return "[" + ",".join(f"\n  {entry}" for entry in entries) + ("\n]\n" if entries else "]\n")


def recorded(file: Path) -> set[Loss]:
    """What `record` wrote into `file`; GuardError names the file when it is anything else."""
    return _entries(_json(file.read_text(), str(file)), str(file))


def show(found: Iterable[Loss]) -> str:
    """A Markdown list for the reviewer."""
    lines = [f"- {loss.sentence()}" for loss in sorted(found)]
    if not lines:
        return "Nothing is replaced or deleted."
    return "\n".join(["**What this update replaces or deletes:**", "", *lines])


def unreviewed(reviewed: Iterable[Loss], current: Iterable[Loss]) -> list[Loss]:
    """What `current` takes away and `reviewed` does not, in a stable order."""
    return sorted(set(current) - set(reviewed))


def _entries(value: object, name: str) -> set[Loss]:
    if not isinstance(value, list):
        raise GuardError(f"{name} has no list of operations.")
    try:
        return {Loss(urn=str(entry["urn"]), op=str(entry["op"])) for entry in value}
    except (TypeError, KeyError) as error:
        raise GuardError(f"{name} has an entry without op and urn.") from error


def _json(text: str, name: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise GuardError(f"{name} is not JSON: {error}.") from error


def compare(reviewed_file: Path, current_file: Path) -> str:
    """The verdict: empty when everything that would be taken away was reviewed."""
    known = reviewed_file.exists()
    found = unreviewed(recorded(reviewed_file) if known else (), recorded(current_file))
    if not found:
        return ""
    heading = "the review did not show" if known else "nobody reviewed (there is no recorded preview)"
    listed = "\n".join(f"  - {loss.sentence()}" for loss in found)
    return (
        f"Stopped: this update would take away what {heading}:\n{listed}\n"
        "Open a pull request with the present state, whose preview shows it, or run `pulumi up` by hand."
    )


def main(arguments: list[str]) -> int:
    try:
        if arguments == ["record"]:
            sys.stdout.write(record(sys.stdin.read()))
            return 0
        if len(arguments) == 2 and arguments[0] == "show":
            print(show(recorded(Path(arguments[1]))))
            return 0
        if len(arguments) == 3 and arguments[0] == "compare":
            verdict = compare(Path(arguments[1]), Path(arguments[2]))
            print(verdict or "Everything that this update replaces or deletes was shown to the reviewer.")
            return 1 if verdict else 0
        raise GuardError(
            "the arguments are `record` (a preview on stdin), `show PLAN` or `compare REVIEWED CURRENT`."
        )
    except (GuardError, OSError) as error:
        print(f"plan guard: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
