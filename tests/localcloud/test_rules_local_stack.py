"""The local stack's configuration fits the official plugins, too, and names nothing but the local cloud."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pulumi_gcp.config
import pulumi_hcloud.config
import pytest
import yaml

from localcloud.services import SERVICES
from tests.cloud import PROJECT_ROOT


def _configuration() -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load((PROJECT_ROOT / "Pulumi.local.yaml").read_text())["config"]
    return config


@pytest.mark.parametrize(
    ("namespace", "module"), [("gcp", pulumi_gcp.config), ("hcloud", pulumi_hcloud.config)]
)
def test_the_local_stack_uses_keys_that_the_plugins_have(namespace: str, module: Any) -> None:
    known = set(
        re.findall(r"__config__\.\w+\('(\w+)'", (Path(module.__file__).parent / "vars.py").read_text())
    )
    used = {key.split(":")[1] for key in _configuration() if key.startswith(f"{namespace}:")}
    assert len(used) >= 3
    assert used <= known


def test_every_address_of_the_local_stack_is_the_local_clouds() -> None:
    config = _configuration()
    root = config["hcloud:endpoint"].removesuffix("/hcloud/v1")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", root)
    endpoints = {key: value for key, value in config.items() if key.endswith("CustomEndpoint")}
    prefixes = {service.prefix for service in SERVICES}
    # Go's clients cut the version off and add a path of their own: only this shape comes out right.
    assert all(re.fullmatch(r".*/[^/]+/", value) for value in endpoints.values())
    assert {value.removeprefix(root).removesuffix("/") for value in endpoints.values()} <= prefixes
    assert {
        f"gcp:{name}CustomEndpoint" for name in ("dns", "iamBeta", "resourceManager", "serviceUsage")
    } <= set(endpoints)
    assert endpoints["gcp:dnsCustomEndpoint"].endswith("/dns/v1/")
    assert len(endpoints) == 6
