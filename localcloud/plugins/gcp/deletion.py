"""`deletionPolicy`, which every resource of the provider takes since version 10."""

from __future__ import annotations

from abc import abstractmethod

from ..errors import InvalidInput, StandInError
from ..fields import STRING, may
from ..resource import Properties, Resource
from ..values import UNKNOWN
from .connection import Connection

POLICIES = ("DELETE", "ABANDON", "PREVENT")
DELETION_POLICY = may(STRING, computed=True)


class Deletable(Resource):
    """A resource whose deletion the program may prevent or leave out."""

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        if inputs.get("deletionPolicy", "DELETE") not in (*POLICIES, UNKNOWN):
            raise InvalidInput("deletionPolicy", f"must be one of {', '.join(POLICIES)}")

    def delete(self, resource_id: str, state: Properties) -> None:
        policy = state.get("deletionPolicy") or self._cloud.settings.deletion_policy
        if policy == "PREVENT":
            raise StandInError("deletionPolicy is PREVENT: set it to DELETE first")
        if policy != "ABANDON":
            self.remove(resource_id, state)

    @abstractmethod
    def remove(self, resource_id: str, state: Properties) -> None:
        """Delete it in the cloud; already gone counts as removed."""
