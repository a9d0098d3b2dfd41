"""Canaries: no secret shows in anything that a person or a CI log would see of a run."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from raya import tokens
from tests.cloud import RunningCloud
from tests.e2e.engine import Engine

CSI_CANARY = "canary0123456789" * 4
GIT_CANARY = "git-canary-9876543210"


@pytest.fixture(scope="module")
def secrets(engine: Engine) -> dict[str, str]:
    """Every secret of the stack in clear, by what it is; long ones by one line in their middle."""
    engine.fleet({}, {})
    engine.configure("raya:hcloudCsiToken", CSI_CANARY, secret=True)
    engine.configure("raya:gitops.token", GIT_CANARY, secret=True)
    engine.up()
    state = json.loads(engine.pulumi("stack", "export", "--show-secrets").stdout)
    found = dict(_of_resources(state["deployment"]["resources"]))
    outputs = engine.outputs(secrets=True)
    (user,) = yaml.safe_load(outputs["kubeconfig"])["users"]
    return {
        **found,
        "CSI token": CSI_CANARY,
        "Git token": GIT_CANARY,
        "join token": outputs["joinToken"],
        "administrator's key": user["user"]["client-key-data"],
    }


def _of_resources(resources: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for each in resources:
        kind, outputs = each["type"].split(":")[-1], each.get("outputs", {})
        name = each["urn"].split("::")[-1]
        if kind == "RandomPassword":
            secret = _clear(outputs["result"])
            yield f"{kind} {name}", secret
            if name == "node-password-seed":
                yield "node password", tokens.node_password(secret, "agent-0")
        elif kind == "PrivateKey":
            yield f"{kind} {name}", _middle(_clear(outputs["privateKeyPem"]))
        elif kind == "Key":
            key_file = base64.b64decode(_clear(outputs["privateKey"])).decode()
            yield f"{kind} {name}", _middle(json.loads(key_file)["private_key"])
        elif kind == "Server":
            user_data = _clear(each["inputs"]["userData"])
            yield f"user data of {name}", user_data[len(user_data) // 2 :][:60]


def _clear(secret: dict[str, str]) -> str:
    return str(json.loads(secret["plaintext"]))


def _middle(pem: str) -> str:
    lines = pem.splitlines()
    return lines[len(lines) // 2]


@pytest.fixture(scope="module")
def shown(engine: Engine, secrets: dict[str, str]) -> dict[str, str]:
    """What each command prints and leaves behind, on the way to an update of every machine."""
    assert len(secrets) >= 17
    (engine.folder / "butane" / "overlay" / "common" / "etc" / "canary.conf").write_text("x = 1\n")
    log = engine.folder / "events.json"
    printed = {
        "preview": _all(engine.preview()),
        "preview --diff": _all(engine.preview("--diff")),
        "preview --json": _all(engine.preview("--json")),
        "verbose preview": _all(engine.preview("--logtostderr", "-v=9")),
        "up": _all(engine.up("--event-log", str(log))),
        "plain outputs": _all(engine.pulumi("stack", "output")) + json.dumps(engine.outputs()),
        "exported state": engine.export(),
        "history": _all(engine.pulumi("stack", "history", "--json")),
    }
    files = [path for path in (engine.folder / ".state").rglob("*") if path.is_file()]
    assert files
    return {
        **printed,
        "event log": log.read_text(),
        "state files": "".join(path.read_text(errors="replace") for path in files),
    }


def _all(ran: Any) -> str:
    return str(ran.stdout + ran.stderr)


def test_no_secret_shows_anywhere(shown: dict[str, str], secrets: dict[str, str]) -> None:
    forms = {(name, form) for name, secret in secrets.items() for form in (secret, _base64(secret))}
    leaks = {(where, name) for where, text in shown.items() for name, form in forms if form in text}
    assert leaks == set()


def _base64(secret: str) -> str:
    return base64.b64encode(secret.encode()).decode().rstrip("=")


def test_a_diff_names_the_file_that_changed(shown: dict[str, str]) -> None:
    assert "/etc/canary.conf" in shown["preview --diff"]


def test_user_data_is_secret_in_inputs_and_outputs(engine: Engine, shown: dict[str, str]) -> None:
    servers = [each for each in engine.resources() if each["type"] == "hcloud:index/server:Server"]
    assert len(servers) == 3
    for server in servers:
        assert "ciphertext" in server["inputs"]["userData"]
        assert "ciphertext" in server["outputs"]["userData"]


def test_an_agent_is_told_no_secret_but_its_own(cloud: RunningCloud, secrets: dict[str, str]) -> None:
    agent = cloud.ignition_text("agent-0")
    allowed = {"join token", "node password", "RandomPassword join-token", "user data of agent-0"}
    assert {name for name, secret in secrets.items() if secret in agent} <= allowed
    assert secrets["join token"] in agent


def test_no_rendered_text_holds_an_output_object(cloud: RunningCloud, shown: dict[str, str]) -> None:
    for name in ("control-plane", "agent-0", "agent-1"):
        text = cloud.ignition_text(name)
        assert "k3s" in text
        assert "pulumi.output.Output" not in text
        assert "Calling __str__" not in text
