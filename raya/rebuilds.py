"""Says in one line when an update would rebuild the cluster rather than a machine of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from raya.addressing import CONTROL_PLANE_NAME
from raya.wording import listing

# Path -> short digest; None: not known yet, because something it is made of is about to change.
Digests = Mapping[str, str] | None


def announce(previous: Mapping[str, Mapping[str, str]], current: Mapping[str, Digests]) -> str | None:
    """One sentence when every agent, or the control plane together with agents, is about to be rebuilt.

    ``previous`` and ``current``: machine config digests by node name, of the last update and of this one.
    Nodes that come or go do not count. None when there is nothing to announce.
    """
    kept = [name for name in current if name in previous]
    rebuilt = [name for name in kept if current[name] != previous[name]]
    agents = [name for name in kept if name != CONTROL_PLANE_NAME]
    rebuilt_agents = [name for name in rebuilt if name != CONTROL_PLANE_NAME]
    every_agent = bool(agents) and len(rebuilt_agents) == len(agents)
    with_control_plane = CONTROL_PLANE_NAME in rebuilt and bool(rebuilt_agents)
    if not (every_agent or with_control_plane):
        return None
    who = _count(rebuilt_agents, agents)
    if with_control_plane:
        who = f"the control plane and {who}"
    return f"this update rebuilds {who}, because of {_reasons(previous, current, rebuilt)}"


def refuse(
    previous: Mapping[str, Mapping[str, str]],
    current: Mapping[str, Digests],
    irreplaceable: Mapping[str, str],
) -> str | None:
    """A sentence when machines that could not be made again (the reason, by name) are about to be rebuilt.

    One reason is often that of many machines: a type is sold out for all of them.
    """
    lost = [name for name in irreplaceable if name in previous and current.get(name) != previous[name]]
    if not lost:
        return None
    by_problem: dict[str, list[str]] = {}
    for name in lost:
        by_problem.setdefault(irreplaceable[name], []).append(name)
    problems = [f"{', '.join(names)}: {problem}" for problem, names in by_problem.items()]
    if len(problems) == 1:
        problems = list(by_problem)
    them = "it" if len(lost) == 1 else "them"
    return (
        f"this update would delete {listing(lost, last='and')} and could not make {them} again: "
        f"{' '.join(problems)} Change the server type in the same update, or undo what rebuilds {them} "
        f"({_reasons(previous, current, lost)})."
    )


def _count(rebuilt: list[str], agents: list[str]) -> str:
    if len(rebuilt) == len(agents):
        return f"every agent ({len(agents)})" if len(agents) > 1 else f"the only agent ({agents[0]})"
    return f"{len(rebuilt)} of {len(agents)} agents"


def _reasons(
    previous: Mapping[str, Mapping[str, str]], current: Mapping[str, Digests], rebuilt: list[str]
) -> str:
    changed: set[str] = set()
    for name in rebuilt:
        now = current[name]
        if now is None:
            return "secrets or resources that this update replaces"
        before = previous[name]
        changed |= {path for path in {*now, *before} if now.get(path) != before.get(path)}
    shown = sorted(changed)[:5]
    more = f" and {len(changed) - len(shown)} more" if len(changed) > len(shown) else ""
    return ", ".join(shown) + more
