"""A complete configuration that the settings accept, for tests to spoil in one place."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from raya.settings import Settings, SettingsError

CSI_TOKEN = "c" * 64
HCLOUD_TOKEN = "h" * 64
CONFIG: Mapping[str, str] = {
    "gcp:project": "example-dns",
    "hcloud:token": HCLOUD_TOKEN,
    "raya:clusterName": "prod",
    "raya:authorizedUsers": '["alice"]',
    "raya:dnsParentZone": "example.org",
    "raya:clusterManagedSubdomain": "k8s",
    "raya:acme": '{"email":"admin@example.org"}',
    "raya:gitops": '{"url":"https://github.com/octocat/raya"}',
    "raya:firewall": '{"sshSources":["203.0.113.7/32"]}',
    "raya:hcloudCsiToken": CSI_TOKEN,
    "raya:fleet": "[{},{}]",
}
SECRET_KEYS = frozenset({"hcloud:token", "raya:hcloudCsiToken"})
NOWHERE = Path("/nonexistent")


def config_with(changes: Mapping[str, Any]) -> dict[str, str]:
    """``CONFIG`` with some keys set (lists and objects become JSON) or, by ``None``, left out."""
    config = {**CONFIG, **{key: _text(value) for key, value in changes.items()}}
    return {key: text for key, text in config.items() if changes.get(key, "") is not None}


def load(
    changes: Mapping[str, Any] | None = None,
    *,
    secret_keys: Collection[str] = SECRET_KEYS,
    root: Path = NOWHERE,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of ``config_with(changes)``."""
    return Settings.load(
        config_with(changes or {}), secret_keys=secret_keys, root=root, environment=environment or {}
    )


def problems(changes: Mapping[str, Any], **how: Any) -> tuple[str, ...]:
    """The sentences with which ``load`` refuses; none when it accepts."""
    try:
        load(changes, **how)
    except SettingsError as error:
        return error.problems
    return ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
