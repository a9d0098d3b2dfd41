"""Ten agents, eleven, sixty: who is touched, what the API is asked (H9), and what is grouped (H11)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.cloud import RunningCloud
from tests.e2e.engine import Engine

# For one machine, without the polling of its three actions: its type, its image, its creation, its attachment
# and a look at it after each. The local cloud is polled more often than a real one.
REQUESTS_PER_AGENT, POLLS_PER_AGENT = 7, 13


@pytest.fixture(scope="module", autouse=True)
def _nobody_kills_this_one(engine: Engine) -> None:
    """Four fifths of a large update is the engine writing its state down after each step."""
    engine.environment["PULUMI_SKIP_CHECKPOINTS"] = "1"


def _ids(cloud: RunningCloud) -> dict[str, int]:
    return {each["name"]: each["id"] for each in cloud.hetzner("servers")}


def _asked(cloud: RunningCloud, mark: int) -> Counter[str]:
    """Requests to Hetzner since, polling apart from the rest."""
    paths = [each["path"] for each in cloud.requests() if each["seq"] > mark]
    hetzner = [path for path in paths if "/hcloud/" in path]
    return Counter("poll" if path.endswith("/actions") else "request" for path in hetzner)


def _last(cloud: RunningCloud) -> int:
    return int(cloud.requests()[-1]["seq"])


def test_the_eleventh_agent_touches_nobody(engine: Engine, cloud: RunningCloud) -> None:
    engine.fleet(*[{}] * 10)
    engine.up("--skip-preview")
    before = _ids(cloud)
    engine.fleet(*[{}] * 11)
    parts: dict[str, Any] = {
        "create": {"Node::agent-10", "Server::agent-10", "ServerNetwork::agent-10", "RecordSet::a10"}
    }
    assert engine.planned() == parts
    engine.up("--skip-preview")
    after = _ids(cloud)
    assert before.items() <= after.items()
    assert len(after) == 12


def test_h9_sixty_agents_stay_far_below_the_quota_even_when_it_is_spent_for_a_while(
    engine: Engine, cloud: RunningCloud
) -> None:
    engine.fleet(*[{}] * 60)
    mark, refused = _last(cloud), 12
    cloud.fault("status", path="/hcloud/v1/", status=429, code="rate_limit_exceeded", nth=150, times=refused)
    engine.up("--skip-preview")
    asked, new = _asked(cloud, mark), 49
    assert len(_ids(cloud)) == 61
    assert cloud.control("GET", "faults")["faults"][0]["struck"] == refused
    look_around = 10
    assert asked["request"] <= REQUESTS_PER_AGENT * new + look_around + refused
    assert asked["poll"] <= POLLS_PER_AGENT * new


def test_h11_no_machine_is_in_a_placement_group(cloud: RunningCloud) -> None:
    """docs/adr has why: a group holds ten, and nobody has to move for the eleventh."""
    assert cloud.hetzner("placement_groups") == []
    assert {str(each["placement_group"]) for each in cloud.hetzner("servers")} == {"None"}


def test_nothing_is_to_do_afterwards_and_each_question_is_asked_once(
    engine: Engine, cloud: RunningCloud
) -> None:
    mark = _last(cloud)
    engine.preview("--expect-no-changes")
    asked = [
        (each["method"], each["path"], str(each["query"])) for each in cloud.requests() if each["seq"] > mark
    ]
    assert {method for method, _, _ in asked} == {"GET"}
    assert len(asked) == len(set(asked))
    kinds = {path.rpartition("/")[2] for _, path, _ in asked if "/hcloud/" in path}
    assert kinds == {"firewalls", "images", "networks", "server_types", "servers", "volumes"}
