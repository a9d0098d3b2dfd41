"""The grammar of labels and of label selectors."""

import re
from typing import Any

from localcloud.hetzner.refusals import invalid

_NAME = r"[a-z0-9A-Z]([\-_.a-z0-9A-Z]{0,61}[a-z0-9A-Z])?"
_DNS_LABEL = r"[a-z0-9A-Z]([\-a-z0-9A-Z]{0,61}[a-z0-9A-Z])?"
_KEY = re.compile(rf"((?!.{{254,}}/){_DNS_LABEL}(\.{_DNS_LABEL})*/)?{_NAME}")
_VALUE = re.compile(rf"({_NAME})?")
_SET = re.compile(r"(?P<key>\S+)\s+(?P<verb>in|notin)\s*\((?P<values>[^()]*)\)")
_TERM = re.compile(r"(?P<key>[^=!\s]+)\s*(?P<verb>==|=|!=)\s*(?P<value>\S*)")

Labels = dict[str, str]


def checked_labels(value: Any, field: str = "labels") -> Labels:
    """The labels of a body, or a refusal that names the one which breaks the grammar."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(field, "must be an object of strings")
    for key, text in value.items():
        if not _KEY.fullmatch(key):
            raise invalid(field, f"label key '{key}' is not correctly formatted")
        if key.startswith("hetzner.cloud/"):
            raise invalid(field, f"label key '{key}': the prefix hetzner.cloud/ is reserved")
        if not isinstance(text, str) or not _VALUE.fullmatch(text):
            raise invalid(field, f"label value '{text}' (key: {key}) is not correctly formatted")
    return dict(value)


def matches(selector: str, labels: Labels) -> bool:
    """Whether labels fulfil a selector.

    Its terms are joined by commas: `k`, `!k`, `k=v`, `k==v`, `k!=v`, `k in (a,b)`, `k notin (a,b)`.
    """
    return all(_term_matches(term.strip(), labels) for term in _terms(selector))


def _terms(selector: str) -> list[str]:
    # Commas inside parentheses separate values, not terms.
    return [term for term in re.split(r",(?![^()]*\))", selector) if term.strip()]


def _term_matches(term: str, labels: Labels) -> bool:
    if found := _SET.fullmatch(term):
        values = [value.strip() for value in found["values"].split(",")]
        _check_selector(found["key"], values)
        return (labels.get(found["key"]) in values) == (found["verb"] == "in")
    if found := _TERM.fullmatch(term):
        _check_selector(found["key"], [found["value"]])
        return (labels.get(found["key"]) == found["value"]) == (found["verb"] != "!=")
    key = term.removeprefix("!").strip()
    _check_selector(key, [])
    return (key in labels) != term.startswith("!")


def _check_selector(key: str, values: list[str]) -> None:
    if not _KEY.fullmatch(key) or not all(_VALUE.fullmatch(value) for value in values):
        raise invalid("label_selector", f"'{key}' with {values} is not a valid label selector")
