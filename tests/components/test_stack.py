"""The stack's own outputs are read while the engine may be rewriting the file they are in."""

from __future__ import annotations

from typing import Any

import pytest

from raya import stack
from raya.last_update import LastUpdate
from tests.components.recording import declare

READ = "pulumi:pulumi:readStackOutputs"


class Answers(dict[str, Any]):
    """Fails as often as it is told, then answers."""

    def __init__(self, failures: int) -> None:
        super().__init__({READ: {"outputs": {"machineConfigDigests": {"agent-0": {"/etc/hostname": "1"}}}}})
        self.failures = failures

    def __getitem__(self, token: str) -> Any:
        if self.failures:
            self.failures -= 1
            return {}, [("name", "failed to load checkpoint: EOF")]
        return super().__getitem__(token)


def _read(failures: int) -> LastUpdate:
    seen: list[LastUpdate] = []
    declare(lambda: seen.append(stack.last_update()), answers=Answers(failures))
    return seen[0]


def test_a_read_in_the_middle_of_a_write_is_repeated() -> None:
    assert _read(2).digests == {"agent-0": {"/etc/hostname": "1"}}


def test_what_cannot_be_read_at_all_is_a_sentence() -> None:
    with pytest.raises(stack.LastUpdateError, match="failed to load checkpoint: EOF"):
        _read(1000)
