"""The fleet: which agents exist. ``deploy/fleet/agents.json`` or the stack key ``raya:fleet``, same entries.

``{"agents": [ {}, {"serverType": "cpx22", "location": "fsn1"}, null ]}``: an entry's position is the agent's
identity, an empty object takes the stack's defaults, ``null`` retires a position so that the agents after it
keep theirs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raya import strict_json
from raya.addressing import NETWORK_ZONES, agent_name
from raya.errors import RayaError
from raya.wording import first_problems, json_kind, listing, one_line, show, unknown

# A Hetzner network takes 100 attached resources; the control plane is one.
MAX_LIVE_AGENTS = 99
_SERVER_TYPE = re.compile(r"[a-z]{2,4}[0-9]{2,3}")
# The last digit is the generation; on these the private interface is ens10 (Hetzner's networks FAQ).
_OLD_INTERFACE = re.compile(r"cx[0-9]1|ccx[0-9][12]")

_ENTRY_KEYS = ("serverType", "location")


class FleetError(RayaError):
    """The fleet is malformed. ``problems``: one sentence each, with source, position and reason; the text of
    the error has the first 20 of them.
    """

    def __init__(self, *problems: str) -> None:
        self.problems = tuple(one_line(problem) for problem in problems)
        super().__init__("\n".join(first_problems(self.problems)))


@dataclass(frozen=True)
class Agent:
    """One live agent. ``server_type`` and ``location`` are ``None`` where the stack's defaults hold."""

    position: int
    server_type: str | None = None
    location: str | None = None

    @property
    def name(self) -> str:
        """Node name and hostname: ``agent-3``."""
        return agent_name(self.position)


@dataclass(frozen=True)
class Fleet:
    """The live agents in the order of their positions. ``from_file``: the repository the cluster follows
    lists them.

    ``source`` is the file's path or the stack key, for sentences.
    """

    agents: tuple[Agent, ...]
    from_file: bool
    source: str = field(default="raya:fleet", compare=False)

    def where(self, agent: Agent) -> str:
        """Where an agent is written down, as errors say it."""
        return f"{self.source}: agents[{agent.position}]"


def broken_server_type_rule(value: str) -> str | None:
    """The rule that ``value`` breaks as a server type, or None."""
    if not _SERVER_TYPE.fullmatch(value):
        return "a Hetzner server type is lower-case letters and a number, such as cx23, cpx22, ccx13 or cax11"
    if _OLD_INTERFACE.fullmatch(value):
        return (
            "on that generation the private interface is called ens10, and the machines configure enp7s0: "
            "take a newer one, such as cx23 or ccx13"
        )
    return None


def parse_fleet_file(path: Path) -> Fleet:
    """The fleet of a fleet file; ``FleetError`` names the file, the position and the reason."""
    return Fleet(agents=_agents(_entries_of(path), source=str(path)), from_file=True, source=str(path))


def parse_entries(entries: object, *, source: str = "raya:fleet") -> Fleet:
    """The fleet of a decoded JSON list; ``source`` is what a ``FleetError`` calls it."""
    return Fleet(agents=_agents(entries, source=source), from_file=False, source=source)


def _entries_of(path: Path) -> object:
    try:
        content = strict_json.read(path)
    except FileNotFoundError:
        raise FleetError(
            f'{path} does not exist: create it with {{"agents": []}}, or name another file in raya:fleetFile'
        ) from None
    except OSError as error:
        raise FleetError(f"{path} cannot be read: {error.strerror or error}") from None
    except strict_json.StrictJsonError as error:
        raise FleetError(f"{path}: {error}") from None
    if not isinstance(content, dict):
        raise FleetError(f'{path} holds {json_kind(content)}: it must be an object, {{"agents": [ ... ]}}')
    if isinstance(content, strict_json.RepeatedName):
        raise FleetError(f"{path} gives {show(content.repeated)} twice: keep one")
    strangers = [
        f"{path} has the unknown key {show(key)}: {unknown(key, ['agents'])}"
        for key in content
        if key != "agents"
    ]
    if "agents" not in content and not strangers:
        strangers.append(f'{path} has no "agents": write {{"agents": []}} for a cluster without agents')
    if strangers:
        raise FleetError(*strangers)
    return content["agents"]


def _agents(entries: object, *, source: str) -> tuple[Agent, ...]:
    if not isinstance(entries, list | tuple):
        raise FleetError(
            f"{source}: the agents are {json_kind(entries)}: they must be a list, one entry a position"
        )
    problems: list[str] = []
    agents = [
        _agent(position, entry, f"{source}: agents[{position}]", problems)
        for position, entry in enumerate(entries)
    ]
    live = tuple(agent for agent in agents if agent is not None)
    if len(live) > MAX_LIVE_AGENTS:
        problems.append(
            f"{source}: fleet has {len(live)} agents: a Hetzner network takes 100 resources, control plane "
            f"included; retire {len(live) - MAX_LIVE_AGENTS} (null keeps their positions)"
        )
    if problems:
        raise FleetError(*problems)
    return live


def _agent(position: int, entry: object, where: str, problems: list[str]) -> Agent | None:
    if entry is None:
        return None
    if not isinstance(entry, dict):
        problems.append(
            f"{where} is {json_kind(entry)}: an entry is an object ({{}} takes the defaults) or null (a "
            "retired position)"
        )
        return Agent(position)
    if isinstance(entry, strict_json.RepeatedName):
        problems.append(f"{where} gives {show(entry.repeated)} twice: keep one")
    problems.extend(
        f"{where} has the unknown key {show(key)}: {unknown(str(key), _ENTRY_KEYS)}"
        for key in entry
        if key not in _ENTRY_KEYS
    )
    return Agent(
        position,
        server_type=_server_type(entry, where, problems),
        location=_location(entry, where, problems),
    )


def _server_type(entry: dict[str, Any], where: str, problems: list[str]) -> str | None:
    value = _text(entry, "serverType", where, problems)
    if value is not None and (rule := broken_server_type_rule(value)):
        problems.append(f"{where}.serverType is {show(value)}: {rule}")
    return value


def _location(entry: dict[str, Any], where: str, problems: list[str]) -> str | None:
    value = _text(entry, "location", where, problems)
    if value is not None and value not in NETWORK_ZONES:
        problems.append(
            f"{where}.location is {show(value)}: Hetzner's locations are {listing(NETWORK_ZONES)}"
        )
    return value


def _text(entry: dict[str, Any], key: str, where: str, problems: list[str]) -> str | None:
    if key not in entry:
        return None
    value = entry[key]
    if isinstance(value, str):
        return value
    problems.append(
        f"{where}.{key} is {json_kind(value)}: it must be text; leave the key out to take the stack's default"
    )
    return None
