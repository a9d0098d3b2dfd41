"""The texts that files get are no matter of butane's: taken out of a config before, put back after it.

Machines of one role differ in such texts alone, so what is left of their configs is the same, and one run of
butane serves them all. It never sees a secret. The result is what butane makes of the whole, because it does
nothing to an inline text but write it as a data URL, and the canonical form writes every data URL anew.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from rendering.ignition import compact, data_url

try:  # libyaml's reader and writer, ten times as fast; every wheel of PyYAML has them.
    from yaml import CSafeDumper as _Writer
    from yaml import CSafeLoader as _YamlReader
except ImportError:
    from yaml import SafeDumper as _Writer  # type: ignore[assignment]
    from yaml import SafeLoader as _YamlReader  # type: ignore[assignment]

# Line breaks to YAML 1.1, which Python reads, and ordinary characters to YAML 1.2, which butane reads.
_DISPUTED = re.compile("[\x85\u2028\u2029]")


class NoShapeError(Exception):
    """A config whose texts cannot be told from the rest: butane has to see it whole."""


class _Reader(_YamlReader):
    """Refuses what butane refuses: PyYAML takes the last of two equal keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) < len(keys):
            raise NoShapeError("a mapping has a key twice")
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def take_out(butane_text: str) -> tuple[str, dict[str, str]]:
    """Return the config without the texts of its files, and path -> text.

    Raises:
        NoShapeError: the text is not YAML of the kind that both readers understand in the same way.
    """
    if _DISPUTED.search(butane_text):
        raise NoShapeError("the text has characters that are line breaks to one reader only")
    try:
        config = yaml.load(butane_text, Loader=_Reader)
        files = config["storage"]["files"]
        inline = [file for file in files if _is_inline(file.get("contents"))]
        texts = {file["path"]: file["contents"]["inline"] for file in inline}
    except (yaml.YAMLError, LookupError, TypeError, AttributeError) as error:
        raise NoShapeError("the text is not a config with files") from error
    for file in inline:
        file["contents"]["inline"] = ""
    return yaml.dump(config, Dumper=_Writer, allow_unicode=True, sort_keys=False), texts


def put_back(ignition_json: str, texts: Mapping[str, str]) -> str:
    """Return the canonical config with the texts in their files again."""
    config = json.loads(ignition_json)
    for file in config.get("storage", {}).get("files", []):
        if file["path"] in texts:
            file["contents"]["source"] = data_url(texts[file["path"]].encode())
    return compact(config)


def _is_inline(contents: Any) -> bool:
    return isinstance(contents, dict) and list(contents) == ["inline"] and isinstance(contents["inline"], str)
