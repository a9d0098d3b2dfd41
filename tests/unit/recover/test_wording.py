"""How a plan reads: numbered in the order in which it is done, with numbers and prices."""

from __future__ import annotations

from decimal import Decimal

from raya.recover.engine import Lock
from raya.recover.wording import plan_text
from tests.unit.recover import example


def test_every_kind_of_step_in_order() -> None:
    known = example.state(
        example.RANDOM_SUFFIX,
        example.NETWORK,
        pending=[("creating", example.SERVER), ("creating", example.VOLUME)],
    )
    found = [
        example.server("agent-1", 60, net_a_month=Decimal("3.49")),
        example.volume(net_a_month=Decimal("0.44")),
        example.server("agent-0", 61, labels={}),
    ]
    plan = example.plan(known, *found)
    text = plan_text(plan, Lock("It is locked by a run that was killed (pid 4).", is_held=False))
    assert text.splitlines() == [
        "  1. Free the stack. It is locked by a run that was killed (pid 4).",
        "  2. Take the state volume prod-state (5, 0.44 a month) into the state: it holds the cluster's",
        "     data, so it is protected there.",
        "  3. Forget that a run was creating the server control-plane.",
        "  4. Delete the server agent-1 (60, 3.49 a month): the state does not know it, and what it was",
        "     told cannot be read back. It is shut down first; the next update makes it anew.",
        "  5. Forget the network network (3): the state has it and the cloud does not.",
        "",
        "Not touched, because it is not proven to be the cluster's:",
        "  - server agent-0 (61): it has a name that this cluster gives, but not its labels",
        "    (managed_by=raya, cluster=prod), so it is somebody else's. Rename one of the two:",
        "    raya:serverNamePrefix changes the cluster's names.",
    ]


def test_nothing_to_say() -> None:
    assert plan_text(example.plan(example.state()), None) == ""
