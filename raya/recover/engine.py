"""The engine's own commands, as recovery uses them. Each runs the ``pulumi`` on PATH."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from raya.errors import RayaError

# How the plugins pass on that Hetzner or Google does not know a token or a key.
_UNAUTHORIZED = re.compile(r"\bunauthorized\b|\b401\b|\binvalid_grant\b", re.IGNORECASE)
# The exit statuses of `python -m toolchain.stack_lock --look`.
_HELD, _LEFT = 3, 4


class EngineError(RayaError):
    """``pulumi`` failed; the text is its own."""


class OldTokenError(EngineError):
    """The engine reads with what the last update wrote into the state, and that was withdrawn since."""


@dataclass(frozen=True)
class Lock:
    """Why the stack is locked, in a sentence. ``is_held``: by somebody who may still be working."""

    sentence: str
    is_held: bool


@dataclass(frozen=True)
class Engine:
    """One stack of the project in ``root``."""

    root: Path
    stack: str

    def torn_notes(self) -> Sequence[Path]:
        """What makes the state unreadable after a kill in the middle of its writing ("EOF").

        A backend in a folder keeps a note beside each file (``.attrs``, gocloud.dev/blob/fileblob), which it
        does not write in one go as it does the file itself. Without a note the file is read as it is.
        """
        backend = self._folder()
        project = self._project()
        notes = backend.glob(f".pulumi/stacks/{project}/{self.stack}.json*.attrs") if backend else ()
        return [note for note in notes if not _is_json(note)]

    def config(self) -> tuple[dict[str, str], frozenset[str]]:
        """Every value by its full key, decrypted, defaults included; and the keys that are secrets."""
        values = json.loads(self._pulumi("config", "--json", "--show-secrets"))
        secrets = frozenset(key for key, each in values.items() if each["secret"])
        return {key: str(each.get("value", "")) for key, each in values.items()}, secrets

    def export(self) -> dict[str, Any]:
        """The state, its secrets encrypted."""
        document: dict[str, Any] = json.loads(self._pulumi("stack", "export"))
        return document

    def replace_state(self, document: Mapping[str, Any]) -> None:
        """In one write; the engine checks it and refuses what does not fit together."""
        self._pulumi("stack", "import", given=json.dumps(document))

    def refresh(self, urns: Collection[str]) -> None:
        """Reads these from the clouds, and nothing else. Raises ``OldTokenError``."""
        targets = [part for urn in urns for part in ("--target", urn)]
        try:
            self._pulumi("refresh", "--yes", "--skip-preview", *targets)
        except EngineError as error:
            if not _UNAUTHORIZED.search(str(error)):
                raise
            raise OldTokenError(
                "a cloud refused the token with which the engine reads. That is the one of the last update, "
                "which the state keeps; recovery itself has used the one of the configuration just now. "
                f"Write the new one into the state: pulumi up --stack {self.stack} --target "
                "'**pulumi:providers:**' (it changes nothing else), and run this again. "
                "docs/runbooks/tokens.md says more."
            ) from error

    def free(self) -> None:
        """Removes the lock of a run that is gone; raises when somebody has locked the stack meanwhile."""
        backend = self._folder()
        if backend is None:
            self._pulumi("cancel", "--yes")
        elif (freed := self._stack_lock(str(backend), self.stack)).returncode != 0:
            raise EngineError(freed.stderr.strip())

    def lock(self) -> Lock | None:
        """Who has locked the stack, as far as its backend shows it.

        A backend in a folder has lock files, Pulumi Cloud says whether an update runs. One in a bucket shows
        nothing until somebody needs the lock; what recovery does first then fails with the engine's sentence.
        """
        if backend := self._folder():
            return self._lock_file(backend)
        for each in json.loads(self._pulumi("stack", "ls", "--json", of_stack=False)):
            if each["name"].rpartition("/")[2] == self.stack and each.get("updateInProgress"):
                return Lock(
                    f"an update of the stack {self.stack} is in progress, as its backend says. When that run "
                    f"is gone for sure: `pulumi cancel --yes --stack {self.stack}`, and run this again.",
                    is_held=True,
                )
        return None

    def _folder(self) -> Path | None:
        """Where the state is, when it is in a folder."""
        url = urlsplit(json.loads(self._pulumi("whoami", "--json", of_stack=False))["url"])
        return Path(unquote(url.netloc + url.path)).expanduser() if url.scheme == "file" else None

    def _lock_file(self, backend: Path) -> Lock | None:
        looked = self._stack_lock("--look", str(backend), self.stack)
        if looked.returncode not in (0, _HELD, _LEFT):
            raise EngineError(looked.stderr.strip())
        if looked.returncode == 0:
            return None
        return Lock(looked.stderr.strip(), is_held=looked.returncode == _HELD)

    def _stack_lock(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._run([sys.executable, "-m", "toolchain.stack_lock", *arguments])

    def _project(self) -> str:
        name: str = yaml.safe_load((self.root / "Pulumi.yaml").read_text())["name"]
        return name

    def _pulumi(self, *arguments: str, given: str = "", of_stack: bool = True) -> str:
        command = ["pulumi", "--non-interactive", *arguments, *(["--stack", self.stack] if of_stack else [])]
        try:
            ran = self._run(command, given=given)
        except FileNotFoundError:
            raise EngineError("there is no pulumi on PATH: run `make setup`, or install it") from None
        if ran.returncode != 0:
            said = "\n".join(filter(None, (ran.stderr.strip(), ran.stdout.strip())))
            raise EngineError(f"pulumi {' '.join(arguments[:2])} failed: {said}")
        return ran.stdout

    def _run(self, command: Sequence[str], *, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.root, input=given, capture_output=True, text=True, check=False
        )


def _is_json(file: Path) -> bool:
    try:
        json.loads(file.read_text())
    except ValueError:
        return False
    return True
