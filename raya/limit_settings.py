"""``raya:limits``: what the Hetzner account may hold. No endpoint of Hetzner's API tells."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from raya.section import SECTION
from raya.wording import Refused, json_kind


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Refused(
            f"it must be a whole number above zero, as the Hetzner console shows it, not {json_kind(value)}",
            name_value=False,
        )
    return value


Limit = Annotated[int, BeforeValidator(_count)] | None


class LimitSettings(BaseModel):
    """Each limit that is given is counted against before the first create; ``None`` is not counted."""

    model_config = SECTION

    servers: Limit = None
    cores: Limit = None
    volumes: Limit = None
    primary_ips: Limit = None
