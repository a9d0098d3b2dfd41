"""docs/localcloud.md: every example in it works, and every figure in it is the code's."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from localcloud.fault_kinds import KINDS
from localcloud.hetzner.actions import ACTIONS_KEPT
from localcloud.hetzner.addresses import PUBLIC_IPV4
from localcloud.log import ENTRIES_KEPT
from tests.cloud import PROJECT_ROOT, RunningCloud

PAGE = (PROJECT_ROOT / "docs" / "localcloud.md").read_text()
TOKENS = {"<64 characters>": "a" * 64, "<64 others>": "b" * 64, "<64 more>": "c" * 64}


def _bodies(pattern: str) -> list[str]:
    return re.findall(pattern, PAGE)


@pytest.mark.parametrize("body", _bodies(r"(?m)^fault '([^']+)'"))
def test_faults(cloud: RunningCloud, body: str) -> None:
    fault = cloud.control("POST", "faults", json.loads(body))
    assert cloud.control("GET", "faults")["faults"] == [fault]


def test_each_kind_of_fault_has_an_example() -> None:
    shown = [json.loads(body) for body in _bodies(r"(?m)^fault '([^']+)'")]
    assert {fault.get("kind", "status") for fault in shown} == set(KINDS)


@pytest.mark.parametrize(("path", "body"), _bodies(r"curl -s http://[\d.:]+/(_control/\w+) -d '([^']+)'"))
def test_settings_and_clock(cloud: RunningCloud, path: str, body: str) -> None:
    changed = cloud.control("POST", path.removeprefix("_control/"), json.loads(body))
    if path.endswith("settings"):
        assert json.loads(body).items() <= changed.items()


def test_other_requests(cloud: RunningCloud) -> None:
    """Those without a body; the restart has tests of its own."""
    requests = re.findall(r"curl -s(?: -X (\w+))? http://[\d.:]+/(_control/\w+)\b(?! -d)", PAGE)
    assert {(method or "GET", path) for method, path in requests} == {
        ("GET", "_control/settings"),
        ("DELETE", "_control/faults"),
        ("POST", "_control/restart"),
    }
    cloud.control("GET", "settings")
    cloud.control("DELETE", "faults")


@pytest.mark.parametrize("seed", _bodies(r"(?s)```json\n(.*?)```"))
def test_seeds(cloud: RunningCloud, seed: str) -> None:
    for written, token in TOKENS.items():
        seed = seed.replace(written, token)
    planted: dict[str, Any] = json.loads(seed)
    cloud.seed(planted)
    cloud.seed(planted)


def test_each_rule_names_a_module_and_a_test_that_exist() -> None:
    rows = re.findall(r"(?m)^\| .+ \| `([\w/]+\.py)` \| `([\w/]+\.py)::(\w+)` \|$", PAGE)
    assert len(rows) > 20
    for module, file, test in rows:
        assert (PROJECT_ROOT / "localcloud" / module).is_file()
        assert f"\ndef {test}(" in (PROJECT_ROOT / "tests" / file).read_text()


def test_figures() -> None:
    assert len(_bodies(r"(?m)^fault '")) > 10
    assert f"newest {ENTRIES_KEPT:,} requests and events" in PAGE
    assert f"in each project, {ACTIONS_KEPT:,} actions" in PAGE
    assert f"{len(PUBLIC_IPV4)} IPv4" in PAGE
