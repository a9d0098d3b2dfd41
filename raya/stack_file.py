"""Pulumi.yaml and Pulumi.<stack>.yaml -> the mapping the engine would hand over. For what runs without the
engine.

The engine reads YAML 1.2 (``yes`` is text) and hands over text: scalars as they are, lists and objects as
JSON. A default of Pulumi.yaml counts where the stack file does not have the key at all; objects are not
merged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from raya.errors import RayaError
from raya.stack_values import HCLOUD_TOKEN_LENGTH
from raya.stack_yaml import StackYamlError, parse

# Stands in for every secret, of which only the engine can know the value. As long as a Hetzner token, so that
# it passes for one.
SECRET_PLACEHOLDER: Final = "secret-kept-by-the-engine".ljust(HCLOUD_TOKEN_LENGTH, "-")
# What rendering does not need and a stack file in a public repository may lack.
_ALWAYS_SECRET: Final = ("hcloud:token", "raya:hcloudCsiToken")


class StackFileError(RayaError):
    """Pulumi.yaml or a stack file cannot be read. Names the file, the place and what to do."""


def load(root: Path, stack: str) -> tuple[dict[str, str], frozenset[str]]:
    """``(config, secret_keys)`` of ``stack`` as ``Settings.load`` takes them. Raises ``StackFileError``.

    Every secret is ``SECRET_PLACEHOLDER``, also one that is not stored yet: what runs without the engine,
    such as `make render`, needs none.
    """
    project = _mapping(root / "Pulumi.yaml")
    namespace = str(project.get("name", ""))
    stack_file = _stack_file(root, stack)
    content = _mapping(stack_file)
    if content.get("environment"):
        raise StackFileError(
            f"{stack_file} takes values from Pulumi ESC environments, which only the engine can read; write "
            "the raya: keys into the file"
        )
    values = _defaults(_section(project, root / "Pulumi.yaml"), namespace)
    values |= {_full(key, namespace): value for key, value in _section(content, stack_file).items()}
    secret_keys = {key for key, value in values.items() if _has_secret(value)} | set(_ALWAYS_SECRET)
    config = dict.fromkeys(_ALWAYS_SECRET, SECRET_PLACEHOLDER) | {
        key: _text(value) for key, value in values.items()
    }
    return config, frozenset(secret_keys)


def _stack_file(root: Path, stack: str) -> Path:
    path = root / f"Pulumi.{stack}.yaml"
    if not path.is_file():
        stacks = sorted(other.name.split(".")[1] for other in root.glob("Pulumi.?*.yaml"))
        raise StackFileError(f"there is no stack file {path}; stacks here: {', '.join(stacks) or 'none'}")
    return path


def _mapping(path: Path) -> dict[str, Any]:
    try:
        content = parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StackFileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (yaml.YAMLError, StackYamlError, UnicodeDecodeError) as error:
        raise StackFileError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict | None):
        raise StackFileError(f"{path} must hold an object of keys")
    return content or {}


def _section(content: Mapping[str, Any], path: Path) -> dict[str, Any]:
    section = content.get("config")
    if not isinstance(section, dict | None):
        raise StackFileError(f"{path}: config must be an object of keys")
    return section or {}


def _defaults(declared: Mapping[str, Any], namespace: str) -> dict[str, Any]:
    """The values Pulumi.yaml itself gives: ``default`` or ``value`` of a declaration, or a plain value."""
    defaults: dict[str, Any] = {}
    for key, declaration in declared.items():
        given = declaration if isinstance(declaration, dict) else {"default": declaration}
        value = given.get("default", given.get("value"))
        if value is not None:
            defaults[_full(key, namespace)] = value
    return defaults


def _full(key: str, namespace: str) -> str:
    """``clusterName`` and ``raya:config:clusterName`` are older spellings of ``raya:clusterName``."""
    first, _, last = key.rpartition(":")
    return f"{first.removesuffix(':config') or namespace}:{last}"


def _has_secret(value: Any) -> bool:
    if isinstance(value, dict):
        return _is_secret(value) or any(_has_secret(part) for part in value.values())
    return isinstance(value, list) and any(_has_secret(part) for part in value)


def _is_secret(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"secure"} and isinstance(value["secure"], str)


def _text(value: Any) -> str:
    plain = _without_secrets(value)
    if plain is None:
        return ""
    if isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _without_secrets(value: Any) -> Any:
    if _is_secret(value):
        return SECRET_PLACEHOLDER
    if isinstance(value, dict):
        return {key: _without_secrets(part) for key, part in value.items()}
    return [_without_secrets(part) for part in value] if isinstance(value, list) else value
