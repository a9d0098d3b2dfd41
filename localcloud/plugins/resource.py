"""What one kind of resource, or one function, looks like to the base provider."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from .errors import StandInError
from .fields import Fields, fields

Properties = dict[str, Any]
"""Plain values by property name, as the schema spells the names."""


@dataclass(frozen=True)
class Made:
    """A resource that exists now: its id and all its properties, the given inputs included."""

    resource_id: str
    outputs: Properties


class Resource(ABC):
    """One resource type. Methods run on worker threads, several at a time, and take plain values.

    Raise StandInError (a sentence) for what cannot be done; the base adds type and name of the resource.
    """

    token: ClassVar[str]
    inputs: ClassVar[Fields]
    outputs: ClassVar[Fields] = fields()
    autonamed: ClassVar[str | None] = None
    """The input that gets `<name>-<hex>` when it is not given."""

    def prepare(self, inputs: Properties) -> None:
        """Check what one field alone cannot say; raise InvalidInput. May fill values in (provider defaults).

        Values may be UNKNOWN."""
        return

    @abstractmethod
    def create(self, inputs: Properties) -> Made:
        """Make it. On failure after it exists raise PartlyCreated."""

    @abstractmethod
    def read(self, resource_id: str, state: Properties) -> Made | None:
        """What it is now; None when it is gone. `state` is empty for an import."""

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        """Change it in place and return all properties. Called only when no changed field replaces."""
        raise StandInError("nothing of it can be changed in place")

    @abstractmethod
    def delete(self, resource_id: str, state: Properties) -> None:
        """Remove it; already gone counts as removed."""

    def replaced_by_itself(self, state: Properties, inputs: Properties) -> str | None:
        """Name of a property that demands a replacement although no input changed, or None."""
        return None

    @classmethod
    def inputs_of_import(cls, outputs: Properties) -> Properties:
        """The inputs that describe an imported resource: every one that says something."""
        said = {name: outputs.get(name) for name in cls.inputs}
        return {
            name: value
            for name, value in said.items()
            if value not in (None, "", [], {}) and value != cls.inputs[name].default
        }

    @classmethod
    def kind(cls) -> str:
        """The last part of the token, for messages: `Server`."""
        return cls.token.rpartition(":")[2]

    @classmethod
    def defaults(cls) -> Properties:
        """What absent inputs mean, for the outputs."""
        return {name: field.default for name, field in cls.inputs.items() if field.default is not None}


class Function(ABC):
    """One invoke: plain arguments in, plain results out."""

    token: ClassVar[str]
    inputs: ClassVar[Fields] = fields()
    outputs: ClassVar[Fields]

    @abstractmethod
    def call(self, arguments: Properties) -> Properties:
        """Return the results. Raise StandInError or InvalidInput for what cannot be answered."""
