"""What the floor is told of a made-up deployment, and what counts as another registration."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.bench import chain, recording

SIGNATURE = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}


def _secret(value: Any) -> dict[str, Any]:
    return {**SIGNATURE, "plaintext": json.dumps(value)}


def _resource(kind: str, name: str, **state: Any) -> dict[str, Any]:
    custom = not kind.startswith("raya:")
    return {"urn": f"urn:{kind}::{name}", "type": kind, "custom": custom, "parent": "urn:stack", **state}


NETWORK = "hcloud:index/network:Network"
SERVER = "hcloud:index/server:Server"
KEY = "tls:index/privateKey:PrivateKey"
ACCOUNT = "gcp:serviceaccount/account:Account"


def _deployment() -> dict[str, Any]:
    return {
        "resources": [
            {"type": "pulumi:pulumi:Stack", "urn": "urn:stack", "outputs": {"token": _secret("t"), "n": [1]}},
            {"type": "pulumi:providers:hcloud", "urn": "urn:provider"},
            _resource("raya:cluster:Cluster", "raya", inputs={"files": {"/etc/hostName": "0a"}}),
            _resource(NETWORK, "network", id="7000001", inputs={"ipRange": "10.0.0.0/16"}),
            _resource(KEY, "key", id="key", inputs={}, outputs={"pem": _secret("PEM text")}),
            _resource(
                ACCOUNT,
                "dns",
                id="projects/p",
                inputs={"accountId": "a"},
                outputs={"email": "a@p.example.org"},
            ),
            _resource(
                SERVER,
                "agent",
                id="60000001",
                inputs={
                    "networks": [7000001],
                    "userData": _secret("told"),
                    "member": "serviceAccount:a@p.example.org",
                },
                dependencies=[f"urn:{NETWORK}::network", f"urn:{KEY}::key", f"urn:{ACCOUNT}::dns"],
                propertyDependencies={
                    "networks": [f"urn:{NETWORK}::network"],
                    "userData": [f"urn:{KEY}::key"],
                    "member": [f"urn:{ACCOUNT}::dns"],
                },
                additionalSecretOutputs=["userData"],
            ),
        ]
    }


def _entry(name: str) -> dict[str, Any]:
    recorded = recording.recorded(_deployment())
    (entry,) = [each for each in recorded["resources"] if each["name"] == name]
    return dict(entry)


def test_only_ids_and_outputs_are_no_constants() -> None:
    inputs = _entry("agent")["inputs"]
    reference = {"of": f"urn:{NETWORK}::network", "before": "", "after": "", "number": True}
    assert inputs["networks"] == [{"$output": "id", **reference}]
    assert inputs["user_data"] == {"$secret": "told"}
    assert inputs["member"]["before"] == "serviceAccount:"
    assert inputs["member"]["$output"] == "email"


def test_what_no_input_implies_is_depended_on_in_words() -> None:
    assert _entry("agent")["dependsOn"] == [f"urn:{KEY}::key"]


def test_inputs_of_a_component_keep_their_names() -> None:
    assert _entry("raya")["inputs"] == {"files": {"/etc/hostName": "0a"}}
    assert _entry("network")["inputs"] == {"ip_range": "10.0.0.0/16"}


def test_the_stack_and_the_providers_are_not_registered_but_its_outputs_are() -> None:
    recorded = recording.recorded(_deployment())
    assert [each["name"] for each in recorded["resources"]] == ["raya", "network", "key", "dns", "agent"]
    assert recorded["outputs"] == {"token": {"$secret": "t"}, "n": [1]}


def test_another_run_of_the_same_program_is_no_difference() -> None:
    other = copy.deepcopy(_deployment())
    network, server = other["resources"][3], other["resources"][-1]
    network["id"], server["inputs"]["networks"] = "7000002", [7000002]
    server["dependencies"].reverse()
    assert recording.differences(_deployment(), other) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"protect": True}, "protect"),
        ({"dependencies": []}, "dependencies"),
        ({"inputs": {"ipRange": "10.0.0.0/8"}}, "the input ipRange"),
        ({"inputs": {"ipRange": _secret("10.0.0.0/16")}}, "secret inputs"),
        ({"inputs": {}}, "names of inputs"),
        ({"urn": "urn:other::network"}, "is in one of them only"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_registered_alike_is_named(change: dict[str, Any], said: str) -> None:
    real, other = _deployment(), _deployment()
    real["resources"][3]["dependencies"] = ["urn:stack"]
    other["resources"][3] |= {"dependencies": ["urn:stack"], **change}
    assert any(said in sentence for sentence in recording.differences(real, other))


def test_a_chain_counts_creations_in_the_clouds_only() -> None:
    resources = recording.registered(_deployment())
    assert chain.longest(resources) == ["Network network", "Server agent"]
    assert len(chain.longest_forced(resources)) == 2


def test_a_chain_that_only_words_make_is_not_forced() -> None:
    deployment = _deployment()
    deployment["resources"][5]["dependencies"] = [f"urn:{NETWORK}::network"]
    resources = recording.registered(deployment)
    assert chain.longest(resources) == ["Network network", "Account dns", "Server agent"]
    assert len(chain.longest_forced(resources)) == 2
