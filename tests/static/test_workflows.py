"""The GitHub workflows: who gets secrets, what may be cancelled, whose actions run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = re.compile(r"(actions|pulumi)/[a-z-]+@(v\d+|[0-9a-f]{40})")


def documents() -> dict[str, dict[Any, Any]]:
    files = sorted((ROOT / ".github").rglob("*.yaml"))
    return {str(path.relative_to(ROOT)): yaml.safe_load(path.read_text()) for path in files}


def prod() -> dict[Any, Any]:
    return documents()[".github/workflows/prod.yaml"]


def uses(node: object) -> list[str]:
    if isinstance(node, dict):
        own = [node["uses"]] if isinstance(node.get("uses"), str) else []
        return own + [found for value in node.values() for found in uses(value)]
    return [found for value in node for found in uses(value)] if isinstance(node, list) else []


def test_only_official_actions_pinned_by_major_or_commit_run() -> None:
    found = [action for document in documents().values() for action in uses(document)]
    assert len(found) >= 10
    for action in found:
        assert action == "./.github/actions/tools" or OFFICIAL.fullmatch(action), action


def test_no_workflow_runs_a_forks_code_with_secrets() -> None:
    workflows = [name for name in documents() if "/workflows/" in name]
    assert len(workflows) >= 2
    for name in workflows:
        # pull_request_target would hand the secrets to code from anywhere. (YAML reads the key `on` as true.)
        assert "pull_request_target" not in documents()[name][True], name
    check = (ROOT / ".github/workflows/check.yaml").read_text()
    assert "secrets." not in check


def test_no_command_of_ours_skips_a_preview() -> None:
    scripts = [*(ROOT / "toolchain").glob("*.sh"), ROOT / "Makefile", *(ROOT / ".github").rglob("*.yaml")]
    assert len(scripts) >= 6
    assert [path.name for path in scripts if "skip-preview" in path.read_text()] == []


def test_the_preview_is_for_this_repositorys_own_branches() -> None:
    condition = prod()["jobs"]["preview"]["if"]
    assert "vars.PULUMI_BACKEND_URL != ''" in condition
    assert "github.event_name == 'pull_request'" in condition
    assert "github.event.pull_request.head.repo.full_name == github.repository" in condition


def test_the_update_is_for_main_only_one_at_a_time_and_never_cancelled() -> None:
    job = prod()["jobs"]["up"]
    assert prod()[True]["push"] == {"branches": ["main"]}
    assert job["if"] == "vars.PULUMI_BACKEND_URL != '' && github.event_name == 'push'"
    assert job["concurrency"] == {"group": "prod-up", "cancel-in-progress": False}


def test_permissions_are_named_and_small() -> None:
    assert prod()["permissions"] == {}
    jobs = {name: job["permissions"] for name, job in prod()["jobs"].items()}
    assert jobs == {
        "preview": {"contents": "read", "pull-requests": "write"},
        "up": {"contents": "read", "pull-requests": "read", "actions": "read"},
    }
    assert documents()[".github/workflows/check.yaml"]["permissions"] == {"contents": "read"}


def test_secrets_reach_only_the_steps_that_need_them_and_are_never_shown() -> None:
    text = (ROOT / ".github/workflows/prod.yaml").read_text()
    assert "--show-secrets" not in text
    for job in prod()["jobs"].values():
        assert "secrets." not in str(job.get("env"))
        with_secrets = [step for step in job["steps"] if "secrets." in str(step)]
        assert len(with_secrets) == 1
        assert "secrets." not in str(with_secrets[0]["run"])


def test_the_guard_stands_between_preview_and_update() -> None:
    script = prod()["jobs"]["up"]["steps"][-1]["run"]
    order = [
        "pulumi preview",
        "plan_guard.py record",
        "plan_guard.py compare reviewed.json current.json",
        "pulumi up",
    ]
    places = [script.index(part) for part in order]
    assert places == sorted(places)
    assert "--skip-preview" not in script
    # Held to the plan that was compared.
    assert '--save-plan "$plan"' in script
    assert '--plan "$plan"' in script[script.index("pulumi up") :]
