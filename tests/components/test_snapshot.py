"""Snapshot: the newest of the pinned versions, remembered."""

from __future__ import annotations

from typing import Any

import pytest

from raya.pins import Pins
from raya.snapshot import SnapshotMissingError, find_snapshots
from tests.components.recording import declare
from tests.machines import PROJECT_ROOT

IMAGES = "hcloud:index/getImages:getImages"


def _found(*created: str) -> list[str]:
    pins = Pins.load(PROJECT_ROOT / "image")
    images: list[dict[str, Any]] = [
        {"id": number, "created": stamp, "labels": {}} for number, stamp in enumerate(created)
    ]
    found: list[str] = []
    answers = {IMAGES: {"id": "x", "images": images}}
    declare(lambda: found.extend(find_snapshots(pins, {"x86"})["x86"]), answers=answers)
    return found


def test_the_newest_comes_first_whatever_the_order_of_the_answer() -> None:
    assert _found("2026-11-01T10:00:00Z", "2026-11-03T10:00:00Z", "2026-11-02T23:00:00Z") == ["1", "2", "0"]


def test_none_names_the_pins_and_what_to_do() -> None:
    with pytest.raises(SnapshotMissingError, match=r"no x86 snapshot of Fedora CoreOS .*docs/image\.md"):
        _found()
