"""A local cloud and a stack of their own for each module: its tests are one story, told in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from localcloud.plugins.install import install
from tests.cloud import RunningCloud, running_cloud
from tests.e2e.engine import PROJECT_ROOT, Engine


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCloud]:
    with running_cloud(tmp_path_factory.mktemp("cloud"), pins=PROJECT_ROOT / "image") as running:
        yield running


@pytest.fixture(scope="module")
def engine(cloud: RunningCloud, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    home = tmp_path_factory.mktemp("pulumi-home")
    install(home)
    return Engine(folder=Path(tmp_path_factory.mktemp("project")), cloud_url=cloud.base_url, pulumi_home=home)
