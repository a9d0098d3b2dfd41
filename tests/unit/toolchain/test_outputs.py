"""How `make up` ends."""

from __future__ import annotations

from toolchain import outputs


def test_nested_outputs_become_lines_and_secrets_stay_hidden() -> None:
    found = {
        "nameServers": ["a.", "b."],
        "kubeconfig": "[secret]",
        "agents": {"agent-1": {"publicIp": "203.0.113.2"}, "agent-0": {"publicIp": "203.0.113.1"}},
        "machineConfigDigests": {"agent-0": {"/etc/hostname": "17ce"}, "agent-1": {}},
    }
    assert [line.split(maxsplit=1) for line in outputs.lines(found)] == [
        ["agents.agent-0.publicIp", "203.0.113.1"],
        ["agents.agent-1.publicIp", "203.0.113.2"],
        ["kubeconfig", "[secret]"],
        ["machineConfigDigests", "of 2 machines: `pulumi stack output machineConfigDigests`"],
        ["nameServers", "a. b."],
    ]


def test_no_outputs_are_no_lines() -> None:
    assert list(outputs.lines({})) == []
