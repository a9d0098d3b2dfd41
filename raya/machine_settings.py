"""``raya:controlPlane`` and ``raya:agents``: what the machines are made of."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator

from raya.fleet import broken_server_type_rule
from raya.section import SECTION, text
from raya.wording import Refused, json_kind

# Hetzner's limits for a volume (API reference, volumes).
_SMALLEST_VOLUME_GB = 10
_LARGEST_VOLUME_GB = 10240


def _server_type(value: str) -> str:
    if rule := broken_server_type_rule(value):
        raise Refused(rule)
    return value


def _volume_size(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused(
            f"it must be a whole number of GB without quotes, not {json_kind(value)}", name_value=False
        )
    if not _SMALLEST_VOLUME_GB <= value <= _LARGEST_VOLUME_GB:
        raise Refused(
            f"a Hetzner volume has {_SMALLEST_VOLUME_GB} to {_LARGEST_VOLUME_GB} GB, and can only grow once "
            "it exists"
        )
    return value


ServerType = Annotated[str, BeforeValidator(text("a Hetzner server type")), AfterValidator(_server_type)]


class ControlPlaneSettings(BaseModel):
    """The control plane's server and the volume that holds the cluster's state."""

    model_config = SECTION

    server_type: ServerType = "cx23"
    volume_size_gb: Annotated[int, BeforeValidator(_volume_size)] = 10


class AgentSettings(BaseModel):
    """What an agent is when its entry of the fleet says nothing else."""

    model_config = SECTION

    server_type: ServerType = "cx23"
