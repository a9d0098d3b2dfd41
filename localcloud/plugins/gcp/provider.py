"""The `gcp` provider: its configuration, and what it serves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

from ..errors import InvalidInput, StandInError
from ..fields import BOOLEAN, STRING, STRING_MAP, STRINGS, Fields, Opaque, fields, may
from ..guard import loopback
from ..provider import StandIn
from ..resource import Function, Properties, Resource
from ..values import UNKNOWN
from . import connection
from .connection import Connection, Settings
from .deletion import POLICIES
from .iam_member import IAMMember
from .lookups import GetManagedZone, GetManagedZones, GetRecordSet
from .managed_zone import ManagedZone
from .record_set import RecordSet
from .service_account import Account, Key

RESOURCES = (ManagedZone, RecordSet, Account, Key, IAMMember)
FUNCTIONS = (GetManagedZone, GetManagedZones, GetRecordSet)

# Key of the endpoint -> what the discovery document adds to the root itself.
ENDPOINTS = {
    "dnsCustomEndpoint": "dns/v1/",
    "iamBetaCustomEndpoint": "v1/",
    "resourceManagerCustomEndpoint": "v1/",
}
_VERSIONED = re.compile(r".*/[^/]+/")
_PROJECT_VARIABLES = ("GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT")


class Gcp(StandIn):
    """The provider. It needs an access token: exchanging a key for one would be a call to the real Google."""

    name = "gcp"
    config_fields = fields(
        accessToken=may(STRING, secret=True),
        addPulumiAttributionLabel=may(BOOLEAN, default=True),
        batching=may(Opaque()),
        billingProject=may(STRING),
        credentials=may(STRING, secret=True),
        defaultLabels=may(STRING_MAP),
        deletionPolicy=may(STRING, default="DELETE"),
        disableGooglePartnerName=may(BOOLEAN),
        externalCredentials=may(Opaque()),
        googlePartnerName=may(STRING),
        impersonateServiceAccount=may(STRING),
        impersonateServiceAccountDelegates=may(STRINGS),
        pollInterval=may(STRING),
        preferGlobalEndpoints=may(BOOLEAN),
        preferRegionalEndpoints=may(BOOLEAN),
        project=may(STRING),
        pulumiAttributionLabelAdditionStrategy=may(STRING),
        region=may(STRING),
        requestReason=may(STRING),
        requestTimeout=may(STRING),
        scopes=may(STRINGS),
        universeDomain=may(STRING),
        userProjectOverride=may(BOOLEAN),
        zone=may(STRING),
        # Programs of older versions set it; since 7.30 it is accepted and ignored.
        disableGlobalProjectWarning=may(BOOLEAN),
    )

    def config_fields_for(self, config: Properties) -> Fields:
        endpoints = {key: may(STRING) for key in config if key.endswith("CustomEndpoint")}
        return {**self.config_fields, **endpoints}

    def check_settings(self, config: Properties) -> None:
        if not _setting(config, "accessToken", "GOOGLE_OAUTH_ACCESS_TOKEN"):
            raise InvalidInput(
                "accessToken",
                "is not set: the stand-in plugin takes only a token (any text does for the local cloud), "
                "because exchanging credentials would call the real Google",
            )
        if config.get("deletionPolicy", "DELETE") not in (*POLICIES, UNKNOWN):
            raise InvalidInput("deletionPolicy", f"must be one of {', '.join(POLICIES)}")
        given = {key for key in config if key.endswith("CustomEndpoint")}
        for key in sorted(given | set(ENDPOINTS)):
            _check_endpoint(key, _endpoint(config, key))

    def open(self, config: Properties) -> tuple[Iterable[Resource], Iterable[Function]]:
        settings = Settings(
            project=_setting(config, "project", *_PROJECT_VARIABLES),
            access_token=_setting(config, "accessToken", "GOOGLE_OAUTH_ACCESS_TOKEN"),
            dns_root=_root(config, "dnsCustomEndpoint"),
            iam_root=_root(config, "iamBetaCustomEndpoint"),
            resource_manager_root=_root(config, "resourceManagerCustomEndpoint"),
            default_labels=config.get("defaultLabels", {}),
            attribution_label=config.get("addPulumiAttributionLabel", True),
            deletion_policy=config.get("deletionPolicy", "DELETE"),
        )
        cloud = Connection(settings)
        return [kind(cloud) for kind in RESOURCES], [kind(cloud) for kind in FUNCTIONS]

    def sentence(self, error: Exception) -> str | None:
        return connection.sentence(error)


def _setting(config: Properties, key: str, *variables: str) -> Any:
    """The configuration's value, or the first of the provider's environment variables that is set."""
    return config.get(key) or next((os.environ[name] for name in variables if os.environ.get(name)), None)


def _endpoint(config: Properties, key: str) -> Any:
    """`dnsCustomEndpoint` falls back to GOOGLE_DNS_CUSTOM_ENDPOINT, and so on."""
    variable = "GOOGLE_" + re.sub(r"(?<!^)([A-Z])", r"_\1", key).upper()
    return _setting(config, key, variable)


def _check_endpoint(key: str, url: Any) -> None:
    if url is UNKNOWN:
        return
    try:
        loopback(url, key=f"gcp:{key}")
    except StandInError as refusal:
        raise InvalidInput(key, str(refusal)) from refusal
    if _VERSIONED.fullmatch(url) is None or not url.endswith(ENDPOINTS.get(key, "")):
        raise InvalidInput(key, f"is {url!r}: it must end with /{ENDPOINTS.get(key, '<version>/')}")


def _root(config: Properties, key: str) -> str:
    return str(_endpoint(config, key)).removesuffix(ENDPOINTS[key])
