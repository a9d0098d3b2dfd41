"""The state as exported, and the one write that recovery makes to it."""

from __future__ import annotations

from typing import Any

from raya.recover.checkpoint import Checkpoint
from raya.recover.things import Kind
from tests.unit.recover import example
from tests.unit.recover.example import state

NEW = {**example.SERVER, "id": "70"}


def edited(checkpoint: Checkpoint, *records: dict[str, Any], gone: tuple[str, ...] = ()) -> list[Any]:
    """The resources after the edit, the components left out."""
    document = checkpoint.edited(records, gone=gone)
    return list(document["deployment"]["resources"][len(example.COMPONENTS) :])


def test_a_stack_that_was_never_updated() -> None:
    for document in ({"version": 3, "deployment": {}}, {"version": 3, "deployment": {"resources": None}}):
        checkpoint = Checkpoint(document)
        assert (checkpoint.entries, checkpoint.pending) == ((), ())


def test_a_new_record_comes_last_and_pending_operations_go() -> None:
    checkpoint = state(example.VOLUME, pending=[("creating", example.SERVER)])
    assert edited(checkpoint, NEW) == [example.VOLUME, NEW]
    assert "pending_operations" not in checkpoint.edited([], gone=())["deployment"]
    assert checkpoint.pending, "the exported document stays as it is"


def test_a_record_stands_where_its_deleted_predecessor_stood() -> None:
    predecessor = {**example.SERVER, "pendingReplacement": True}
    assert edited(state(predecessor, example.VOLUME), NEW) == [NEW, example.VOLUME]


def test_what_is_gone_makes_room_and_what_is_there_is_left_for_the_next_update_to_delete() -> None:
    checkpoint = state(example.SERVER, example.VOLUME)
    assert edited(checkpoint, NEW, gone=(example.SERVER["urn"],)) == [NEW, example.VOLUME]
    assert edited(checkpoint, NEW) == [NEW, example.VOLUME, {**example.SERVER, "delete": True}]


def test_what_a_replacement_has_still_to_delete_is_known_and_stays() -> None:
    doomed = {**example.SERVER, "delete": True}
    checkpoint = state(doomed)
    assert [key.id for key in checkpoint.known] == ["7"]
    assert edited(checkpoint, NEW) == [doomed, NEW]


def test_a_volume_attachment_is_one_of_a_volume_to_a_server() -> None:
    attachment = example.entry(
        Kind.VOLUME_ATTACHMENT, "a", "5", parent=example.CONTROL_PLANE, inputs={"serverId": 7.0}
    )
    assert list(state(attachment).known) == [example.volume_attachment(5, 7).key]
    assert list(state(attachment).known) != [example.volume_attachment(5, 8).key]


def test_the_newest_provider_serves_what_is_taken_in() -> None:
    old = {**example.COMPONENTS[0], "id": "newer", "urn": f"{example.HEAD}pulumi:providers:hcloud::default_2"}
    assert state(old).provider(Kind.VOLUME) == f"{example.HEAD}pulumi:providers:hcloud::default_2::newer"
    assert state().provider(Kind.ZONE) == f"{example.HEAD}pulumi:providers:gcp::default::gcp-id"
