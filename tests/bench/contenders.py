"""The real program and the floor, each with a stack and a local cloud of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from localcloud.plugins.install import install
from tests import pulumi_cli
from tests.bench import recording
from tests.bench.measuring import Run, timed
from tests.bench.memory import peak_mib
from tests.cloud import RunningCloud, running_cloud
from tests.e2e.engine import PROJECT_ROOT, STACK, Engine
from toolchain.virtualenv import Virtualenv

FLOOR = Path(__file__).parent / "floor"
# What Pulumi makes for a user: without the linters' packages, which others import when they are there.
USERS = Virtualenv(root=PROJECT_ROOT, folder="build/bench-venv", requirements="requirements.txt")
# A hundred machines on a busy computer.
_TIMEOUT_S = 1800


class Floor(Engine):
    """An engine whose project is the floor."""

    def copy_program(self) -> None:
        shutil.copytree(FLOOR, self.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


class Contender:
    """One program: a project in a folder, with nothing made yet. ``ups``: its runs of `up` so far."""

    def __init__(self, engine: Engine, cloud: RunningCloud) -> None:
        self.engine, self.cloud = engine, cloud
        self.ups: list[Run] = []
        # Nobody compiles a program anew for each run, except where this is set.
        self.engine.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.engine.environment["PATH"] = f"{USERS.bin}{os.pathsep}{self.engine.environment['PATH']}"
        self._state, self._nothing = engine.folder / ".state", engine.folder / ".nothing-made"
        shutil.copytree(self._state, self._nothing)

    def up_from_nothing(self) -> None:
        """`pulumi up` of a stack and in a cloud where nothing exists."""
        self._forget_everything()
        self.ups.append(timed(lambda: self._pulumi("up", "--yes", "--stack", STACK)))

    def preview(self) -> Run:
        """`pulumi preview` of the stack as it is."""
        return timed(lambda: self._pulumi("preview", "--expect-no-changes", "--stack", STACK))

    def _pulumi(self, *arguments: str) -> None:
        pulumi_cli.run(self.engine.folder, self.engine.environment, *arguments, timeout_s=_TIMEOUT_S)

    def peak_mib_of_preview(self) -> float:
        command = ["pulumi", "--non-interactive", "preview", "--stack", STACK]
        return peak_mib(command, self.engine.folder, self.engine.environment)

    def _forget_everything(self) -> None:
        # Not by a reset, after which a snapshot would have another id than the one that the floor was told.
        self.cloud.stop()
        for file in self.cloud.folder.glob("cloud.sqlite*"):
            file.unlink()
        self.cloud.restart()
        shutil.rmtree(self._state)
        shutil.copytree(self._nothing, self._state)

    def deployment(self) -> dict[str, Any]:
        """The exported state, with its secrets."""
        exported = self.engine.pulumi("stack", "export", "--stack", STACK, "--show-secrets").stdout
        deployment: dict[str, Any] = json.loads(exported)["deployment"]
        return deployment

    def state_bytes(self) -> int:
        """What the backend keeps: the file as it is, secrets encrypted."""
        return (self._state / ".pulumi" / "stacks" / "raya" / f"{STACK}.json").stat().st_size


@contextlib.contextmanager
def contenders(agents: int) -> Iterator[tuple[Contender, Contender]]:
    """The real program with that many agents, after its first `up`; and the floor that was made of it.

    The floor has been run once too, and registered the same.
    """
    USERS.ensure(lambda text: print(f"bench: {text}", file=sys.stderr))
    with (
        tempfile.TemporaryDirectory(prefix="raya-bench-") as folder,
        _cloud(Path(folder) / "real-cloud") as real_cloud,
        _cloud(Path(folder) / "floor-cloud") as floor_cloud,
    ):
        home = Path(folder) / "pulumi-home"
        install(home)
        engine = Engine(folder=Path(folder) / "real", cloud_url=real_cloud.base_url, pulumi_home=home)
        engine.fleet(*[{} for _ in range(agents)])
        real = Contender(engine, real_cloud)
        real.up_from_nothing()
        floor = Contender(
            Floor(folder=Path(folder) / "floor", cloud_url=floor_cloud.base_url, pulumi_home=home),
            floor_cloud,
        )
        deployment = real.deployment()
        (floor.engine.folder / "recording.json").write_text(json.dumps(recording.recorded(deployment)))
        floor.up_from_nothing()
        if found := recording.differences(deployment, floor.deployment()):
            raise AssertionError("the floor registers something else:\n" + "\n".join(found))
        yield real, floor


@contextlib.contextmanager
def _cloud(folder: Path) -> Iterator[RunningCloud]:
    folder.mkdir()
    with running_cloud(folder, pins=PROJECT_ROOT / "image") as cloud:
        yield cloud
