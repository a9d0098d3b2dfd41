"""Machines and services. Each is refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.example_stack import SECRET_KEYS, problems

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
    (
        {"raya:gitops": {"url": "https://github.com/o/r\u200b"}},
        ["raya:gitops.url", "ASCII without white space and control characters"],
    ),
    ({"raya:acme": {"email": "ädmin@example.org"}}, ["raya:acme.email", "e-mail"]),
    ({"raya:components": {"flux": "false"}}, ['raya:components.flux is "false"', "without quotes"]),
    ({"raya:components": ["flux"]}, ["raya:components", "object"]),
    ({"raya:endpoints": {"github": "http://github.com"}}, ["raya:endpoints.github", "https"]),
    ({"raya:limits": {"servers": 0}}, ["raya:limits.servers", "a whole number above zero"]),
    ({"raya:limits": {"server": 10}}, ["raya:limits", "servers"]),
]


INVISIBLE = ["\0", "\x1b", "\x7f", "\x85", "\u2028", "\u202e", "\u200b", "\ufeff", "\ud800"]


@pytest.mark.parametrize("sign", INVISIBLE, ids=ascii)
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("acme", {"email": "admin{}@example.org"}),
        ("acme", {"email": "admin@exam{}ple.org"}),
        ("acme", {"email": "admin@example.org", "server": "https://acme.example.org/{}"}),
        ("endpoints", {"github": "https://git{}hub.com"}),
        ("gitops", {"url": "https://github.com/o/r{}"}),
        ("gitops", {"url": "https://github.com/o/r", "branch": "ma{}in"}),
        ("gitops", {"url": "https://github.com/o/r", "path": "./dep{}loy"}),
        ("gitops", {"url": "https://github.com/o/r", "token": "canary-{}7f3a"}),
        ("hcloudCsiToken", "canary-{}" + "7" * 56),
        ("dnsZones", ["apps{}.example.org"]),
        ("authorizedUsers", ["ali{}ce"]),
        ("components", {"flux{}": True}),
        ("components", {"flux": "{}"}),
    ],
)
def test_invisible_characters_are_refused(sign: str, key: str, value: Any) -> None:
    sentences = problems({f"raya:{key}": _with(sign, value)}, secret_keys=SECRET_KEYS | {"raya:gitops"})
    assert len(sentences) == 1, sentences
    assert sentences[0].startswith(f"raya:{key}")
    assert sentences[0].isprintable()
    assert "canary" not in sentences[0]


def _with(sign: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {_with(sign, name): _with(sign, part) for name, part in value.items()}
    if isinstance(value, list):
        return [_with(sign, part) for part in value]
    return value.replace("{}", sign) if isinstance(value, str) else value


@pytest.mark.parametrize(
    "gitops",
    [
        "canary",
        '"canary"',
        '{"token": "canary\\ud800"}',
        '{"token": "canary"',
        {"url": "ssh://git:canary@github.com/o/r"},
        {"url": "http://canary@github.com/o/r"},
        {"url": "https://canary@git hub.com/o/r"},
        {"url": "https://:canary@/o/r"},
        {"url": "https://github.com/o/r?access_token=canary"},
        {"url": "canary@github.com:o/r"},
    ],
)
def test_a_token_in_the_wrong_place_is_not_repeated(gitops: Any) -> None:
    sentences = problems({"raya:gitops": gitops})
    assert len(sentences) == 1, sentences
    assert "canary" not in sentences[0]


@pytest.mark.parametrize(("changes", "parts"), REFUSED, ids=range(len(REFUSED)))
def test_refused_in_one_sentence(changes: dict[str, Any], parts: list[str]) -> None:
    sentences = problems(changes)
    assert len(sentences) == 1, sentences
    assert "\n" not in sentences[0]
    for part in parts:
        assert part in sentences[0]
