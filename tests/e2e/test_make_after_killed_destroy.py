"""`make up` removes the lock of a run that is gone, but makes no update of what that run left half-way."""

from __future__ import annotations

import json

from tests.e2e import test_make_verbs
from tests.e2e.test_make_verbs import STATE, Checkout

checkout = test_make_verbs.checkout


def _begin_deleting(checkout: Checkout, name: str) -> None:
    """As an engine leaves its state when it is killed in the middle of that; an import would drop it."""
    file = checkout.folder / STATE / "stacks/raya/local.json"
    document = json.loads(file.read_text())
    latest = document["checkpoint"]["latest"]
    resource = next(each for each in latest["resources"] if each["urn"].endswith(f"::{name}"))
    latest["pending_operations"] = [{"type": "deleting", "resource": resource}]
    file.write_text(json.dumps(document))


def test_make_up_refuses_until_make_recover_has_run(checkout: Checkout) -> None:
    checkout.make("up")
    _begin_deleting(checkout, "a0")
    status, output = checkout.ends(checkout.start("up"))
    assert status != 0
    assert "A run of local was killed while it was deleting RecordSet a0. " in output
    assert "`make recover STACK=local`" in output
    assert "Updating" not in output

    assert "Forget that a run was deleting the record a0." in checkout.make("recover", "YES=1")
    checkout.make("up")
