"""YAML as Pulumi reads it: the 1.2 core types, and a name twice in one object is an error.

PyYAML alone follows YAML 1.1, where ``no``, ``12:30`` and ``1_000`` are not what they look like.
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

# Python reads no longer ones; no key of ours takes one of a tenth of it.
_LONGEST_NUMBER = 4000


class StackYamlError(ValueError):
    """A rule of this reader is broken; the message says where."""


class _Loader(yaml.SafeLoader):
    """SafeLoader with the engine's scalar types."""


def parse(text: str) -> Any:
    """The value of a YAML document, all names as text. Raises ``yaml.YAMLError`` or ``StackYamlError``."""
    loader = _Loader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    loader.flatten_mapping(node)
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = str(loader.construct_object(key_node, deep=True))
        if key in result:
            raise StackYamlError(f'"{key}" stands there twice, again in line {key_node.start_mark.line + 1}')
        result[key] = loader.construct_object(value_node, deep=True)
    return result


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int:
    text = loader.construct_scalar(node).replace("_", "")
    # 010 is octal to the engine, as 0o10 is.
    if len(text) > _LONGEST_NUMBER:
        raise StackYamlError(f"the number in line {node.start_mark.line + 1} has {len(text)} digits")
    return int(re.sub(r"^([-+]?)0([0-7])", r"\g<1>0o\2", text), 0)


def _float(loader: _Loader, node: yaml.ScalarNode) -> float | int:
    number = float(loader.construct_scalar(node).replace("_", ""))
    if not math.isfinite(number):
        raise StackYamlError(f"the number in line {node.start_mark.line + 1} is too large")
    return int(number) if number.is_integer() else number


# The first that fits decides; what fits none is text. yaml.org/spec/1.2.2, section 10.3.2, and
# gopkg.in/yaml.v3.
_TYPES = (
    ("null", r"(?:~|null|Null|NULL|)", ["~", "n", "N", ""]),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)", list("tTfF")),
    ("int", r"[-+]?(?:0o?[0-7]+|0x[0-9a-fA-F]+|0b[01]+|0|[1-9][0-9_]*)", list("-+0123456789")),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
)
# Of the class itself, so that PyYAML's own rules are not inherited.
_Loader.yaml_implicit_resolvers = {}
for _name, _pattern, _first in _TYPES:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"^{_pattern}$"), _first)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:int", _integer)
_Loader.add_constructor("tag:yaml.org,2002:float", _float)
