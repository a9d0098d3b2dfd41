"""What a stand-in plugin raises: always a sentence for the person who runs pulumi."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any


class StandInError(Exception):
    """A refusal or a failed call; its text is shown as it is, without a traceback."""


class InvalidInput(StandInError):
    """One input is wrong. Inside Check it becomes a CheckFailure of `property_path`."""

    def __init__(self, property_path: str, reason: str) -> None:
        super().__init__(f"{property_path}: {reason}" if property_path else reason)
        self.property_path = property_path
        self.reason = reason


class PartlyCreated(StandInError):
    """The cloud holds the object, but a later step of its creation failed.

    The engine saves `resource_id` and `outputs` (those named in `secrets` as secrets), so that the object
    is not forgotten.
    """

    def __init__(
        self, reason: str, resource_id: str, outputs: Mapping[str, Any], secrets: Collection[str] = ()
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.resource_id = resource_id
        self.outputs = dict(outputs)
        self.secrets = frozenset(secrets)
