"""What the tests share: one API server for each process that runs them, with the CRDs that charts bring."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kube import upstream
from tests.kube.lab.api_server import ApiServer

ROOT = Path(__file__).resolve().parents[2]
# The logs of a run in which something failed.
KEPT = ROOT / "build" / "kube"


@pytest.fixture(scope="session")
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    server = ApiServer(tmp_path_factory.mktemp("cluster"))
    before = request.session.testsfailed
    try:
        server.start()
        for file in upstream.crds():
            server.kubectl("apply", "--server-side", "--filename", file)
        server.kubectl("wait", "crd", "--all", "--for=condition=Established", "--timeout=60s")
        server.remember()
        yield server
        failed = request.session.testsfailed > before
    except BaseException:
        failed = True
        raise
    finally:
        server.stop()
        if failed:
            _keep(server.logs)


def _keep(logs: tuple[Path, ...]) -> None:
    folder = KEPT / os.environ.get("PYTEST_XDIST_WORKER", "main")
    folder.mkdir(parents=True, exist_ok=True)
    for log in logs:
        if log.exists():
            shutil.copy(log, folder)
