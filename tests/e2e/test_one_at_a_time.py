"""docs/runbooks/rebuild.md, "One machine at a time": what a targeted run did not reach is not forgotten."""

from __future__ import annotations

from tests.cloud import RunningCloud
from tests.e2e.engine import Engine


def _shown(engine: Engine, *, fails: bool = False) -> str:
    ran = engine.preview(check=not fails)
    assert (ran.returncode != 0) is fails
    return " ".join((ran.stdout + ran.stderr).split())


def test_one_agent_is_rebuilt_alone(engine: Engine, cloud: RunningCloud) -> None:
    engine.fleet({}, {}, {})
    engine.up()
    before = {each["name"]: each["id"] for each in cloud.hetzner("servers")}
    unit = engine.folder / "butane/overlay/common/etc/sysctl.d/90-k3s.conf"
    unit.write_text(unit.read_text() + "# another line\n")
    assert "this update rebuilds the control plane and every agent (3)" in _shown(engine)
    engine.up("--target", "**agent-1", "--target-dependents")
    after = {each["name"]: each["id"] for each in cloud.hetzner("servers")}
    assert {name for name in before if before[name] != after[name]} == {"agent-1"}


def test_the_rest_is_still_announced(engine: Engine) -> None:
    shown = _shown(engine)
    assert "this update rebuilds the control plane and 2 of 3 agents, because of /etc/sysctl.d" in shown


def test_the_rest_is_not_deleted_when_it_cannot_be_made_again(engine: Engine, cloud: RunningCloud) -> None:
    cloud.settings(soldOut=["cx23@hel1", "cpx22@hel1"])
    shown = _shown(engine, fails=True)
    assert "this update would delete" in shown
    assert "agent-0" in shown
    assert "agent-1" not in shown.partition("this update would delete")[2].partition(" and could not")[0]
    cloud.settings(soldOut=[])


def test_the_last_run_takes_the_rest_and_nothing_twice(engine: Engine, cloud: RunningCloud) -> None:
    before = {each["name"]: each["id"] for each in cloud.hetzner("servers")}
    engine.up()
    after = {each["name"]: each["id"] for each in cloud.hetzner("servers")}
    assert {name for name in before if before[name] != after[name]} == {"control-plane", "agent-0", "agent-2"}
    engine.preview("--expect-no-changes")
    assert "rebuilds" not in _shown(engine)
