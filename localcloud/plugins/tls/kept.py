"""What all tls resources share: they live in the stack's state and nowhere else."""

from __future__ import annotations

from ..errors import StandInError
from ..resource import Made, Properties, Resource


class Kept(Resource):
    """Reads back what it made; deleting means forgetting."""

    def read(self, resource_id: str, state: Properties) -> Made | None:
        if not state:
            raise StandInError("the tls provider cannot import; let Pulumi create it")
        return Made(resource_id, state)

    def delete(self, resource_id: str, state: Properties) -> None:
        return None
