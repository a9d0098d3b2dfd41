"""Keys that are unknown, missing, in clear or of another kind. Each is refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from raya.stack_values import KEYS
from tests.unit import test_settings_names, test_settings_network, test_settings_services
from tests.unit.example_stack import problems

# One row: what is set, and what the sentence says.
REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    # Unknown keys, with the nearest name.
    ({"raya:clustrName": "x"}, ["raya:clustrName", "not a key of raya", "did you mean clusterName?"]),
    ({"raya:FleetFile": "x"}, ["raya:FleetFile", "did you mean fleetFile?"]),
    ({"raya:gcpProject": "x"}, ["raya:gcpProject", "not a key of raya"]),
    ({"raya:zzz": "x"}, ["raya:zzz", "known here: clusterName, location"]),
    (
        {"raya:controlPlane": {"volumeSizeGB": 20}},
        ["raya:controlPlane.volumeSizeGB", "did you mean volumeSizeGb?"],
    ),
    ({"raya:network": {"subnet": "10.0.1.0/24"}}, ["raya:network.subnet", "nodesSubnet"]),
    (
        {"raya:firewall": {"sshSources": [], "sshsource": []}},
        ["raya:firewall.sshsource", "did you mean sshSources?"],
    ),
    (
        {"raya:components": {"certmanager": True}},
        ["raya:components.certmanager", "did you mean cert-manager?"],
    ),
    # Missing ones.
    ({"raya:clusterName": None}, ["raya:clusterName is missing", "pulumi config set raya:clusterName"]),
    ({"raya:authorizedUsers": None}, ["raya:authorizedUsers is missing", "no machine is made without a key"]),
    ({"raya:dnsParentZone": None}, ["raya:dnsParentZone is missing"]),
    ({"raya:clusterManagedSubdomain": None}, ["raya:clusterManagedSubdomain is missing"]),
    ({"raya:firewall": None}, ["raya:firewall is missing", "[] lets nobody in", "tunnel", "0.0.0.0/0"]),
    (
        {"raya:firewall": {}},
        ["raya:firewall.sshSources is missing", "[] lets nobody in", "tunnel", "0.0.0.0/0"],
    ),
    ({"raya:acme": {}}, ["raya:acme.email: it is missing", "components.cert-manager"]),
    ({"raya:gitops": {"branch": "main"}}, ["raya:gitops.url: it is missing", "components.flux"]),
    (
        {"raya:hcloudCsiToken": None},
        ["raya:hcloudCsiToken", "pulumi config set --secret raya:hcloudCsiToken"],
    ),
    ({"gcp:project": None}, ["gcp:project is missing", "pulumi config set gcp:project"]),
    (
        {"hcloud:token": None},
        ["hcloud:token is missing", "pulumi config set --secret hcloud:token", "HCLOUD_TOKEN"],
    ),
    # Secrets.
    ({"raya:hcloudCsiToken": "short"}, ["raya:hcloudCsiToken", "exactly 64"]),
    ({"hcloud:token": "short"}, ["hcloud:token", "exactly 64"]),
    (
        {"gcp:credentials": "{}"},
        ["gcp:credentials is stored in clear", "pulumi config set --secret gcp:credentials"],
    ),
    # Text that is not JSON where an object belongs.
    ({"raya:network": "10.0.0.0/16"}, ["raya:network", "a list or an object"]),
    ({"raya:network": ""}, ["raya:network", "a list or an object"]),
    ({"raya:network": '{"range":"10.0.0.0/16","range":"10.1.0.0/16"}'}, ['raya:network gives "range" twice']),
    ({"raya:controlPlane": '{"volumeSizeGb": NaN}'}, ["NaN is not a JSON value"]),
]


@pytest.mark.parametrize(("changes", "parts"), REFUSED, ids=range(len(REFUSED)))
def test_refused_in_one_sentence(changes: dict[str, Any], parts: list[str]) -> None:
    sentences = problems(changes)
    assert len(sentences) == 1, sentences
    assert "\n" not in sentences[0]
    for part in parts:
        assert part in sentences[0]


def test_every_key_has_its_refusals() -> None:
    tables = (
        REFUSED,
        test_settings_names.REFUSED,
        test_settings_network.REFUSED,
        test_settings_services.REFUSED,
    )
    refused = {key for table in tables for changes, _ in table for key in changes}
    assert len(KEYS) == 19
    assert {f"raya:{key}" for key in KEYS} <= refused
