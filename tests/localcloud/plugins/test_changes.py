"""Checks and the diff engine, without an engine."""

from __future__ import annotations

from typing import Any

import pytest
from pulumi.provider.experimental.provider import PropertyDiffKind

from localcloud.plugins.changes import changed_fields
from localcloud.plugins.checks import autoname, checked
from localcloud.plugins.fields import BOOLEAN, INTEGER, STRING, STRING_MAP, ListOf, Record, fields, may, need
from localcloud.plugins.values import UNKNOWN

FIELDS = fields(
    name=need(STRING),
    number=may(INTEGER),
    flag=may(BOOLEAN, default=True),
    place=may(STRING, computed=True),
    labels=may(STRING_MAP),
    many=may(ListOf(STRING, ordered=False)),
    order=may(ListOf(STRING)),
    rules=may(
        ListOf(Record(fields(port=may(STRING), ips=may(ListOf(STRING, ordered=False)))), ordered=False)
    ),
)
STATE: dict[str, Any] = {
    "name": "n",
    "number": 1,
    "flag": True,
    "place": "hel1",
    "labels": {},
    "many": ["a", "b"],
}


def test_values_take_their_declared_type() -> None:
    values, problems = checked({"name": 7, "number": "12", "flag": "false", "many": ["a", 1]}, FIELDS)
    assert not problems
    assert values == {"name": "7", "number": 12, "flag": False, "many": ["a", "1"]}


@pytest.mark.parametrize(
    ("given", "path", "words"),
    [
        ({"name": "n", "nmae": 1}, "nmae", "there is no property 'nmae'"),
        ({}, "name", "is required"),
        ({"name": "n", "number": "many"}, "number", "must be of type integer"),
        ({"name": "n", "flag": 1}, "flag", "must be of type boolean"),
        ({"name": "n", "many": "a"}, "many", "must be a list"),
        ({"name": "n", "labels": ["a"]}, "labels", "must be an object"),
        ({"name": "n", "rules": [{"prot": "80"}]}, "rules[0].prot", "there is no property 'prot'"),
        ({"name": "n", "rules": [{"ips": [{}]}]}, "rules[0].ips[0]", "must be of type string"),
    ],
)
def test_refusals_name_the_property(given: dict[str, Any], path: str, words: str) -> None:
    _, problems = checked(given, FIELDS)
    assert [problem.property_path for problem in problems] == [path]
    assert words in problems[0].reason


def test_unknown_values_pass() -> None:
    values, problems = checked({"name": UNKNOWN, "many": ["a", UNKNOWN]}, FIELDS)
    assert not problems
    assert values["name"] is UNKNOWN


@pytest.mark.parametrize(
    ("inputs", "changed"),
    [
        ({"name": "n", "number": 1, "many": ["a", "b"]}, {}),
        ({"name": "n", "number": 1, "many": ["b", "a"], "flag": True, "labels": {}}, {}),
        ({"name": "m", "number": 1, "many": ["a", "b"]}, {"name": PropertyDiffKind.UPDATE}),
        ({"name": "n", "many": ["a", "b"]}, {"number": PropertyDiffKind.DELETE}),
        ({"name": "n", "number": 1, "many": ["a"]}, {"many": PropertyDiffKind.UPDATE}),
        ({"name": "n", "number": 1, "many": ["a", "b"], "flag": False}, {"flag": PropertyDiffKind.UPDATE}),
        ({"name": "n", "number": 1, "many": ["a", "b"], "order": ["x"]}, {"order": PropertyDiffKind.ADD}),
        ({"name": UNKNOWN, "number": 1, "many": ["a", "b"]}, {"name": PropertyDiffKind.UPDATE}),
        ({"name": "n", "number": 1, "many": ["a", UNKNOWN]}, {"many": PropertyDiffKind.UPDATE}),
        ({"name": "n", "number": 1, "many": ["a", "b"], "place": "fsn1"}, {"place": PropertyDiffKind.UPDATE}),
    ],
)
def test_what_counts_as_a_change(inputs: dict[str, Any], changed: dict[str, PropertyDiffKind]) -> None:
    assert changed_fields(FIELDS, STATE, inputs) == changed


def test_records_in_sets_compare_by_meaning() -> None:
    state = {"name": "n", "rules": [{"port": "80", "ips": ["b", "a"]}, {"port": "", "ips": []}]}
    inputs = {"name": "n", "rules": [{}, {"port": "80", "ips": ["a", "b"]}]}
    assert changed_fields(FIELDS, state, inputs) == {}


def test_order_matters_where_it_is_declared() -> None:
    changed = changed_fields(FIELDS, {"name": "n", "order": ["a", "b"]}, {"name": "n", "order": ["b", "a"]})
    assert changed == {"order": PropertyDiffKind.UPDATE}


def test_autonames_repeat_for_a_seed() -> None:
    assert autoname("web", b"seed") == autoname("web", b"seed")
    assert autoname("web", b"seed") != autoname("web", b"other")
    assert len(autoname("web", b"")) == len("web-") + 7
