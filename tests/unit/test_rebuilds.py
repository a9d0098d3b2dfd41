"""The one line about an update that would rebuild the cluster."""

from __future__ import annotations

import pytest

from raya.rebuilds import Digests, announce, refuse

KEYS = "/home/core/.ssh/authorized_keys"
BEFORE = {name: {KEYS: "1", "/etc/hostname": name} for name in ("control-plane", "agent-0", "agent-1")}


def _after(**changes: Digests) -> dict[str, Digests]:
    named = {name.replace("_", "-"): digests for name, digests in changes.items()}
    return {**BEFORE, **named}


def _new_key(name: str) -> dict[str, str]:
    return {KEYS: "2", "/etc/hostname": name}


EVERYTHING = _after(
    control_plane=_new_key("control-plane"), agent_0=_new_key("agent-0"), agent_1=_new_key("agent-1")
)


@pytest.mark.parametrize(
    "after",
    [
        _after(),
        _after(agent_0=_new_key("agent-0")),
        _after(control_plane=_new_key("control-plane")),
        # Agents that come and go are not rebuilt.
        {**BEFORE, "agent-2": _new_key("agent-2")},
        {"control-plane": BEFORE["control-plane"]},
    ],
)
def test_an_update_of_one_machine_is_not_announced(after: dict[str, Digests]) -> None:
    assert announce(BEFORE, after) is None


def test_the_first_update_announces_nothing() -> None:
    assert announce({}, EVERYTHING) is None


def test_every_machine() -> None:
    assert announce(BEFORE, EVERYTHING) == (
        f"this update rebuilds the control plane and every agent (2), because of {KEYS}"
    )


def test_every_agent() -> None:
    after = _after(agent_0=_new_key("agent-0"), agent_1=_new_key("agent-1"))
    assert announce(BEFORE, after) == f"this update rebuilds every agent (2), because of {KEYS}"


def test_control_plane_and_some_agents() -> None:
    after = _after(control_plane=_new_key("control-plane"), agent_1=_new_key("agent-1"))
    assert (
        announce(BEFORE, after)
        == f"this update rebuilds the control plane and 1 of 2 agents, because of {KEYS}"
    )


def test_control_plane_and_the_only_agent() -> None:
    before = {name: BEFORE[name] for name in ("control-plane", "agent-0")}
    after: dict[str, Digests] = {name: _new_key(name) for name in before}
    assert announce(before, after) == (
        f"this update rebuilds the control plane and the only agent (agent-0), because of {KEYS}"
    )


def test_the_only_agent_is_every_agent() -> None:
    before = {name: BEFORE[name] for name in ("control-plane", "agent-0")}
    after: dict[str, Digests] = {**before, "agent-0": _new_key("agent-0")}
    assert announce(before, after) == f"this update rebuilds the only agent (agent-0), because of {KEYS}"


def test_a_machine_whose_config_is_not_known_yet_counts_as_rebuilt() -> None:
    after = _after(control_plane=None, agent_0=None, agent_1=None)
    assert announce(BEFORE, after) == (
        "this update rebuilds the control plane and every agent (2), "
        "because of secrets or resources that this update replaces"
    )


def test_many_reasons_are_counted_rather_than_listed() -> None:
    after = {name: {**BEFORE[name], **{f"/etc/{n}": "x" for n in range(8)}} for name in BEFORE}
    assert (announce(BEFORE, after) or "").endswith("/etc/0, /etc/1, /etc/2, /etc/3, /etc/4 and 3 more")


PROBLEM = "the server type cx22 cannot be ordered in hel1."
GONE = {"agent-0": PROBLEM}


def test_a_machine_that_could_not_be_made_again_is_not_rebuilt() -> None:
    assert refuse(BEFORE, _after(agent_0=_new_key("agent-0")), GONE) == (
        "this update would delete agent-0 and could not make it again: the server type cx22 cannot be "
        f"ordered in hel1. Change the server type in the same update, or undo what rebuilds it ({KEYS})."
    )
    assert refuse(BEFORE, _after(agent_0=None), GONE)


def test_a_reason_of_several_machines_is_one_sentence() -> None:
    sentence = refuse(BEFORE, EVERYTHING, {"agent-0": PROBLEM, "agent-1": PROBLEM})
    assert f"would delete agent-0 and agent-1 and could not make them again: {PROBLEM} Change" in str(
        sentence
    )
    large = "the server type cx43 is out of stock in hel1 at the moment."
    sentence = refuse(BEFORE, EVERYTHING, {"control-plane": large, "agent-0": PROBLEM, "agent-1": PROBLEM})
    assert f"make them again: control-plane: {large} agent-0, agent-1: {PROBLEM} Change" in str(sentence)


def test_it_may_run_on_and_others_may_be_rebuilt() -> None:
    assert refuse(BEFORE, _after(agent_1=_new_key("agent-1")), GONE) is None
    assert refuse({}, EVERYTHING, GONE) is None
