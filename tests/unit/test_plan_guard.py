"""What is recorded of a preview, and when an update of the production stack is stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import plan_guard
from plan_guard import GuardError, Loss

STACK = "urn:pulumi:prod::raya::pulumi:pulumi:Stack::raya-prod"
AGENT = "urn:pulumi:prod::raya::raya:cluster:Node$hcloud:index/server:Server::agent-1"
VOLUME = "urn:pulumi:prod::raya::raya:cluster:ControlPlane$hcloud:index/volume:Volume::control-plane"


def preview(*steps: tuple[str, str], **extra: object) -> str:
    """The shape that pulumi 3.274.1 prints, with the properties that must not be recorded."""
    return json.dumps(
        {
            "steps": [
                {
                    "op": op,
                    "urn": urn,
                    "oldState": {"urn": urn, "inputs": {"userData": "canary"}},
                    "newState": {"urn": urn, "inputs": {"userData": "canary"}},
                    "detailedDiff": {"userData": {"kind": "UPDATE_REPLACE", "inputDiff": False}},
                }
                for op, urn in steps
            ],
            "duration": 375467993,
            "changeSummary": {"same": 1},
            **extra,
        }
    )


def test_only_what_is_taken_away_is_recorded_sorted_and_without_properties() -> None:
    text = plan_guard.record(
        preview(("same", STACK), ("replace", VOLUME), ("update", VOLUME), ("delete", AGENT))
    )
    assert json.loads(text) == [{"op": "replace", "urn": VOLUME}, {"op": "delete", "urn": AGENT}]
    assert "canary" not in text


def test_a_record_is_the_same_for_any_order_and_repetition() -> None:
    steps = [("replace", VOLUME), ("delete", AGENT), ("replace", AGENT)]
    assert plan_guard.record(preview(*steps)) == plan_guard.record(preview(*reversed(steps), *steps))


@pytest.mark.parametrize(
    "op", ["delete", "replace", "delete-replaced", "create-replacement", "discard", "melt"]
)
def test_an_operation_that_is_not_known_to_be_harmless_is_recorded(op: str) -> None:
    assert plan_guard.losses(preview((op, AGENT))) == [Loss(urn=AGENT, op=op)]


@pytest.mark.parametrize("op", ["same", "create", "update", "read", "refresh", "import"])
def test_a_harmless_operation_is_not_recorded(op: str) -> None:
    assert plan_guard.losses(preview((op, AGENT))) == []


def test_a_preview_without_steps_takes_nothing_away() -> None:
    assert plan_guard.record('{"duration": 1}') == "[]\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the preview is not JSON"),
        ("error: no stack named 'prod' found", "the preview is not JSON"),
        ("[]", "it has no duration"),
        ("{}", "it has no duration"),
        ('{"duration": 1, "steps": [{"op": "delete"}]}', "without op and urn"),
        ('{"duration": 1, "steps": {}}', "no list of operations"),
        (
            preview(("delete", AGENT), diagnostics=[{"severity": "error", "message": "x"}]),
            "the preview failed",
        ),
    ],
    ids=["empty", "text", "list", "object", "step", "steps", "failed"],
)
def test_what_is_no_complete_preview_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(GuardError, match=sentence):
        plan_guard.record(text)


def test_a_preview_with_warnings_only_is_taken() -> None:
    assert plan_guard.losses(preview(diagnostics=[{"severity": "warning", "message": "x"}])) == []


@pytest.fixture
def records(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "reviewed.json", tmp_path / "current.json"


def test_what_was_reviewed_passes(records: tuple[Path, Path]) -> None:
    reviewed, current = records
    reviewed.write_text(plan_guard.record(preview(("replace", AGENT), ("delete", VOLUME))))
    current.write_text(plan_guard.record(preview(("replace", AGENT))))
    assert plan_guard.compare(reviewed, current) == ""


def test_each_unreviewed_loss_is_named(records: tuple[Path, Path]) -> None:
    reviewed, current = records
    reviewed.write_text(plan_guard.record(preview(("replace", AGENT))))
    current.write_text(plan_guard.record(preview(("replace", AGENT), ("delete", VOLUME), ("melt", STACK))))
    verdict = plan_guard.compare(reviewed, current)
    assert "the review did not show" in verdict
    assert f"  - Volume control-plane would be deleted ({VOLUME})\n" in verdict
    assert f"  - Stack raya-prod would be changed by «melt» ({STACK})\n" in verdict
    assert "agent-1" not in verdict


def test_another_operation_on_a_reviewed_resource_is_unreviewed(records: tuple[Path, Path]) -> None:
    reviewed, current = records
    reviewed.write_text(plan_guard.record(preview(("replace", AGENT))))
    current.write_text(plan_guard.record(preview(("delete", AGENT))))
    assert "Server agent-1 would be deleted" in plan_guard.compare(reviewed, current)


def test_without_a_review_only_an_update_that_takes_nothing_away_passes(records: tuple[Path, Path]) -> None:
    reviewed, current = records
    current.write_text("[]\n")
    assert plan_guard.compare(reviewed, current) == ""
    current.write_text(plan_guard.record(preview(("replace", AGENT))))
    assert "what nobody reviewed" in plan_guard.compare(reviewed, current)


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    program = Path(plan_guard.__file__)
    return subprocess.run(
        [sys.executable, program, *arguments], input=stdin, capture_output=True, text=True, check=False
    )


def test_the_commands_as_the_workflow_calls_them(records: tuple[Path, Path]) -> None:
    reviewed, current = records
    recorded = run("record", stdin=preview(("replace", AGENT)))
    assert recorded.returncode == 0
    current.write_text(recorded.stdout)

    shown = run("show", str(current))
    assert f"- Server agent-1 would be replaced ({AGENT})" in shown.stdout

    stopped = run("compare", str(reviewed), str(current))
    assert stopped.returncode == 1
    assert "Server agent-1 would be replaced" in stopped.stdout

    reviewed.write_text(recorded.stdout)
    assert run("compare", str(reviewed), str(current)).returncode == 0

    for wrong in ((), ("compare", str(reviewed)), ("compare", str(reviewed), str(current.with_name("none")))):
        answer = run(*wrong)
        assert answer.returncode == 2
        assert answer.stderr.startswith("plan guard: ")
