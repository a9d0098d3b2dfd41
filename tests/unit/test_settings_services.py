"""Machines and services. Each is refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.example_stack import problems

# One row: what is set, and what the sentence says.
REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    # Machines.
    ({"raya:controlPlane": {"volumeSizeGb": 9}}, ["raya:controlPlane.volumeSizeGb is 9", "10 to 10240 GB"]),
    ({"raya:controlPlane": {"volumeSizeGb": 10241}}, ["is 10241", "10 to 10240 GB"]),
    (
        {"raya:controlPlane": {"volumeSizeGb": "20"}},
        ["raya:controlPlane.volumeSizeGb", 'the text "20"', "without quotes"],
    ),
    ({"raya:controlPlane": {"volumeSizeGb": True}}, ["the boolean true", "whole number"]),
    ({"raya:controlPlane": {"volumeSizeGb": 20.5}}, ["the number 20.5", "whole number"]),
    ({"raya:controlPlane": {"serverType": "CX 23"}}, ['raya:controlPlane.serverType is "CX 23"', "cx23"]),
    ({"raya:agents": {"serverType": True}}, ["raya:agents.serverType", "the boolean true", "quotes"]),
    ({"raya:agents": []}, ["raya:agents is a list", "an object"]),
    # Services.
    ({"raya:acme": {"email": "admin"}}, ['raya:acme.email is "admin"', "e-mail"]),
    (
        {"raya:acme": {"email": "a@example.org", "server": "http://acme.example.org"}},
        ["raya:acme.server", "https"],
    ),
    (
        {"raya:gitops": {"url": "git@github.com:octocat/raya.git"}},
        ["raya:gitops.url", "https://github.com/octocat/raya.git"],
    ),
    (
        {"raya:gitops": {"url": "ssh://git@github.com/octocat/raya"}},
        ["raya:gitops.url", "https://github.com/octocat/raya"],
    ),
    ({"raya:gitops": {"url": "http://github.com/octocat/raya"}}, ["raya:gitops.url", "https://"]),
    ({"raya:gitops": {"url": "https://github.com"}}, ["does not name a repository"]),
    ({"raya:gitops": {"url": "https://github.com/o/r", "path": "/deploy"}}, ["raya:gitops.path", "./deploy"]),
    ({"raya:gitops": {"url": "https://github.com/o/r", "path": "./../x"}}, ["inside the repository"]),
    ({"raya:gitops": {"url": "https://github.com/o/r", "branch": "a..b"}}, ["raya:gitops.branch"]),
    (
        {"raya:gitops": {"url": "https://github.com/o/r", "branch": False}},
        ["raya:gitops.branch", "the boolean false"],
    ),
    ({"raya:components": {"flux": "false"}}, ['raya:components.flux is "false"', "without quotes"]),
    ({"raya:components": ["flux"]}, ["raya:components", "object"]),
    ({"raya:endpoints": {"github": "http://github.com"}}, ["raya:endpoints.github", "https"]),
]


@pytest.mark.parametrize(("changes", "parts"), REFUSED, ids=range(len(REFUSED)))
def test_refused_in_one_sentence(changes: dict[str, Any], parts: list[str]) -> None:
    sentences = problems(changes)
    assert len(sentences) == 1, sentences
    assert "\n" not in sentences[0]
    for part in parts:
        assert part in sentences[0]
