"""What the cases share: one network namespace for each process that runs them, one image for all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from raya import throwaway_keys
from tests.boot.lab import image, namespace
from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.image import Image
from tests.boot.lab.metadata import Metadata
from tests.boot.lab.network import Network

ROOT = Path(__file__).resolve().parents[2]
# Logs of cases that failed; the folder of a case that passed is removed.
KEPT = ROOT / "build" / "boot"


@pytest.fixture(scope="session")
def boot_image() -> Image:
    return image.ready()


@pytest.fixture(scope="session")
def wires(boot_image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Network, Metadata]]:
    namespace.enter()
    network, metadata = Network(tmp_path_factory.mktemp("network")), Metadata()
    network.start()
    yield network, metadata
    network.stop()


@pytest.fixture
def lab(
    request: pytest.FixtureRequest, boot_image: Image, wires: tuple[Network, Metadata], tmp_path: Path
) -> Iterator[Lab]:
    network, metadata = wires
    metadata.reset()
    metadata.start()
    made = Lab(tmp_path, boot_image, network, metadata)
    yield made
    failed = request.node.stash.get(FAILED, True)
    made.close(failed=failed)
    metadata.stop()
    if failed:
        kept = KEPT / request.node.name
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for log in tmp_path.glob("*.log"):
            shutil.copy(log, kept)
    for disk in (*tmp_path.glob("*.qcow2"), *tmp_path.glob("*.raw")):
        disk.unlink()


@pytest.fixture
def case_settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What `settings.yaml` beside the case changes about the example stack."""
    file = Path(request.path).with_name("settings.yaml")
    return dict(yaml.safe_load(file.read_text()) or {}) if file.exists() else {}


@pytest.fixture
def cluster(lab: Lab, case_settings: dict[str, Any]) -> Cluster:
    return Cluster(lab, case_settings, throwaway_keys.authorized_key())


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = yield
    if report.when in ("setup", "call"):
        item.stash[FAILED] = report.failed or item.stash.get(FAILED, False)
    return report
