"""Charts, rendered by Helm as k3s' own controller has it do: with the values of a HelmChart object."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.commands import LabError, run

Object = dict[str, Any]


def package(chart: Path, version: str, folder: Path) -> Path:
    """An archive of the chart under its release's version, as the release makes it of the sources."""
    run([_helm(), "package", chart, "--version", version, "--app-version", version, "--destination", folder])
    (made,) = folder.glob("*.tgz")
    return made


def objects(chart: Path, release: Mapping[str, Any], *, kubernetes: str) -> list[Object]:
    """What the chart makes of a HelmChart object, hooks left out; LabError with Helm's words when it refuses.

    `kubernetes` is the release that the cluster is taken for.
    """
    spec = release["spec"]
    printed = run(
        [
            *(_helm(), "template", release["metadata"]["name"], chart),
            *("--namespace", spec["targetNamespace"], "--kube-version", kubernetes),
            *("--no-hooks", "--values", "-"),
        ],
        given=spec["valuesContent"],
    )
    return [document for document in yaml.safe_load_all(printed) if document]


def _helm() -> str:
    found = shutil.which("helm")
    if found is None:
        raise LabError(
            f"helm is not on PATH ({os.environ['PATH']}): `make test-kube` makes it and puts it there"
        )
    return found
