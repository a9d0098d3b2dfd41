"""The declarations of hcloud, random and tls against their published schemas."""

from __future__ import annotations

import pytest

from localcloud.plugins.resource import Function, Resource
from tests.localcloud.plugins.tables import FUNCTIONS, OF_SCHEMA, RESOURCES, described, schema, spelled

# The schema carries no flag for these; cloud-side rules of the providers' own sources.
REPLACES_WITHOUT_A_FLAG = {
    "ServerNetwork": {"serverId", "networkId", "subnetId", "ip"},
    "SshKey": {"publicKey"},
    "PrimaryIp": {"type", "location", "datacenter"},
    "Rdns": {"serverId", "primaryIpId", "floatingIpId", "loadBalancerId", "ipAddress"},
}
CHANGES_IN_PLACE = {"earlyRenewalHours"}


def test_everything_the_program_may_use_is_declared() -> None:
    assert {name: len(kinds) for name, kinds in RESOURCES.items()} == {
        "hcloud": 12,
        "gcp": 5,
        "random": 4,
        "tls": 4,
    }
    assert {name: len(kinds) for name, kinds in FUNCTIONS.items()} == {"hcloud": 11, "gcp": 3}


@pytest.mark.parametrize(("package", "kind"), OF_SCHEMA)
def test_inputs(package: str, kind: type[Resource]) -> None:
    loaded = schema(package)
    published = loaded["resources"][kind.token]
    inputs = published["inputProperties"]
    assert {name: spelled(field.type) for name, field in kind.inputs.items()} == {
        name: described(spec, loaded) for name, spec in inputs.items()
    }
    required = {name for name, field in kind.inputs.items() if field.required}
    assert required == set(published.get("requiredInputs", []))
    secret = {name for name, field in kind.inputs.items() if field.secret}
    assert secret == {name for name, spec in inputs.items() if spec.get("secret")}


@pytest.mark.parametrize(("package", "kind"), OF_SCHEMA)
def test_outputs(package: str, kind: type[Resource]) -> None:
    loaded = schema(package)
    published = loaded["resources"][kind.token]["properties"]
    declared = {**kind.inputs, **kind.outputs}
    assert {name: spelled(field.type) for name, field in declared.items()} == {
        name: described(spec, loaded) for name, spec in published.items()
    }
    secret = {name for name, field in declared.items() if field.secret}
    assert secret == {name for name, spec in published.items() if spec.get("secret")}


@pytest.mark.parametrize(("package", "kind"), OF_SCHEMA)
def test_what_replaces(package: str, kind: type[Resource]) -> None:
    inputs = schema(package)["resources"][kind.token]["inputProperties"]
    replaces = {name for name, field in kind.inputs.items() if field.replaces}
    flagged = {
        name
        for name, spec in inputs.items()
        if spec.get("willReplaceOnChanges") or spec.get("replaceOnChanges")
    }
    if package == "hcloud":
        assert replaces == flagged | REPLACES_WITHOUT_A_FLAG.get(kind.kind(), set())
    else:
        # random and tls: every input replaces, upstream, but for the one that only moves a renewal.
        assert replaces == set(inputs) - CHANGES_IN_PLACE


@pytest.mark.parametrize("kind", FUNCTIONS["hcloud"])
def test_functions(kind: type[Function]) -> None:
    loaded = schema("hcloud")
    published = loaded["functions"][kind.token]
    for declared, side in ((kind.inputs, "inputs"), (kind.outputs, "outputs")):
        assert {name: spelled(field.type) for name, field in declared.items()} == {
            name: described(spec, loaded)
            for name, spec in published.get(side, {}).get("properties", {}).items()
        }


def test_provider_configuration() -> None:
    from localcloud.plugins.hcloud.provider import Hcloud
    from localcloud.plugins.tls.provider import Tls

    hcloud, tls = schema("hcloud"), schema("tls")
    for provider, package in ((Hcloud, hcloud), (Tls, tls)):
        published = package["provider"]["inputProperties"]
        assert {name: spelled(field.type) for name, field in provider.config_fields.items()} == {
            name: described(spec, package) for name, spec in published.items()
        }
