"""The longest chain of creations that wait for one another: the least time that a first `up` can take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tests.bench.recording import Resource

# Resources of these packages are calls to an API; the others are made inside of the engine or a plugin.
_CLOUDS = ("hcloud:", "gcp:")


def longest(resources: Sequence[Resource]) -> list[str]:
    """The types of the longest chain, as the program declares it."""
    return _longest(resources, lambda resource: resource.dependencies)


def longest_forced(resources: Sequence[Resource]) -> list[str]:
    """The same by data alone: who cannot be made without a value that only the other one's creation gives."""
    return _longest(
        resources,
        lambda resource: [urn for urns in resource.property_dependencies.values() for urn in urns],
    )


def _longest(resources: Sequence[Resource], waits_for: Callable[[Resource], Iterable[str]]) -> list[str]:
    chains: dict[str, list[str]] = {}
    for each in resources:
        before = max((chains.get(urn, []) for urn in waits_for(each)), key=len, default=[])
        own = [f"{each.type.split(':')[-1]} {each.name}"] if each.type.startswith(_CLOUDS) else []
        chains[each.urn] = [*before, *own]
    return max(chains.values(), key=len, default=[])
