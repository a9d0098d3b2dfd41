"""The fleet file: what it means and how a malformed one is refused."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raya.fleet import Agent, Fleet, FleetError, parse_entries, parse_fleet_file


@pytest.fixture
def fleet_file(tmp_path: Path) -> Path:
    return tmp_path / "agents.json"


def test_positions_defaults_and_retired_ones(fleet_file: Path) -> None:
    fleet_file.write_text('{"agents": [ {}, {"serverType": "cpx22", "location": "fsn1"}, null, {} ]}')
    fleet = parse_fleet_file(fleet_file)
    assert fleet == Fleet(
        agents=(Agent(0), Agent(1, server_type="cpx22", location="fsn1"), Agent(3)), from_file=True
    )
    assert [agent.name for agent in fleet.agents] == ["agent-0", "agent-1", "agent-3"]


@pytest.mark.parametrize("entries", [[], [None, None]])
def test_a_cluster_may_have_no_agents(entries: list[Any]) -> None:
    assert parse_entries(entries) == Fleet(agents=(), from_file=False)


def test_99_live_agents_among_retired_ones() -> None:
    assert len(parse_entries([{}] * 50 + [None] * 80 + [{}] * 49).agents) == 99


def test_too_many_live_agents() -> None:
    with pytest.raises(FleetError) as refusal:
        parse_entries([{}] * 101)
    assert "fleet has 101 agents: a Hetzner network takes 100 resources, control plane included" in str(
        refusal.value
    )
    assert "retire 2" in str(refusal.value)


MALFORMED: list[tuple[bytes, list[str]]] = [
    (b"", ["line 1, column 1"]),
    (b"agents: []", ["not JSON at line 1, column 1"]),
    (b'{"agents": [\n  {},\n  {},\n]}', ["line", "column", "no comma after the last item"]),
    (b'{"agents": [{}] // two\n}', ["line 1, column 17", "no comments"]),
    (b'{"agents": [{}]} {}', ["line 1, column 18", "extra data"]),
    (b'\xef\xbb\xbf{"agents": []}', ["byte order mark"]),
    (b'{"agents": [\n{"location": "\xff"}]}', ["line 2 is not UTF-8"]),
    (b'{"agents": [{"serverType": NaN}]}', ["NaN is not a JSON value"]),
    (b'{"agents": [-Infinity]}', ["-Infinity is not a JSON value"]),
    (b"[" * 100_000, ["nested too deeply"]),
    (b"[" * 300 + b"]" * 300, ["nested too deeply"]),
    (b'{"agents": [' + b"1" * 5000 + b"]}", ["a number of 5000 digits", "at most 100"]),
    (b'{"agents": [-' + b"1" * 5000 + b"]}", ["a number of 5000 digits"]),
    (rb'{"agents": [{"location": "hel1\ud800"}]}', [r"lone surrogate (\ud800 to \udfff)", "in UTF-8"]),
    (rb'{"agents": [{"\udfff": 1}]}', ["lone surrogate"]),
    (b'{"agents": [{"location": "' + b"x" * 100_000 + b'"}]}', ['x…" (100000 characters): Hetzner']),
    (b"[{}]", ["holds a list", '{"agents": [ ... ]}']),
    (b"null", ["holds null"]),
    (b"{}", ['has no "agents"']),
    (b'{"agent": []}', ['unknown key "agent"', "did you mean agents?"]),
    (b'{"agents": [], "agents": [{}]}', ['gives "agents" twice']),
    (b'{"agents": {"0": {}}}', ["the agents are an object", "must be a list"]),
    (b'{"agents": null}', ["the agents are null"]),
    (b'{"agents": [{}, 5]}', ["agents[1] is the number 5", "null"]),
    (b'{"agents": [{}, false]}', ["agents[1] is the boolean false"]),
    (b'{"agents": [[]]}', ["agents[0] is a list"]),
    (
        b'{"agents": [{"server_type": "cx23"}]}',
        ['agents[0] has the unknown key "server_type"', "mean serverType?"],
    ),
    (b'{"agents": [{"serverType": "cx23", "serverType": "cx33"}]}', ['agents[0] gives "serverType" twice']),
    (b'{"agents": [{"serverType": 23}]}', ["agents[0].serverType is the number 23", "text"]),
    (b'{"agents": [{"serverType": null}]}', ["agents[0].serverType is null", "leave the key out"]),
    (b'{"agents": [{}, {"serverType": "CX23"}]}', ['agents[1].serverType is "CX23"', "cx23"]),
    (b'{"agents": [{"serverType": "cx"}]}', ['agents[0].serverType is "cx"']),
    (b'{"agents": [{"location": "Helsinki"}]}', ['agents[0].location is "Helsinki"', "fsn1, hel1"]),
    (b'{"agents": [{"location": true}]}', ["agents[0].location is the boolean true"]),
]


@pytest.mark.parametrize(("content", "parts"), MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_file_is_refused_with_file_position_and_reason(
    fleet_file: Path, content: bytes, parts: list[str]
) -> None:
    fleet_file.write_bytes(content)
    with pytest.raises(FleetError) as refusal:
        parse_fleet_file(fleet_file)
    assert len(refusal.value.problems) == 1
    for part in [str(fleet_file), *parts]:
        assert part in str(refusal.value)


def test_a_file_that_is_not_there(fleet_file: Path) -> None:
    with pytest.raises(
        FleetError, match=r"agents\.json does not exist: create it with .*or name another file"
    ):
        parse_fleet_file(fleet_file)


def test_a_folder_in_its_place(fleet_file: Path) -> None:
    fleet_file.mkdir()
    with pytest.raises(FleetError, match="cannot be read: Is a directory"):
        parse_fleet_file(fleet_file)


def test_every_bad_entry_is_named() -> None:
    with pytest.raises(FleetError) as refusal:
        parse_entries([1, {}, {"location": "moon", "serverType": 3, "x": 1}])
    assert len(refusal.value.problems) == 4
    assert all(problem.startswith("raya:fleet: agents[") for problem in refusal.value.problems)


def test_the_text_of_the_error_has_the_first_20_problems() -> None:
    with pytest.raises(FleetError) as refusal:
        parse_entries([1] * 20_000)
    lines = str(refusal.value).splitlines()
    assert len(lines) == 21
    assert "agents[19] is" in lines[19]
    assert lines[20] == "and 19981 more"


def test_an_object_of_many_names_takes_no_time(fleet_file: Path) -> None:
    # Quadratic, this took minutes.
    names = ", ".join(f'"k{number}": 1' for number in range(100_000))
    fleet_file.write_text(f'{{"agents": [{{{names}, "k7": 2}}]}}')
    start = time.process_time()
    with pytest.raises(FleetError, match=r'gives "k7" twice'):
        parse_fleet_file(fleet_file)
    assert time.process_time() - start < 30


entries = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "serverType": st.sampled_from(["cx23", "cax11"]),
        "location": st.sampled_from(["hel1", "nbg1"]),
    },
)


@given(st.lists(entries, min_size=1, max_size=99), st.data())
def test_retiring_an_agent_changes_nothing_of_the_others(fleet: list[Any], data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(fleet) - 1))
    after = parse_entries([*fleet[:position], None, *fleet[position + 1 :]])
    assert after.agents == tuple(agent for agent in parse_entries(fleet).agents if agent.position != position)


@given(st.lists(entries, max_size=99))
def test_the_file_and_the_stack_key_mean_the_same(
    tmp_path_factory: pytest.TempPathFactory, fleet: list[Any]
) -> None:
    path = tmp_path_factory.mktemp("fleet") / "agents.json"
    path.write_text(json.dumps({"agents": fleet}))
    assert parse_fleet_file(path).agents == parse_entries(fleet).agents


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.just("x"), st.lists, max_leaves=5))
def test_anything_at_all_is_a_fleet_or_a_sentence(value: Any) -> None:
    try:
        parse_entries(value)
    except FleetError as error:
        sentences = error.problems
    else:
        sentences = ("accepted",)
    assert all("\n" not in sentence for sentence in sentences)
