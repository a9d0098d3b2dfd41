"""The real engine over a copy of this project and a local cloud: what the lifecycle tests drive."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests import pulumi_cli

PROJECT_ROOT = Path(__file__).parent.parent.parent
STACK = "test"
# What the program reads at run time; a copy of it can be edited without touching the checkout.
_PROGRAM = (
    "Pulumi.yaml",
    "__main__.py",
    "raya",
    "rendering",
    "toolchain",
    "butane",
    "manifests",
    "deploy",
    "image",
    "pyproject.toml",
)


@dataclass(frozen=True)
class Step:
    """One planned operation of a preview."""

    op: str
    urn: str

    @property
    def name(self) -> str:
        """``<type>::<name>`` with the type's last word only: ``Server::agent-1``."""
        *_, kind, name = self.urn.split("::")
        return f"{kind.split('$')[-1].split(':')[-1]}::{name}"


@dataclass
class Engine:
    """One stack of a copied project. Every method runs the real ``pulumi`` and returns what it printed."""

    folder: Path
    cloud_url: str
    pulumi_home: Path
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        state = self.folder / ".state"
        state.mkdir(parents=True)
        # The debug commands bring --event-log.
        self.environment = {
            **pulumi_cli.environment(home=self.pulumi_home, backend=state),
            "PULUMI_DEBUG_COMMANDS": "true",
        }
        self.copy_program()
        self._write_config()
        self.pulumi("stack", "init", STACK)

    def copy_program(self) -> None:
        """Brings the program's files here as they are in the checkout; undoes what a test changed in them."""
        for part in _PROGRAM:
            source, target = PROJECT_ROOT / part, self.folder / part
            if source.is_dir():
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, target)

    def _write_config(self) -> None:
        """Pulumi.local.yaml, pointed at this test's own local cloud."""
        text = (PROJECT_ROOT / "Pulumi.local.yaml").read_text()
        local_url = yaml.safe_load(text)["config"]["hcloud:endpoint"].removesuffix("/hcloud/v1")
        self.config_file.write_text(text.replace(local_url, self.cloud_url))

    @property
    def config_file(self) -> Path:
        return self.folder / f"Pulumi.{STACK}.yaml"

    def configure(self, path: str, value: str | None, *, secret: bool = False) -> None:
        """Sets ``path`` (``raya:network.range``), or removes it when ``value`` is None."""
        if value is None:
            self.pulumi("config", "rm", "--path", path)
        else:
            self.pulumi("config", "set", "--path", path, *(["--secret"] if secret else []), "--", value)

    def fleet(self, *agents: Mapping[str, str] | None) -> None:
        """Writes the fleet file."""
        path = self.folder / "deploy" / "fleet" / "agents.json"
        path.write_text(json.dumps({"agents": list(agents)}))

    def pulumi(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs ``pulumi`` with the stack's environment; a failure shows all it printed."""
        return pulumi_cli.run(self.folder, self.environment, *arguments, check=check)

    def up(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.pulumi("up", "--yes", "--stack", STACK, *arguments, check=check)

    def preview(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.pulumi("preview", "--stack", STACK, *arguments, check=check)

    def destroy(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.pulumi("destroy", "--yes", "--stack", STACK, *arguments, check=check)

    def plan(self) -> list[Step]:
        """The steps of a preview, the unchanged ones left out."""
        document = json.loads(self.preview("--json").stdout)
        steps = [Step(step["op"], step["urn"]) for step in document.get("steps", [])]
        return [step for step in steps if step.op not in ("same", "read")]

    def planned(self) -> dict[str, set[str]]:
        """Names of what a preview changes, by operation; the parts of a replacement count as ``replace``."""
        by_operation: dict[str, set[str]] = {}
        for step in self.plan():
            operation = "replace" if "replace" in step.op else step.op
            by_operation.setdefault(operation, set()).add(step.name)
        return by_operation

    def outputs(self, *, secrets: bool = False) -> dict[str, Any]:
        flag = ["--show-secrets"] if secrets else []
        document: dict[str, Any] = json.loads(self.pulumi("stack", "output", "--json", *flag).stdout)
        return document

    def export(self) -> str:
        """The exported state, secrets encrypted."""
        return self.pulumi("stack", "export", "--stack", STACK).stdout

    def orphans(self, *arguments: str) -> str:
        """What ``make orphans`` prints for this stack."""
        status, printed = self.command("raya.orphans", *arguments)
        assert status == 0, printed
        return printed

    def recover(self, *arguments: str) -> tuple[int, str]:
        """The exit status of ``make recover`` for this stack, without make around it, and what it prints."""
        return self.command("raya.recover", *arguments)

    def command(self, module: str, *arguments: str) -> tuple[int, str]:
        """Runs one of the program's own commands on this stack, without a terminal."""
        ran = subprocess.run(
            [sys.executable, "-m", module, "--stack", STACK, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
            timeout=pulumi_cli.TIMEOUT_S,
        )
        return ran.returncode, ran.stdout

    def resources(self) -> list[dict[str, Any]]:
        deployment: dict[str, Any] = json.loads(self.export())["deployment"]
        return list(deployment.get("resources", []))
