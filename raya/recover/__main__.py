"""`python -m raya.recover --stack NAME [--yes]`: shows what it will do, asks, and does it.

Exit status: 0 all is mended, or nothing was amiss; 1 failed, with a sentence; 3 the plan was shown and not
carried out; 4 something is left that a person must look at (all else is mended).
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from raya.errors import SENTENCES, RayaError
from raya.recover.engine import Engine
from raya.recover.plan import Plan
from raya.recover.recovery import Recovery, Situation
from raya.recover.turn import alone
from raya.recover.wording import plan_text

PROJECT_ROOT = Path(__file__).parents[2]
# Exit statuses, which docs/runbooks/interrupted.md names.
NOT_CARRIED_OUT, LOOK_AT_IT = 3, 4


class StillAmissError(RayaError):
    """Recovery did all it planned, and there is more."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Mend a stack whose run was killed or lost an answer.")
    parser.add_argument("--stack", required=True)
    parser.add_argument("--yes", action="store_true", help="carry the plan out without asking")
    arguments = parser.parse_args()
    try:
        with alone(PROJECT_ROOT, arguments.stack):
            return _recover(arguments.stack, agreed=arguments.yes)
    except SENTENCES as error:
        print(f"raya: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("raya: interrupted. Run it again: it goes on from where it stopped.", file=sys.stderr)
    return 1


def _recover(stack: str, *, agreed: bool) -> int:
    engine = Engine(PROJECT_ROOT, stack)
    if not _readable(engine, agreed=agreed):
        return NOT_CARRIED_OUT
    recovery = Recovery(engine, environment=os.environ, say=lambda step: print(f"… {step}", flush=True))
    situation = recovery.look()
    if situation.lock and situation.lock.is_held:
        raise RayaError(situation.lock.sentence)
    if text := plan_text(situation.plan, situation.lock):
        print(f"{text}\n", flush=True)
    if situation.is_well:
        if not situation.plan.untouched:
            print(f"Nothing to recover: {stack} and its clouds agree.")
        return _left_over(situation.plan)
    if not (agreed or _asked()):
        return NOT_CARRIED_OUT
    recovery.carry_out(situation)
    after = recovery.look()
    _verify(after)
    print(
        f"{stack} and its clouds agree again. What the interrupted run was to do, it has not done: "
        "`pulumi preview` shows what is missing, `pulumi up` does it (to go on destroying, `pulumi destroy "
        "--exclude-protected`)."
    )
    return _left_over(after.plan)


def _left_over(plan: Plan) -> int:
    """The exit status of a run after which nothing is left to do, but perhaps to look at."""
    if not plan.untouched:
        return 0
    print(
        "What is named above as not touched is yours to judge: nobody here can tell whose it is. Until then "
        f"an update may be refused, and this ends with status {LOOK_AT_IT}."
    )
    return LOOK_AT_IT


def _readable(engine: Engine, *, agreed: bool) -> bool:
    """Whether the state can be read, or could be made so: before that there is nothing to plan with."""
    for note in engine.torn_notes():
        print(f"Remove {note}: the run was killed while writing it. The state beside it is whole.\n")
        if not (agreed or _asked()):
            return False
        note.unlink()
    return True


def _asked() -> bool:
    if not sys.stdin.isatty():
        print("Nothing was changed: there is no terminal to ask at. --yes (make: YES=1) carries this out.")
        return False
    if input('"yes" carries this out: ').strip() == "yes":
        return True
    print("Nothing was changed.")
    return False


def _verify(after: Situation) -> None:
    if not after.is_well:
        raise StillAmissError(
            "this is left, or came up meanwhile (a plugin of the killed run may have gone on for a moment). "
            f"Run it again.\n{plan_text(after.plan, after.lock)}"
        )


if __name__ == "__main__":
    sys.exit(main())
