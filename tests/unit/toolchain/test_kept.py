"""What `make down` says about what stays."""

from __future__ import annotations

from typing import Any

from toolchain import kept


def deployment(*resources: dict[str, Any]) -> dict[str, Any]:
    return {"version": 3, "deployment": {"resources": list(resources)}}


def test_protected_resources_are_named_by_type_and_name_only() -> None:
    volume = "urn:pulumi:local::raya::raya:cluster:ControlPlane$hcloud:index/volume:Volume::control-plane"
    stack = "urn:pulumi:local::raya::pulumi:pulumi:Stack::raya-local"
    exported = deployment({"urn": stack}, {"urn": volume, "protect": True, "inputs": {"size": "canary"}})
    assert kept.protected(exported) == ["hcloud:index/volume:Volume control-plane"]
    sentence = kept.sentence(kept.protected(exported))
    assert "Volume control-plane" in sentence
    assert "make purge" in sentence
    assert "canary" not in sentence


def test_an_empty_stack_keeps_nothing() -> None:
    assert kept.protected({"version": 3, "deployment": {}}) == []
    assert kept.sentence([]) == "Nothing is protected: the stack is empty."
