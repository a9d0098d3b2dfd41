"""Which clouds the suite talks to: the ones that the environment names, else a local cloud.

Only the variables that begin with CONFORMANCE_ choose a cloud. HCLOUD_TOKEN alone does not: many people have
it in their shell, and none of them wants a test run to make servers in their account.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.cloud import TOKEN, RunningCloud

HCLOUD_ENDPOINT = "CONFORMANCE_HCLOUD_ENDPOINT"
HCLOUD_SERVER_TYPE = "CONFORMANCE_HCLOUD_SERVER_TYPE"
GOOGLE_PROJECT = "CONFORMANCE_GOOGLE_PROJECT"
GOOGLE_DOMAIN = "CONFORMANCE_GOOGLE_DOMAIN"
GOOGLE_ENDPOINT = "CONFORMANCE_GOOGLE_ENDPOINT"
GOOGLE_POLICY = "CONFORMANCE_GOOGLE_POLICY"
# As the vendors' own tools call them.
HCLOUD_TOKEN = "HCLOUD_TOKEN"
GOOGLE_TOKEN = "GOOGLE_OAUTH_ACCESS_TOKEN"

# A cloud on this machine does in hundredths of a second what takes the real ones seconds.
LOOPBACK = "http://127.0.0.1:"
LOCAL_POLL_S = 0.02
REAL_POLL_S = 1.0
LOCAL_PROJECT = "conformance"
LOCAL_DOMAIN = "conformance.example"


class TargetError(ValueError):
    """The environment names a cloud by halves: one sentence that says which variable is missing or wrong."""


@dataclass(frozen=True, kw_only=True)
class HetznerTarget:
    """A Hetzner Cloud API. `endpoint` includes the version: https://api.hetzner.cloud/v1."""

    endpoint: str
    token: str = field(repr=False)
    poll_s: float
    server_type: str = ""
    """Ordered instead of the cheapest type, which the API may list as available and still refuse."""


@dataclass(frozen=True, kw_only=True)
class GoogleTarget:
    """A Google project. Without `endpoint` the clients use Google's own addresses."""

    project: str
    domain: str
    """Zones are made below it, as `<run>.<domain>`. Nothing delegates to them."""
    endpoint: str | None
    token: str = field(repr=False)
    may_edit_policy: bool
    poll_s: float


def hetzner_of(cloud: RunningCloud) -> HetznerTarget:
    """The Hetzner half of a local cloud."""
    return HetznerTarget(endpoint=cloud.hcloud_endpoint, token=TOKEN, poll_s=LOCAL_POLL_S)


def google_of(cloud: RunningCloud) -> GoogleTarget:
    """The Google half of a local cloud that was seeded with LOCAL_PROJECT."""
    return GoogleTarget(
        project=LOCAL_PROJECT,
        domain=LOCAL_DOMAIN,
        endpoint=cloud.google_endpoint,
        token="any",
        may_edit_policy=True,
        poll_s=LOCAL_POLL_S,
    )


def hetzner_named_by(environment: Mapping[str, str]) -> HetznerTarget | None:
    """The Hetzner API that the environment names, if it names one."""
    endpoint = environment.get(HCLOUD_ENDPOINT)
    if not endpoint:
        return None
    token = _required(
        environment, HCLOUD_TOKEN, HCLOUD_ENDPOINT, "a read and write token of an empty project"
    )
    return HetznerTarget(
        endpoint=endpoint.rstrip("/"),
        token=token,
        poll_s=_poll_s(endpoint),
        server_type=environment.get(HCLOUD_SERVER_TYPE, ""),
    )


def google_named_by(environment: Mapping[str, str]) -> GoogleTarget | None:
    """The Google project that the environment names, if it names one."""
    project = environment.get(GOOGLE_PROJECT)
    if not project:
        for name in (GOOGLE_DOMAIN, GOOGLE_ENDPOINT, GOOGLE_POLICY):
            if environment.get(name):
                raise TargetError(f"{name} is set, but {GOOGLE_PROJECT} is not: set the project's id too.")
        return None
    policy = environment.get(GOOGLE_POLICY, "")
    if policy not in ("", "edit"):
        raise TargetError(f"{GOOGLE_POLICY} is {policy!r}: it is `edit`, or not set.")
    endpoint = environment.get(GOOGLE_ENDPOINT, "").rstrip("/") or None
    return GoogleTarget(
        project=project,
        domain=_required(environment, GOOGLE_DOMAIN, GOOGLE_PROJECT, "a domain of yours").strip("."),
        endpoint=endpoint,
        token=_required(
            environment, GOOGLE_TOKEN, GOOGLE_PROJECT, "`gcloud auth print-access-token` prints one"
        ),
        may_edit_policy=policy == "edit",
        poll_s=_poll_s(endpoint),
    )


def _poll_s(endpoint: str | None) -> float:
    return LOCAL_POLL_S if endpoint and endpoint.startswith(LOOPBACK) else REAL_POLL_S


def _required(environment: Mapping[str, str], name: str, because: str, what: str) -> str:
    value = environment.get(name)
    if not value:
        raise TargetError(f"{because} is set, but {name} is not: {what}.")
    return value
