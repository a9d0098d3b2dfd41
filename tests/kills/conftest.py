"""One stack and one cloud for each file of the lab, and for each process that runs rounds of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from localcloud.plugins.install import install
from tests.cloud import running_cloud
from tests.e2e.engine import PROJECT_ROOT, Engine
from tests.kills.story import Story
from tests.kills.strangers import Strangers


class Stage:
    """Makes a new story when a round has failed, so that the next one tells of its own point only."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders, self._story = folders, None
        self._closing = contextlib.ExitStack()

    def story(self) -> Story:
        if self._story is None or not self._story.ended_well:
            self.close()
            self._story = self._new()
        self._story.ended_well = False
        return self._story

    def close(self) -> None:
        self._closing.close()

    def _new(self) -> Story:
        home = self._folders.mktemp("pulumi-home")
        install(home)
        cloud_folder = self._folders.mktemp("cloud")
        cloud = self._closing.enter_context(running_cloud(cloud_folder, pins=PROJECT_ROOT / "image"))
        folder = self._folders.mktemp("project")
        engine = Engine(folder=folder, cloud_url=cloud.base_url, pulumi_home=home)
        engine.fleet({})
        return Story(engine, cloud, Strangers(cloud))


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    stage = Stage(tmp_path_factory)
    yield stage
    stage.close()


@pytest.fixture
def story(stage: Stage) -> Story:
    return stage.story()
