"""Which record counts as the review of a commit on main; `gh` is a stand-in that answers as GitHub does."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import merged_review

HEAD, COMMIT = "a" * 40, "c" * 40


def pull(head: str, merged_at: str | None) -> dict[str, Any]:
    return {"merged_at": merged_at, "head": {"sha": head}}


def artifact(number: int, *, created_at: str = "2026-01-01T00:00:00Z", **run: object) -> dict[str, Any]:
    return {
        "id": number,
        "name": f"reviewed-plan-{HEAD}",
        "expired": False,
        "created_at": created_at,
        "workflow_run": {"head_sha": HEAD, "repository_id": 1, "head_repository_id": 1, **run},
    }


def test_only_a_merged_pull_request_counts_and_the_last_one() -> None:
    assert merged_review.merged_head([]) is None
    assert merged_review.merged_head([pull("open", None)]) is None
    pulls = [pull("first", "2026-01-01"), pull("open", None), pull("last", "2026-01-02")]
    assert merged_review.merged_head(pulls) == "last"


def test_the_newest_record_of_the_same_commit_counts() -> None:
    old, new = artifact(1), artifact(2, created_at="2026-01-02T00:00:00Z")
    assert merged_review.newest([new, old], HEAD) == 2
    assert merged_review.newest([], HEAD) is None


def test_a_record_made_by_a_fork_or_for_another_commit_or_gone_does_not_count() -> None:
    fork = artifact(1, head_repository_id=2)
    other = artifact(2, head_sha="b" * 40)
    renamed = {**artifact(3), "name": "something-else"}
    expired = {**artifact(4), "expired": True}
    assert merged_review.newest([fork, other, renamed, expired], HEAD) is None


def run(tmp_path: Path, answers: dict[str, bytes]) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Run the program with a `gh` that knows exactly these paths."""
    for index, (path, answer) in enumerate(answers.items()):
        (tmp_path / f"answer{index}").write_bytes(answer)
        (tmp_path / f"asked{index}").write_text(path)
    gh = tmp_path / "gh"
    gh.write_text(
        "#!/bin/sh\n"
        f"for known in {tmp_path}/asked*; do\n"
        '  answer="$(echo "$known" | sed s/asked/answer/)"\n'
        '  if [ "$1 $2" = "api $(cat "$known")" ]; then exec cat "$answer"; fi\n'
        'done\necho "unexpected: $*" >&2; exit 1\n'
    )
    gh.chmod(0o755)
    target = tmp_path / "reviewed.json"
    answer = subprocess.run(
        [sys.executable, merged_review.__file__, COMMIT, str(target)],
        env={"PATH": f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin", "GITHUB_REPOSITORY": "o/r"},
        capture_output=True,
        text=True,
        check=False,
    )
    return answer, target


PULLS = f"repos/o/r/commits/{COMMIT}/pulls"
ARTIFACTS = f"repos/o/r/actions/artifacts?name=reviewed-plan-{HEAD}&per_page=100"


def test_the_record_is_fetched(tmp_path: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("reviewed.json", "[]\n")
    answer, target = run(
        tmp_path,
        {
            PULLS: json.dumps([pull(HEAD, "2026-01-01")]).encode(),
            ARTIFACTS: json.dumps({"artifacts": [artifact(7)]}).encode(),
            "repos/o/r/actions/artifacts/7/zip": archive.getvalue(),
        },
    )
    assert answer.returncode == 0, answer.stderr
    assert target.read_text() == "[]\n"


def test_a_commit_without_a_pull_request_writes_no_record(tmp_path: Path) -> None:
    answer, target = run(tmp_path, {PULLS: b"[]"})
    assert answer.returncode == 0
    assert "nothing counts as reviewed" in answer.stdout
    assert not target.exists()


def test_a_pull_request_without_a_record_writes_none(tmp_path: Path) -> None:
    pulls = json.dumps([pull(HEAD, "2026-01-01")]).encode()
    answer, target = run(tmp_path, {PULLS: pulls, ARTIFACTS: b'{"artifacts": []}'})
    assert answer.returncode == 0
    assert not target.exists()


def test_an_api_that_fails_is_no_missing_review(tmp_path: Path) -> None:
    answer, target = run(tmp_path, {})
    assert answer.returncode != 0
    assert not target.exists()
