"""The order of a boot with everything that systemd adds by itself, read from a tree of units; and its cycles.

Modelled after the manual: systemd.unit(5), systemd.exec(5), and the implicit and default dependencies of each
kind of unit. `systemd-analyze verify` is the other opinion: tests ask both.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath

from toolchain.unit_files import Unit, parse

FOLDERS = ("etc/systemd/system", "usr/lib/systemd/system")
PULLS_IN = ("Requires", "Requisite", "Wants", "BindsTo", "Upholds")
# Kinds that are up before the basic system is done -> the target that gathers them.
GATHERED = {"socket": "sockets.target", "timer": "timers.target", "path": "paths.target"}
API_MOUNTS = ("/", "/dev", "/proc", "/run", "/sys")


class Boot:
    """Every unit that starting `goal` starts, and what each of them waits for."""

    def __init__(self, root: Path, goal: str = "multi-user.target") -> None:
        self._root = root
        self._aliases = _aliases(root)
        self.read = cache(self._read)
        self.units: dict[str, Unit] = {}
        waiting = [goal]
        while waiting:
            name = self.canonical(waiting.pop())
            unit = self.read(name)
            if name not in self.units and unit is not None:
                self.units[name] = unit
                waiting += self._pulled_in(unit)

    def canonical(self, name: str) -> str:
        return self._aliases.get(name, name)

    def order(self) -> dict[str, set[str]]:
        """Unit -> the units of this boot that it is started after."""
        after: dict[str, set[str]] = {name: set() for name in self.units}
        for unit in self.units.values():
            for first in (self.canonical(name) for name in self._after(unit)):
                if first in after:
                    after[unit.name].add(first)
            for then in (self.canonical(name) for name in self._before(unit)):
                if then in after:
                    after[then].add(unit.name)
        for target in (unit for unit in self.units.values() if _is(unit, "target") and _by_default(unit)):
            for first in map(self.canonical, self._own_wishes(target)):
                # systemd does not add an order that would turn around a stated one.
                if first in after and target.name not in after[first] and _by_default(self.units[first]):
                    after[target.name].add(first)
        return after

    def cycle(self) -> list[str]:
        """Units that wait for one another, each for the next; empty when there are none."""
        try:
            TopologicalSorter(self.order()).prepare()
        except CycleError as error:
            return list(reversed(error.args[1]))
        return []

    def _read(self, name: str) -> Unit | None:
        """The unit with its drop-ins; None where the tree has none of this name."""
        template = f"{name.partition('@')[0]}@.{name.rpartition('.')[2]}" if "@" in name else name
        names = dict.fromkeys((name, template))
        places = [self._root / folder / each for each in names for folder in FOLDERS]
        file = next((place for place in places if place.is_file()), None)
        if file is None:
            return None
        dropins = {
            dropin.name: dropin
            for folder in reversed(FOLDERS)
            for each in reversed(names)
            for dropin in (self._root / folder / f"{each}.d").glob("*.conf")
        }
        texts = [file, *(dropins[each] for each in sorted(dropins))]
        return Unit(name, tuple(setting for text in texts for setting in parse(text.read_text())))

    def _linked(self, name: str, kind: str) -> Iterator[str]:
        """What enabling other units has linked to this one."""
        for folder in FOLDERS:
            yield from sorted(link.name for link in (self._root / folder / f"{name}.{kind}").glob("*"))

    def _own_wishes(self, unit: Unit) -> list[str]:
        linked = [*self._linked(unit.name, "wants"), *self._linked(unit.name, "requires")]
        return [*unit.values(*PULLS_IN), *linked]

    def _pulled_in(self, unit: Unit) -> list[str]:
        added = [*self._mounts(unit), *_slice(unit)]
        if _by_default(unit) and not _is(unit, "target", "mount", "slice"):
            added.append("sysinit.target")
        if unit.text("Type") == "dbus":
            added.append("dbus.socket")
        if _is(unit, "service"):
            # A service wants the sockets that start it.
            added.append(f"{unit.name.removesuffix('service')}socket")
        return [*self._own_wishes(unit), *added]

    def _after(self, unit: Unit) -> Iterator[str]:
        yield from unit.values("After")
        yield from self._mounts(unit)
        yield from _slice(unit)
        if _is(unit, "service"):
            yield from unit.values("Sockets")
            if unit.text("Type") == "dbus":
                yield "dbus.socket"
            if unit.text("StandardOutput") in ("", "inherit", "journal", "kmsg"):
                yield "systemd-journald.socket"
            if unit.is_on("PrivateTmp", default=False):
                yield "systemd-tmpfiles-setup.service"
        if _is(unit, "mount") and _by_default(unit):
            yield "local-fs-pre.target"
        if _by_default(unit) and not _is(unit, "target", "mount", "slice"):
            yield "sysinit.target"
            if _is(unit, "service"):
                yield "basic.target"

    def _before(self, unit: Unit) -> Iterator[str]:
        yield from unit.values("Before")
        kind = unit.name.rpartition(".")[2]
        if kind in GATHERED:
            # What it starts, it starts after itself.
            named = unit.text("Service" if kind == "socket" else "Unit")
            yield named or f"{unit.name.removesuffix(kind)}service"
            if _by_default(unit):
                yield GATHERED[kind]
        if kind == "mount" and _by_default(unit):
            yield "local-fs.target"

    def _mounts(self, unit: Unit) -> Iterator[str]:
        """The mount units of the tree that hold a path which the unit needs."""
        paths = unit.values("RequiresMountsFor", "WorkingDirectory", "RootDirectory")
        for key, parent in (
            ("StateDirectory", "/var/lib"),
            ("CacheDirectory", "/var/cache"),
            ("LogsDirectory", "/var/log"),
        ):
            paths += [f"{parent}/{name}" for name in unit.values(key)]
        if unit.is_on("PrivateTmp", default=False):
            paths += ["/tmp", "/var/tmp"]
        if _is(unit, "mount"):
            paths += [str(PurePosixPath(path).parent) for path in unit.values("Where")]
            paths += [path for path in unit.values("What") if path.startswith("/")]
        for path in map(PurePosixPath, paths):
            for place in (path, *path.parents):
                name = escape(str(place)) + ".mount"
                if str(place) not in API_MOUNTS and name != unit.name and self.read(name):
                    yield name


def escape(path: str) -> str:
    """A path as part of a unit's name (systemd-escape --path)."""
    plain = path.strip("/")
    escaped = "".join(
        letter if letter.isalnum() or letter in ":_." or letter == "/" else f"\\x{ord(letter):02x}"
        for letter in plain
    )
    return escaped.replace("/", "-") or "-"


def _aliases(root: Path) -> dict[str, str]:
    """Another name of a unit -> the name of its file."""
    links = [
        link for folder in reversed(FOLDERS) for link in (root / folder).glob("*.*") if link.is_symlink()
    ]
    return {link.name: link.readlink().name for link in links}


def _is(unit: Unit, *kinds: str) -> bool:
    return unit.name.rpartition(".")[2] in kinds


def _by_default(unit: Unit) -> bool:
    return unit.is_on("DefaultDependencies", default=True)


def _slice(unit: Unit) -> list[str]:
    if not _is(unit, "service", "socket", "mount"):
        return []
    return [unit.text("Slice") or ("system.slice" if _by_default(unit) else "-.slice")]
