"""Reading a stack without the engine: the same mapping as the engine's, with placeholders for secrets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from raya import stack_file
from raya.settings import Settings
from raya.stack_file import SECRET_PLACEHOLDER, StackFileError

ROOT = Path(__file__).parents[2]
PROJECT = """
name: raya
config:
  raya:location:
    type: string
    default: hel1
  raya:controlPlane:
    type: object
    default: {serverType: cx23, volumeSizeGb: 10}
  raya:clusterName:
    type: string
  raya:dnsZones:
    type: array
    items: {type: string}
    default: []
  raya:serverNamePrefix:
    type: string
    default: ""
"""

Load = Callable[..., tuple[dict[str, str], frozenset[str]]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load_stack(stack: str, project: str = PROJECT) -> tuple[dict[str, str], frozenset[str]]:
        (tmp_path / "Pulumi.yaml").write_text(project)
        (tmp_path / "Pulumi.dev.yaml").write_text(stack)
        return stack_file.load(tmp_path, "dev")

    return load_stack


def test_defaults_of_the_project(load: Load) -> None:
    config, secret_keys = load("config: {}")
    assert config == {
        "hcloud:token": SECRET_PLACEHOLDER,
        "raya:hcloudCsiToken": SECRET_PLACEHOLDER,
        "raya:location": "hel1",
        "raya:controlPlane": '{"serverType":"cx23","volumeSizeGb":10}',
        "raya:dnsZones": "[]",
        "raya:serverNamePrefix": "",
    }
    assert secret_keys == {"hcloud:token", "raya:hcloudCsiToken"}


@pytest.mark.parametrize("stack", ["", "config:\n", "encryptionsalt: v1:x\n"])
def test_a_stack_file_may_say_nothing(load: Load, stack: str) -> None:
    assert load(stack)[0]["raya:location"] == "hel1"


def test_an_object_replaces_the_whole_default(load: Load) -> None:
    config, _ = load("config:\n  raya:controlPlane: {serverType: cpx22}\n  raya:location: nbg1\n")
    assert config["raya:controlPlane"] == '{"serverType":"cpx22"}'
    assert config["raya:location"] == "nbg1"


def test_secrets_become_placeholders(load: Load) -> None:
    config, secret_keys = load(
        "config:\n"
        "  gcp:credentials: {secure: v1:abc}\n"
        "  raya:gitops: {url: https://github.com/o/r, token: {secure: v1:def}}\n"
        "  raya:fleet: [{}, null, {serverType: {secure: v1:ghi}}]\n"
        "  raya:acme: {secure: v1:jkl, email: x}\n"
    )
    assert config["gcp:credentials"] == SECRET_PLACEHOLDER
    assert json.loads(config["raya:gitops"]) == {"url": "https://github.com/o/r", "token": SECRET_PLACEHOLDER}
    assert json.loads(config["raya:fleet"]) == [{}, None, {"serverType": SECRET_PLACEHOLDER}]
    assert json.loads(config["raya:acme"]) == {"secure": "v1:jkl", "email": "x"}
    assert secret_keys == {
        "gcp:credentials",
        "raya:gitops",
        "raya:fleet",
        "hcloud:token",
        "raya:hcloudCsiToken",
    }


def test_the_placeholder_passes_for_a_hetzner_token() -> None:
    assert len(SECRET_PLACEHOLDER) == 64


# What `pulumi config` of release 3.274.1 shows for the same lines.
ENGINE = [
    ("yes", "yes"),
    ("off", "off"),
    ("True", "true"),
    ("010", "8"),
    ("0o10", "8"),
    ("0x1F", "31"),
    ("1_000", "1000"),
    ("1.10", "1.1"),
    ("1e3", "1000"),
    ("12:30:45", "12:30:45"),
    ("", ""),
    ('"true"', "true"),
    (
        "{a: yes, b: 1.10, c: 010, d: null, f: 1e3, h: 1.0, 5: x}",
        '{"5":"x","a":"yes","b":1.1,"c":8,"d":null,"f":1000,"h":1}',
    ),
]


@pytest.mark.parametrize(("written", "text"), ENGINE)
def test_values_are_read_as_the_engine_reads_them(load: Load, written: str, text: str) -> None:
    assert load(f"config:\n  raya:x: {written}\n")[0]["raya:x"] == text


@pytest.mark.parametrize("key", ["clusterName", "raya:clusterName", "raya:config:clusterName"])
def test_older_spellings_of_a_key(load: Load, key: str) -> None:
    assert load(f"config:\n  {key}: prod\n")[0]["raya:clusterName"] == "prod"


def test_a_stack_that_is_not_there(load: Load, tmp_path: Path) -> None:
    load("config: {}")
    with pytest.raises(
        StackFileError, match=r"there is no stack file .*Pulumi\.prod\.yaml; stacks here: dev"
    ):
        stack_file.load(tmp_path, "prod")


@pytest.mark.parametrize(
    ("stack", "reason"),
    [
        ("config:\n  raya:a: 1\n  raya:a: 2\n", '"raya:a" stands there twice, again in line 3'),
        ("config: [", "is not YAML"),
        ("- a\n", "must hold an object of keys"),
        ("config: [a]\n", "config must be an object of keys"),
        ("environment: [prod]\nconfig: {}\n", "takes values from Pulumi ESC environments"),
    ],
)
def test_a_malformed_stack_file(load: Load, stack: str, reason: str) -> None:
    with pytest.raises(StackFileError, match=r"Pulumi\.dev\.yaml") as refusal:
        load(stack)
    assert reason in str(refusal.value)


@pytest.mark.parametrize("stack", ["local", "prod"])
def test_the_stacks_of_this_repository_are_accepted(stack: str) -> None:
    config, secret_keys = stack_file.load(ROOT, stack)
    settings = Settings.load(config, secret_keys=secret_keys, root=ROOT, environment={})
    assert settings.cluster_name == stack
    assert settings.managed_zone == "k8s.example.org"
    assert settings.fleet.from_file


def test_both_stacks_spell_out_the_same_keys() -> None:
    stacks = [
        {key for key in stack_file.load(ROOT, stack)[0] if key.startswith("raya:")}
        for stack in ("local", "prod")
    ]
    assert stacks[0] == stacks[1]
    # raya:fleet is the alternative to raya:fleetFile.
    assert len(stacks[0]) == 18


def test_h9_the_production_stack_polls_seldom() -> None:
    """Polling is most of what a large update asks; docs/configuration.md has the figures."""
    config, _ = stack_file.load(ROOT, "prod")
    assert config["hcloud:pollInterval"] == "2s"
    assert "hcloud:pollFunction" not in config
