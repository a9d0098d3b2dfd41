"""Systemd units in trees of files, read as systemd reads them: a drop-in adds to its unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

UNIT_DIR = Path("etc/systemd/system")
YES = frozenset({"1", "yes", "true", "on"})


@dataclass(frozen=True)
class Setting:
    """One line of a unit, as in `After=network-online.target` below `[Unit]`."""

    section: str
    key: str
    value: str


@dataclass(frozen=True)
class Unit:
    """A unit with everything that its drop-ins add."""

    name: str
    settings: tuple[Setting, ...] = ()

    def values(self, *keys: str) -> list[str]:
        """The words given to any of `keys`, each once, first come first.

        An empty value takes back what was given before, except in [Unit]: no dependency can be taken back.
        """
        words: list[str] = []
        for setting in self.settings:
            if setting.key in keys:
                kept = words if setting.value or setting.section == "Unit" else []
                words = [*kept, *setting.value.split()]
        return list(dict.fromkeys(words))

    def text(self, key: str) -> str:
        """The last value given to `key`; empty without one."""
        return next((setting.value for setting in reversed(self.settings) if setting.key == key), "")

    def is_on(self, key: str, *, default: bool) -> bool:
        """The truth of a setting like `DefaultDependencies=no`."""
        text = self.text(key).lower()
        return text in YES if text else default

    def has_section(self, section: str) -> bool:
        return any(setting.section == section for setting in self.settings)


def parse(text: str) -> Iterator[Setting]:
    """The settings of a unit's text. A line that ends in a backslash goes on in the next one."""
    section = ""
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("["):
            section = line.strip().strip("[]")
        elif "=" in line and not line.startswith(("#", ";")):
            key, value = line.split("=", 1)
            yield Setting(section, key.strip(), value.strip())


def read(trees: Sequence[Path]) -> dict[str, Unit]:
    """Name -> unit, of all that `trees` hold at `UNIT_DIR`: units, and drop-ins of theirs or of others."""
    found: dict[str, Unit] = {}
    for file in _files(trees):
        name = file.parent.name.removesuffix(".d") if file.suffix == ".conf" else file.name
        before = found.get(name, Unit(name)).settings
        found[name] = Unit(name, (*before, *parse(file.read_text())))
    return found


def _files(trees: Sequence[Path]) -> list[Path]:
    """Units first, then drop-ins by name, whichever tree they are in: so does systemd."""
    files = [file for tree in trees for file in sorted((tree / UNIT_DIR).rglob("*")) if file.is_file()]
    return sorted(files, key=lambda file: (file.suffix == ".conf", file.name))
