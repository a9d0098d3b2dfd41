"""docs/configuration.md, Pulumi.yaml and the settings name the same keys, types and defaults."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from raya.service_settings import COMPONENTS
from raya.settings import Settings
from raya.stack_values import DEFAULT_FLEET_FILE, JSON_KEYS, KEYS
from tests.unit.example_stack import load

ROOT = Path(__file__).parents[2]
# Keys that may be left out and have no default that the engine could be told.
UNDECLARED = {"fleetFile", "fleet", "hcloudCsiToken"}
# Declared without the whole default that the settings give: a part of them has to be stated.
STATED_PARTS = {"acme": "email", "gitops": "url", "firewall": "sshSources"}
_NOTHING = object()


@dataclass(frozen=True)
class Documented:
    """One section of the page. ``default`` is ``_NOTHING`` where there is none."""

    type: str
    required: bool
    secret: bool
    default: Any
    parts: dict[str, str]
    example: dict[str, Any]


def _page() -> dict[str, Documented]:
    text = (ROOT / "docs/configuration.md").read_text()
    sections = re.findall(r"^### raya:(\w+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    assert len(sections) == len({key for key, _ in sections}) == len(KEYS)
    return {key: _section(body) for key, body in sections}


def _section(body: str) -> Documented:
    first = re.match(
        r"\nType `(\w+)`, (required|optional|default `(.*?)`)(, secret)?(?: \(not declared.*?\))?\.\n", body
    )
    assert first, body[:80]
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| (.*?) \|", body, re.MULTILINE)
    examples = re.findall(r"^```yaml\n(.*?)^```", body, re.MULTILINE | re.DOTALL)
    return Documented(
        type=first[1],
        required=first[2] == "required",
        secret=bool(first[4]),
        default=_value(first[3]) if first[3] is not None else _NOTHING,
        parts={name: default for name, _, default in rows},
        example=yaml.safe_load(examples[0]) if examples else {},
    )


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _declared() -> dict[str, dict[str, Any]]:
    config = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())["config"]
    return {key.removeprefix("raya:"): declaration for key, declaration in config.items()}


def _described() -> dict[str, dict[str, Any]]:
    """The keys that Pulumi.yaml describes in comments."""
    lines = (ROOT / "Pulumi.yaml").read_text().split("\n")
    comment = "\n".join(line.removeprefix("  # ") for line in lines if line.startswith("  # "))
    described = yaml.safe_load(comment[comment.index("raya:fleetFile") :])
    return {key.removeprefix("raya:"): declaration for key, declaration in described.items()}


PAGE = _page()


def test_every_key_is_everywhere() -> None:
    declared, described = _declared(), _described()
    assert set(described) == UNDECLARED
    assert set(declared) | set(described) == set(PAGE) == set(KEYS)
    assert not set(declared) & set(described)


@pytest.mark.parametrize("key", KEYS)
def test_the_page_says_what_pulumi_yaml_says(key: str) -> None:
    documented, declaration = PAGE[key], {**_declared(), **_described()}[key]
    assert documented.type == declaration["type"]
    assert documented.default == declaration.get("default", _NOTHING)
    assert documented.secret is declaration.get("secret", False)
    assert documented.required is (key not in UNDECLARED and "default" not in declaration)
    assert documented.type in ("string" if key not in JSON_KEYS else ("object", "array"))
    assert len(declaration["description"]) > 40


@pytest.mark.parametrize("key", [key for key in KEYS if PAGE[key].default is not _NOTHING])
def test_a_default_is_what_the_settings_take_by_themselves(key: str) -> None:
    if key == "fleetFile":
        assert PAGE[key].default == DEFAULT_FLEET_FILE
        return
    stated = {f"raya:{key}": _with_stated_part(key, PAGE[key].default)}
    left_out = {f"raya:{key}": {STATED_PARTS[key]: _stated(key)} if key in STATED_PARTS else None}
    assert load(stated) == load(left_out)


def _with_stated_part(key: str, default: Any) -> Any:
    return {**default, STATED_PARTS[key]: _stated(key)} if key in STATED_PARTS else default


def _stated(key: str) -> Any:
    return {"acme": "admin@example.org", "gitops": "https://github.com/octocat/raya", "firewall": []}[key]


@pytest.mark.parametrize("key", [key for key in KEYS if PAGE[key].type == "object"])
def test_the_parts_of_an_object(key: str) -> None:
    defaults = PAGE[key].parts
    if key == "components":
        assert defaults == dict.fromkeys(COMPONENTS, "`true`")
        return
    section = next(field.annotation for field in Settings.model_fields.values() if field.alias == key)
    assert isinstance(section, type)
    assert issubclass(section, BaseModel)
    fields = {str(field.alias): field for field in section.model_fields.values()}
    assert set(defaults) == set(fields)
    for name, field in fields.items():
        if defaults[name].startswith("`"):
            assert defaults[name] == f"`{json.dumps(field.default, default=str)}`"
        else:
            assert field.is_required() or not field.default


@pytest.mark.parametrize("key", KEYS)
def test_the_example_is_accepted(key: str, tmp_path: Path) -> None:
    example = PAGE[key].example
    if PAGE[key].secret:
        assert not example
        return
    assert set(example) == {f"raya:{key}"}
    changes: dict[str, Any] = {**example}
    if key == "fleetFile":
        (tmp_path / "deploy/fleet").mkdir(parents=True)
        (tmp_path / DEFAULT_FLEET_FILE).write_text('{"agents": []}')
        changes["raya:fleet"] = None
    load(changes, root=tmp_path)
