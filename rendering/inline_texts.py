"""The texts that files get are no matter of butane's: taken out of a config before, put back after it.

Machines of one role differ in such texts alone, so what is left of their configs is the same, and one run of
butane serves them all. It never sees a secret. The result is what butane makes of the whole, because it does
nothing to an inline text but write it as a data URL, and the canonical form writes every data URL anew.
"""

import json
import re
from collections.abc import Mapping

import yaml

from rendering.ignition import compact, data_url

try:  # libyaml's reader and writer, ten times as fast; every wheel of PyYAML has them.
    from yaml import CSafeDumper as _Writer
    from yaml import CSafeLoader as _Reader
except ImportError:  # The same interface, but to the types another class.
    from yaml import SafeDumper as _Writer  # type: ignore[assignment]
    from yaml import SafeLoader as _Reader  # type: ignore[assignment]

# Line breaks to YAML 1.1, which Python reads, and ordinary characters to YAML 1.2, which butane reads; and
# directives, which say which of the two is meant.
_DISPUTED = re.compile("[\x85\u2028\u2029]|^%", re.MULTILINE)
_TEXT = "tag:yaml.org,2002:str"


class NoShapeError(Exception):
    """A config whose texts cannot be told from the rest: butane has to see it whole."""


def take_out(butane_text: str) -> tuple[str, dict[str, str]]:
    """Return the config without the texts of its files, and path -> text.

    Everything else is written as it was read: no value is ever resolved to a number, a date or a truth, about
    which YAML 1.1 and 1.2 think differently.

    Raises:
        NoShapeError: the text is not YAML of the kind that both readers understand in the same way.
    """
    if _DISPUTED.search(butane_text):
        raise NoShapeError("the text has what means something else to each reader")
    try:
        config = yaml.compose(butane_text, Loader=_Reader) or yaml.ScalarNode(_TEXT, "")
        _refuse_what_butane_refuses(config, set())
        texts = {}
        for file in _value(_value(config, "storage"), "files").value:
            inline = _inline(file)
            if inline is not None:
                texts[_value(file, "path").value] = inline.value
                inline.value, inline.style = "", '"'
    except (yaml.YAMLError, LookupError, TypeError, AttributeError) as error:
        raise NoShapeError("the text is not a config with files") from error
    shape: str = yaml.serialize(config, Dumper=_Writer, allow_unicode=True)
    return shape, texts


def _value(node: yaml.Node, key: str) -> yaml.Node:
    """The value of a mapping's key; LookupError without one."""
    found: dict[str, yaml.Node] = {each.value: value for each, value in node.value}
    return found[key]


def _inline(file: yaml.MappingNode) -> yaml.ScalarNode | None:
    """The text of a file that has a text and nothing else that bears on its contents."""
    try:
        ((key, value),) = _value(file, "contents").value
    except (LookupError, TypeError, ValueError):
        return None
    is_text = isinstance(value, yaml.ScalarNode) and value.tag == _TEXT
    return value if key.value == "inline" and is_text else None


def _refuse_what_butane_refuses(node: yaml.Node, seen: set[int]) -> None:
    """Equal keys, of which Python would take the last; merge keys and aliases, which it would resolve."""
    if id(node) in seen:
        raise NoShapeError("a value stands for another one")
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) < len(keys) or "<<" in keys:
            raise NoShapeError("a mapping has a key twice, or a merge key")
        for _, value in node.value:
            _refuse_what_butane_refuses(value, seen)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_what_butane_refuses(value, seen)


def put_back(ignition_json: str, texts: Mapping[str, str]) -> str:
    """Return the canonical config with the texts in their files again."""
    config = json.loads(ignition_json)
    for file in config.get("storage", {}).get("files", []):
        if file["path"] in texts:
            file["contents"]["source"] = data_url(texts[file["path"]].encode())
    return compact(config)
