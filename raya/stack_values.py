"""The stack's configuration as the engine hands it over (text by key), read into plain values."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from raya import strict_json
from raya.fleet import Fleet, FleetError, parse_entries, parse_fleet_file
from raya.wording import SECRET_SHOWN, Refused, shortened, show, unknown

NAMESPACE: Final = "raya"
DEFAULT_FLEET_FILE: Final = "deploy/fleet/agents.json"

# How the engine hands a key over: text as it is, lists and objects as JSON.
TEXT_KEYS: Final = (
    "clusterName",
    "location",
    "fleetFile",
    "clusterManagedSubdomain",
    "dnsParentZone",
    "serverNamePrefix",
    "hcloudCsiToken",
)
JSON_KEYS: Final = (
    "controlPlane",
    "agents",
    "fleet",
    "network",
    "authorizedUsers",
    "dnsZones",
    "acme",
    "gitops",
    "firewall",
    "components",
    "endpoints",
    "limits",
)
KEYS: Final = (*TEXT_KEYS, *JSON_KEYS)
# A token may stand in what cannot be read, even where --secret was forgotten.
_KEYS_WITH_SECRETS: Final = ("gitops",)

_HCLOUD_TOKEN = "hcloud:token"
# Hetzner's provider takes tokens of this length only.
HCLOUD_TOKEN_LENGTH: Final = 64
# Keys of the providers that give power over an account.
_PROVIDER_SECRETS = (_HCLOUD_TOKEN, "gcp:credentials", "gcp:accessToken")
# No value of the configuration: what was given and not understood, and what was not given.
_UNREADABLE: Final = object()
_LEFT_OUT: Final = object()


class StackValues:
    """``values``: what the settings are made of, by key without namespace. ``problems``: what was refused."""

    values: dict[str, Any]
    problems: list[str]

    def __init__(
        self,
        config: Mapping[str, str],
        *,
        secret_keys: Collection[str],
        root: Path,
        environment: Mapping[str, str],
    ) -> None:
        self.values, self.problems = {}, []
        self._config, self._secret_keys = config, secret_keys
        self._own_keys()
        self._fleet(root)
        self._secrets()
        self._providers(environment)

    def spoke_of(self, key: str) -> bool:
        """Whether ``problems`` says why ``key`` has no value, so that nothing more is to be said of it."""
        return self.values.get(key) is _UNREADABLE

    def _given(self) -> dict[str, str]:
        prefix = f"{NAMESPACE}:"
        return {
            key.removeprefix(prefix): text for key, text in self._config.items() if key.startswith(prefix)
        }

    def _own_keys(self) -> None:
        for key, text in self._given().items():
            if key in TEXT_KEYS:
                self.values[key] = text
            elif key in JSON_KEYS:
                self._json(key, text)
            else:
                self.problems.append(f"raya:{shortened(key)} is not a key of raya: {unknown(key, KEYS)}")

    def _json(self, key: str, text: str) -> None:
        secret = f"raya:{key}" in self._secret_keys or key in _KEYS_WITH_SECRETS
        shown = SECRET_SHOWN if secret else show(text)
        try:
            value = strict_json.parse(text)
        except strict_json.UnusableValueError as error:
            self.problems.append(f"raya:{key} is {shown}: {error}")
            value = _UNREADABLE
        except strict_json.StrictJsonError as error:
            self.problems.append(
                f"raya:{key} is {shown}: it must be a list or an object in the stack file, not text ({error})"
            )
            value = _UNREADABLE
        if isinstance(value, strict_json.RepeatedName):
            self.problems.append(f"raya:{key} gives {show(value.repeated)} twice: keep one")
            value = _UNREADABLE
        self.values[key] = value

    def _fleet(self, root: Path) -> None:
        fleet_file, entries = self.values.pop("fleetFile", None), self.values.pop("fleet", _LEFT_OUT)
        self.values["fleet"] = _UNREADABLE
        if entries is not _LEFT_OUT and fleet_file is not None:
            self.problems.append(
                "raya:fleet and raya:fleetFile are both given: keep fleetFile when the cluster follows "
                "this repository, fleet when it does not"
            )
        elif entries is not _UNREADABLE:
            self._parse_fleet(root, fleet_file, entries)

    def _parse_fleet(self, root: Path, fleet_file: str | None, entries: Any) -> None:
        try:
            self.values["fleet"] = (
                _read_fleet(root, fleet_file) if entries is _LEFT_OUT else parse_entries(entries)
            )
        except FleetError as error:
            self.problems.extend(error.problems)

    def _secrets(self) -> None:
        if not self.values.get("hcloudCsiToken"):
            self.values.pop("hcloudCsiToken", None)
        elif "raya:hcloudCsiToken" not in self._secret_keys:
            self.problems.append(in_clear("raya:hcloudCsiToken"))
        gitops = self.values.get("gitops")
        if (
            isinstance(gitops, dict)
            and gitops.get("token") is not None
            and "raya:gitops" not in self._secret_keys
        ):
            self.problems.append(in_clear("raya:gitops.token", path=True))
        for key in _PROVIDER_SECRETS:
            if self._config.get(key) and key not in self._secret_keys:
                self.problems.append(in_clear(key))

    def _providers(self, environment: Mapping[str, str]) -> None:
        if "gcp:project" in self._config:
            self.values["gcpProject"] = self._config["gcp:project"]
        token = self._config.get(_HCLOUD_TOKEN)
        source = _HCLOUD_TOKEN if token else "HCLOUD_TOKEN in the environment"
        token = token or environment.get("HCLOUD_TOKEN")
        if not token:
            self.problems.append(
                "hcloud:token is missing: make an API token with read and write rights in the Hetzner "
                "Cloud console and run `pulumi config set --secret hcloud:token`, or put it into "
                "HCLOUD_TOKEN"
            )
            return
        try:
            hcloud_token(token)
        except Refused as refused:
            self.problems.append(f"{source}: {refused}")


def _read_fleet(root: Path, fleet_file: str | None) -> Fleet:
    if fleet_file == "":
        raise FleetError(
            f"raya:fleetFile is empty: write a path such as {DEFAULT_FLEET_FILE}, or leave the key out"
        )
    fleet_file = fleet_file or DEFAULT_FLEET_FILE
    if not fleet_file.isprintable():
        raise FleetError(
            f"raya:fleetFile is {show(fleet_file)}: it holds control or invisible characters; write a path "
            f"such as {DEFAULT_FLEET_FILE}"
        )
    # Links are followed: what one points to outside is not in the repository either.
    if fleet_file.startswith("/") or not _is_inside(root, root / fleet_file):
        raise FleetError(
            f"raya:fleetFile is {show(fleet_file)}: it must be a path inside the project's folder, relative "
            "to it, because the cluster reads the same file from the repository; write one such as "
            f"{DEFAULT_FLEET_FILE}, or give the entries in raya:fleet"
        )
    return parse_fleet_file(root / fleet_file)


def _is_inside(root: Path, path: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def hcloud_token(token: str) -> str:
    """``token`` when it has the form of a Hetzner Cloud API token; the refusal does not show it."""
    if not re.fullmatch(rf"[!-~]{{{HCLOUD_TOKEN_LENGTH}}}", token):
        raise Refused(
            f"it has {len(token)} characters; a Hetzner Cloud API token has exactly {HCLOUD_TOKEN_LENGTH} "
            "of ASCII and no white space or control characters; copy it again",
            name_value=False,
        )
    return token


def in_clear(key: str, *, path: bool = False) -> str:
    """The sentence for a secret that stands in the stack file in clear."""
    command = f"pulumi config set --secret {'--path ' if path else ''}{key}"
    return (
        f"{key} is stored in clear: take it out of the stack file, run `{command}`, and make a new one if "
        "the file was ever committed"
    )
