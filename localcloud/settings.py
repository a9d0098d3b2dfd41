"""The settings of the local cloud: how fast it is, and how much an account may have."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from localcloud.given import Given, Seconds, checked
from localcloud.store import Json

Limit = Annotated[int, Field(ge=0, le=10**6)]
_OFFER = re.compile(r"[a-z]+[0-9]+@[a-z]+[0-9]*")


def _offer(text: str) -> str:
    if not _OFFER.fullmatch(text):
        raise ValueError(f"'{text}' is not written as type@location, for instance cx23@hel1")
    return text


def _instant(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text):
        raise ValueError(f"'{text}' is not written as 2027-01-01T00:00:00Z")
    return text


Offer = Annotated[str, AfterValidator(_offer)]
Instant = Annotated[str, AfterValidator(_instant)]


class Settings(Given):
    """Every setting with its default."""

    # How long an action runs. The real ones take seconds.
    action_seconds: Seconds = 0.03
    # How long a guest takes to power off after the shutdown action, which only sends the ACPI signal.
    shutdown_seconds: Seconds = 0.03
    dns_change_seconds: Seconds = 0.03
    # How long it takes to enable an API in a Google project.
    operation_seconds: Seconds = 0.03
    # Requests a Hetzner project may keep in its bucket; the real API refills one each second. Here actions
    # run about a hundred times faster, so the bucket refills a hundred times faster too.
    rate_limit: Annotated[int, Field(ge=1, le=10**6)] = 3600
    rate_refill_per_second: Annotated[float, Field(gt=0, le=10**6, allow_inf_nan=False)] = 100.0
    # A Hetzner account's limits: resource_limit_exceeded beyond them.
    server_limit: Limit = 200
    dedicated_core_limit: Limit = 400
    primary_ip_limit: Limit = 1000
    volume_limit: Limit = 400
    network_limit: Limit = 50
    # Server types that are out of stock in a location: resource_unavailable.
    sold_out: list[Offer] = Field(default_factory=list)
    # Server types whose end in a location is announced, and when it comes. Afterwards they are refused.
    leaving: dict[Offer, Instant] = Field(default_factory=dict)


DEFAULTS: Json = Settings().model_dump(by_alias=True)


def checked_settings(body: object) -> Json:
    """The settings that a body gives, or the refusal."""
    return checked(Settings, "a change of settings", body).model_dump(by_alias=True, exclude_unset=True)
