"""Snapshots of the pinned versions, as a real server answers Hetzner's own client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from raya import snapshot_search
from raya.lookups import LookupFailedError
from raya.pins import Pins
from raya.snapshot_fit import FoundSnapshot
from tests.cloud import TOKEN, RunningCloud, running_cloud
from tests.machines import PROJECT_ROOT

PINS = Pins.load(PROJECT_ROOT / "image")
LABELS = dict(part.split("=") for part in PINS.label_selector.split(","))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCloud]:
    with running_cloud(tmp_path_factory.mktemp("cloud"), seed={}) as running:
        yield running


@pytest.fixture
def cloud(empty: RunningCloud) -> Iterator[RunningCloud]:
    yield empty
    empty.clear_faults()
    empty.reset()


def _add(cloud: RunningCloud, *snapshots: dict[str, Any]) -> list[str]:
    """One after the other, a minute apart; their ids."""
    before = {each["id"] for each in cloud.hetzner("images")}
    for number, snapshot in enumerate(snapshots):
        cloud.seed({"snapshots": [{"labels": LABELS, "description": str(number), **snapshot}]})
        cloud.advance(60)
    return [str(each["id"]) for each in cloud.hetzner("images") if each["id"] not in before]


def _found(cloud: RunningCloud) -> dict[str, list[FoundSnapshot]]:
    config = {"hcloud:endpoint": cloud.hcloud_endpoint, "hcloud:token": TOKEN}
    return {name: list(found) for name, found in snapshot_search.find(config, PINS).items()}


def test_nothing_is_found_where_nothing_was_made(cloud: RunningCloud) -> None:
    assert _found(cloud) == {}


def test_each_architecture_has_its_own_newest_first_with_their_disks(cloud: RunningCloud) -> None:
    old, arm, new = _add(cloud, {"diskGb": 40}, {"architecture": "arm", "diskGb": 20}, {"diskGb": 80})
    assert _found(cloud) == {
        "x86": [FoundSnapshot(id=new, disk_gb=80), FoundSnapshot(id=old, disk_gb=40)],
        "arm": [FoundSnapshot(id=arm, disk_gb=20)],
    }


def test_of_two_that_were_made_in_one_second_the_later_one_is_newer(cloud: RunningCloud) -> None:
    both = [{"labels": LABELS, "description": name} for name in ("first", "second")]
    cloud.seed({"snapshots": both})
    newest, other = _found(cloud)["x86"]
    assert int(newest.id) > int(other.id)


def test_one_that_is_being_made_or_has_other_pins_does_not_count(cloud: RunningCloud) -> None:
    ready, *_ = _add(cloud, {}, {"status": "creating"}, {"labels": {**LABELS, "fcos_version": "1"}})
    assert [each.id for each in _found(cloud)["x86"]] == [ready]


def test_the_token_may_be_in_the_environment(cloud: RunningCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HCLOUD_TOKEN", TOKEN)
    assert snapshot_search.find({"hcloud:endpoint": cloud.hcloud_endpoint}, PINS) == {}


def test_a_refusal_is_a_sentence(cloud: RunningCloud) -> None:
    cloud.fault("status", method="GET", path="/images$", status=401, code="unauthorized")
    with pytest.raises(LookupFailedError, match="did not say which snapshots there are"):
        _found(cloud)
