"""How the settings refuse: everything at once, one line each, and nothing secret in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raya.settings import SettingsError
from tests.unit.example_stack import CSI_TOKEN, SECRET_KEYS, load, problems


def test_independent_problems_come_together() -> None:
    sentences = problems(
        {
            "raya:clusterName": "A",
            "raya:location": "moon",
            "raya:typo": "x",
            "raya:controlPlane": {"serverType": 1, "volumeSizeGb": 1},
            "raya:network": {"range": "10.1.0.0/16", "route": "192.168.0.0/16"},
            "raya:fleet": [1, {"location": "mars"}],
            "raya:authorizedUsers": ["@a", "@b"],
            "hcloud:token": None,
        }
    )
    assert len(sentences) == 12, sentences


def test_one_bad_key_does_not_bring_a_wave_of_others() -> None:
    assert len(problems({"raya:network": "nonsense", "raya:fleet": [None] * 300 + [{}]})) == 1
    assert len(problems({"raya:components": {"flux": "no"}, "raya:gitops": None})) == 1


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({}, "pulumi config set --secret raya:hcloudCsiToken"),
        (
            {"raya:gitops": {"url": "https://github.com/o/r", "token": "canary-7f3a"}},
            "pulumi config set --secret --path raya:gitops.token",
        ),
        ({}, "pulumi config set --secret hcloud:token"),
    ],
)
def test_a_secret_in_clear_is_refused_with_the_command(changes: dict[str, Any], command: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        load(changes, secret_keys=())
    assert f"`{command}`" in str(refusal.value)
    assert "canary-7f3a" not in str(refusal.value)
    assert CSI_TOKEN not in str(refusal.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"raya:hcloudCsiToken": "canary-7f3a"},
        {"hcloud:token": "canary-7f3a"},
        {"raya:gitops": {"url": "https://canary-7f3a@github.com/o/r"}},
        {"raya:gitops": {"url": "https://user:canary-7f3a@github.com/o/r"}},
        {"raya:gitops": {"url": "https://github.com/o/r", "token": ["canary-7f3a"]}},
        {"raya:gitops": {"url": "https://github.com/o/r", "token": "canary-7f3a "}},
        {"raya:gitops": "canary-7f3a"},
        {"raya:gitops": ["canary-7f3a"]},
        {"raya:clusterName": "Canary-7f3a canary-7f3a"},
    ],
)
def test_no_secret_in_a_sentence(changes: dict[str, Any]) -> None:
    secret_keys = SECRET_KEYS | {"raya:gitops", "raya:clusterName"}
    sentences = problems(changes, secret_keys=secret_keys)
    assert sentences
    assert "canary-7f3a" not in "".join(sentences)


def test_the_whole_error_is_text_for_a_terminal() -> None:
    with pytest.raises(SettingsError, match=r"the configuration is refused:\n  raya:location is"):
        load({"raya:location": "moon"})


def test_a_sentence_stays_on_its_line() -> None:
    (sentence,) = problems({"raya:controlPlane": {"a\nb\x1b[2J": 1}})
    assert r"raya:controlPlane.a\nb\x1b[2J is not a key of raya" in sentence


def test_the_text_of_the_error_has_the_first_20_problems() -> None:
    with pytest.raises(SettingsError) as refusal:
        load({"raya:authorizedUsers": ["@"] * 20_000})
    head, *lines = str(refusal.value).splitlines()
    assert head == "the configuration is refused for 20000 reasons:"
    assert len(lines) == 21
    assert lines[20] == "  and 19980 more"


@pytest.mark.parametrize(
    "changes",
    [
        {"raya:location": "x" * 100_000},
        {f"raya:{'x' * 100_000}": "x"},
        {"raya:network": {"x" * 100_000: "x"}},
        {"raya:components": {"x" * 100_000: True}},
        {"raya:fleet": None, "raya:fleetFile": "x" * 100_000},
        {"raya:clusterManagedSubdomain": "x" * 100_000},
        {"raya:gitops": {"url": f"git@github.com:{'x' * 100_000}"}},
        {"raya:serverNamePrefix": "x" * 100_000, "raya:fleet": [{}]},
        {"raya:controlPlane": '{"volumeSizeGb": ' + "[" * 90 + "]" * 90 + "}"},
    ],
    ids=range(9),
)
def test_a_long_value_is_not_repeated_whole(changes: dict[str, Any]) -> None:
    sentences = problems(changes)
    assert sentences
    assert max(len(sentence) for sentence in sentences) < 1600


def test_a_fleet_file_behind_a_link_out_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text('{"agents": []}')
    project = tmp_path / "project"
    project.mkdir()
    (project / "inside.json").write_text('{"agents": [{}]}')
    (project / "out.json").symlink_to(tmp_path / "outside.json")
    (project / "in.json").symlink_to("inside.json")
    assert len(load({"raya:fleet": None, "raya:fleetFile": "in.json"}, root=project).fleet.agents) == 1
    (sentence,) = problems({"raya:fleet": None, "raya:fleetFile": "out.json"}, root=project)
    assert 'raya:fleetFile is "out.json": it must be a path inside the project' in sentence
