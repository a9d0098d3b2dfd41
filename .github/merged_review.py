"""Fetches what the reviewer of a merged pull request was shown.

    GH_TOKEN=... GITHUB_REPOSITORY=owner/name python3 .github/merged_review.py COMMIT FILE

The preview job of a pull request keeps its record (plan_guard.py) as an artifact named after the commit it
previewed. This writes that record into FILE, or no file when there is none: then nothing was reviewed. Uses
`gh`, which the runners have; standard library only.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

MEMBER = "reviewed.json"


def artifact_name(head: str) -> str:
    """The name under which the preview of the commit `head` is kept; it is written in workflows/prod.yaml."""
    return f"reviewed-plan-{head}"


def merged_head(pulls: Iterable[Mapping[str, Any]]) -> str | None:
    """The last commit of the pull request that was merged, out of those that a commit on main belongs to."""
    merged = [pull for pull in pulls if pull.get("merged_at")]
    latest = max(merged, key=lambda pull: str(pull["merged_at"]), default=None)
    return None if latest is None else str(latest["head"]["sha"])


def newest(artifacts: Iterable[Mapping[str, Any]], head: str) -> int | None:
    """The id of the newest artifact that this repository's own run for `head` made, never a fork's."""
    own = [
        artifact
        for artifact in artifacts
        if artifact["name"] == artifact_name(head)
        and not artifact["expired"]
        and artifact["workflow_run"]["head_sha"] == head
        and artifact["workflow_run"]["head_repository_id"] == artifact["workflow_run"]["repository_id"]
    ]
    latest = max(own, key=lambda artifact: str(artifact["created_at"]), default=None)
    return None if latest is None else int(latest["id"])


def fetch(repository: str, commit: str) -> str | None:
    """The record that the reviewer of `commit` was shown; None when there is no such review."""
    head = merged_head(json.loads(_gh(f"repos/{repository}/commits/{commit}/pulls")))
    if head is None:
        return None
    listing = json.loads(_gh(f"repos/{repository}/actions/artifacts?name={artifact_name(head)}&per_page=100"))
    number = newest(listing["artifacts"], head)
    if number is None:
        return None
    with zipfile.ZipFile(io.BytesIO(_gh(f"repos/{repository}/actions/artifacts/{number}/zip"))) as archive:
        return archive.read(MEMBER).decode()


def _gh(path: str) -> bytes:
    return subprocess.run(["gh", "api", path], check=True, stdout=subprocess.PIPE).stdout


def main(arguments: list[str]) -> int:
    commit, target = arguments
    record = fetch(os.environ["GITHUB_REPOSITORY"], commit)
    if record is None:
        print(f"{commit} came without a pull request whose preview is kept: nothing counts as reviewed.")
        return 0
    Path(target).write_text(record)
    print(f"The review of {commit} is in {target}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
