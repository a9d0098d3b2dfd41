"""What each provider refuses before anything is called: asked as the engine asks it, without an engine."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pulumi.provider.experimental.provider import (
    CheckRequest,
    CheckResponse,
    ConfigureRequest,
    CreateRequest,
    DiffRequest,
    InvokeRequest,
)

from localcloud.plugins.gcp.provider import Gcp
from localcloud.plugins.hcloud.provider import Hcloud
from localcloud.plugins.provider import StandIn
from localcloud.plugins.random import Random
from localcloud.plugins.tls.provider import Tls
from localcloud.plugins.values import UNKNOWN, plain, plain_map, wrapped_map

NOBODY = "http://127.0.0.1:1"  # nothing listens there, and nothing may be called
CONFIG: dict[type[StandIn], dict[str, Any]] = {
    Hcloud: {"token": "t" * 64, "endpoint": f"{NOBODY}/v1"},
    Gcp: {
        "accessToken": "t",
        "project": "p",
        "dnsCustomEndpoint": f"{NOBODY}/dns/v1/",
        "iamBetaCustomEndpoint": f"{NOBODY}/v1/",
        "resourceManagerCustomEndpoint": f"{NOBODY}/v1/",
        "batching": '{"sendAfter": "0s"}',
        "defaultLabels": '{"team": "a"}',
    },
    Tls: {},
    Random: {},
}
NETWORK = "hcloud:index/network:Network"
SERVER = "hcloud:index/server:Server"


def _provider(kind: type[StandIn]) -> StandIn:
    made = kind()
    asyncio.run(made.configure(ConfigureRequest({}, wrapped_map(CONFIG[kind]), True, True)))
    return made


def _urn(token: str) -> str:
    return f"urn:pulumi:s::p::raya:cluster:Node${token}::thing"


def _check(
    kind: type[StandIn], token: str, inputs: dict[str, Any], old: dict[str, Any] | None = None
) -> CheckResponse:
    request = CheckRequest(_urn(token), wrapped_map(old or {}), wrapped_map(inputs), b"seed")
    return asyncio.run(_provider(kind).check(request))


@pytest.mark.parametrize(
    ("kind", "token", "inputs", "path", "words"),
    [
        (
            Hcloud,
            "hcloud:index/floatingIp:FloatingIp",
            {},
            "",
            "has no resource type 'hcloud:index/floatingIp",
        ),
        (Hcloud, NETWORK, {"ipRange": "10.0.0.0/8", "nope": 1}, "nope", "there is no property 'nope' here"),
        (Hcloud, NETWORK, {}, "ipRange", "is required and was not given"),
        (
            Hcloud,
            NETWORK,
            {"ipRange": "x", "labels": {"v": "1+2"}},
            "labels.v",
            "a label value is empty or has",
        ),
        (Hcloud, NETWORK, {"ipRange": "x", "labels": {"v/": ""}}, "labels.v/", "is no label key"),
        (
            Hcloud,
            "hcloud:index/volume:Volume",
            {"size": 10},
            "location",
            "exactly one of location and serverId",
        ),
        (Hcloud, SERVER, {"serverType": "cx23", "datacenter": "d"}, "datacenter", "is no longer supported"),
        (Hcloud, SERVER, {"serverType": "cx23", "publicNets": [{}, {}]}, "publicNets", "has 2 entries"),
        (Hcloud, "hcloud:index/serverNetwork:ServerNetwork", {"serverId": 1}, "networkId", "exactly one of"),
        (
            Hcloud,
            "hcloud:index/firewall:Firewall",
            {"rules": [{"direction": "in", "protocol": "tcp"}]},
            "rules[0].port",
            "is required for protocol tcp",
        ),
        (Hcloud, "hcloud:index/rdns:Rdns", {"dnsPtr": "a", "ipAddress": "b"}, "serverId", "exactly one of"),
        (
            Gcp,
            "gcp:serviceaccount/account:Account",
            {"accountId": "UPPER"},
            "accountId",
            "6 to 30 lower-case",
        ),
        (
            Gcp,
            "gcp:compute/instance:Instance",
            {},
            "",
            "has no resource type 'gcp:compute/instance:Instance'",
        ),
        (
            Gcp,
            "gcp:dns/managedZone:ManagedZone",
            {"dnsName": "a.", "peeringConfig": {"x": 1}},
            "peeringConfig",
            "is not something the local cloud does",
        ),
        (
            Gcp,
            "gcp:dns/recordSet:RecordSet",
            {"managedZone": "z", "name": "a.b", "type": "A", "rrdatas": ["192.0.2.1"]},
            "name",
            "ends with a dot",
        ),
        (
            Gcp,
            "gcp:dns/managedZone:ManagedZone",
            {"dnsName": "a.", "deletionPolicy": "KEEP"},
            "deletionPolicy",
            "must be one of",
        ),
        (Tls, "tls:index/privateKey:PrivateKey", {"algorithm": "DSA"}, "algorithm", "must be RSA, ECDSA"),
        (Random, "random:index/randomBytes:RandomBytes", {"length": 0}, "length", "must be at least 1"),
    ],
)
def test_refusals(kind: type[StandIn], token: str, inputs: dict[str, Any], path: str, words: str) -> None:
    failures = _check(kind, token, inputs).failures
    assert failures is not None
    assert [failure.property for failure in failures] == [path]
    assert words in failures[0].reason


def test_unknown_values_wait_for_the_update() -> None:
    token = "hcloud:index/serverNetwork:ServerNetwork"
    answer = _check(Hcloud, token, {"serverId": UNKNOWN, "subnetId": UNKNOWN, "ip": "10.0.1.10"})
    assert answer.failures is None


def test_names_are_filled_in_and_kept() -> None:
    first = _check(Hcloud, NETWORK, {"ipRange": "10.0.0.0/16"}).inputs
    assert first is not None
    assert str(plain(first["name"])).startswith("thing-")
    assert plain(first["__defaults"]) == ["name"]
    again = _check(Hcloud, NETWORK, {"ipRange": "10.0.0.0/16"}, {"name": "old-one", "__defaults": ["name"]})
    assert again.inputs is not None
    assert plain(again.inputs["name"]) == "old-one"
    # An explicit name that goes is not kept.
    fresh = _check(Hcloud, NETWORK, {"ipRange": "10.0.0.0/16"}, {"name": "mine"}).inputs
    assert fresh is not None
    assert plain(fresh["name"]) != "mine"


def test_a_secret_input_stays_one_in_check_and_preview() -> None:
    inputs = wrapped_map({"serverType": "cx23", "userData": "x", "name": "n"}, {"userData"})
    provider = _provider(Hcloud)
    checked = asyncio.run(provider.check(CheckRequest(_urn(SERVER), {}, inputs, b""))).inputs
    assert checked is not None
    assert checked["userData"].is_secret
    made = asyncio.run(provider.create(CreateRequest(_urn(SERVER), checked, 0, True)))
    assert made.properties["userData"].is_secret
    assert not made.properties["name"].is_secret
    assert plain(made.properties["ipv4Address"]) is UNKNOWN


def test_what_a_change_of_a_server_costs() -> None:
    state = {
        "name": "n",
        "serverType": "cx23",
        "image": "1",
        "userData": "a",
        "firewallIds": [1, 2],
        "labels": {},
    }
    same = {"name": "n", "serverType": "cx23", "image": "1", "userData": "a", "firewallIds": [2, 1]}
    in_place = {"serverType": "cx33", "labels": {"a": "b"}, "firewallIds": [1], "name": "m"}
    replaces = {"image": "2", "userData": "b", "sshKeys": ["k"], "location": "hel1"}
    provider = _provider(Hcloud)

    def diff(changed: dict[str, Any]) -> tuple[bool | None, list[str]]:
        request = DiffRequest(
            _urn(SERVER), "1", wrapped_map(state), wrapped_map({**same, **changed}), ignore_changes=[]
        )
        answer = asyncio.run(provider.diff(request))
        return answer.changes, answer.replaces

    assert diff({}) == (False, [])
    for name, value in in_place.items():
        assert diff({name: value}) == (True, []), name
    for name, value in replaces.items():
        assert diff({name: value}) == (True, [name]), name


def test_user_data_is_in_the_inputs_and_its_digest_in_the_outputs() -> None:
    # printf '#cloud-config' | openssl sha1 -binary | base64
    given, digest = "#cloud-config", "9sPmzwZu7u8+strUGnJb//9LpaU="
    inputs = {"name": "n", "serverType": "cx23", "userData": given}
    provider = _provider(Hcloud)
    request = CreateRequest(_urn(SERVER), wrapped_map(inputs), 0, True)
    made = asyncio.run(provider.create(request))
    assert plain(made.properties["userData"]) == digest
    for user_data, changes in ((given, False), ("#cloud-config ", True)):
        request = DiffRequest(
            _urn(SERVER),
            "1",
            wrapped_map({**inputs, "userData": digest}),
            wrapped_map({**inputs, "userData": user_data}),
            ignore_changes=[],
        )
        assert asyncio.run(provider.diff(request)).changes is changes


def test_functions_refuse_by_name() -> None:
    request = InvokeRequest("hcloud:index/getCertificates:getCertificates", {})
    failures = asyncio.run(_provider(Hcloud).invoke(request)).failures
    assert "the stand-in for hcloud has no function 'hcloud:index/getCertificates" in failures[0].reason
    request = InvokeRequest("hcloud:index/getImage:getImage", wrapped_map({"nmae": "x"}))
    failures = asyncio.run(_provider(Hcloud).invoke(request)).failures
    assert [failure.property for failure in failures] == ["nmae"]


def test_configuration_objects_come_as_json() -> None:
    assert plain_map(wrapped_map(CONFIG[Gcp]))["batching"].startswith("{")
    _provider(Gcp)
    request = CheckRequest(_urn("x"), {}, wrapped_map({**CONFIG[Gcp], "acessToken": "t"}), b"")
    failures = asyncio.run(Gcp().check_config(request)).failures
    assert failures is not None
    assert [failure.property for failure in failures] == ["acessToken"]
