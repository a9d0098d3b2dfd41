"""`preview` and `up` against the floor, and what a cluster costs in requests, state and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.bench import chain, recording, requests
from tests.bench.contenders import Contender, contenders
from tests.bench.measuring import Comparison, alternating

Figures = dict[str, float]

# Agents -> how many times `preview` is measured, and how many times `up` is after the first time. With 99
# agents that takes most of a minute.
REPETITIONS = {1: (5, 2), 10: (5, 2), 99: (3, 1)}


def cases() -> dict[str, Callable[[], Iterator[Figures]]]:
    """One case for each size of the cluster (`agents-10`), and one for an agent that joins."""
    sizes = {f"agents-{agents}": partial(measured, agents, *times) for agents, times in REPETITIONS.items()}
    return {"one-more": one_more, **sizes}


def one_more() -> Iterator[Figures]:
    """What the clouds are asked for one agent more, by kind; the program's own lookups are left out."""
    with contenders(1) as (real, _):
        lookups = requests.by_kind(_asked(real, real.preview))
        real.engine.fleet({}, {})
        asked = requests.by_kind(_asked(real, real.engine.up))
    # An `up` runs the program twice: for its preview, and for itself.
    asked.subtract(lookups + lookups)
    kinds = {f"api_requests_per_agent_{kind}": count for kind, count in sorted(asked.items()) if count}
    yield {"api_requests_per_agent": sum(kinds.values()), **kinds}


def measured(agents: int, previews: int, further_ups: int) -> Iterator[Figures]:
    with contenders(agents) as (real, floor):
        yield {
            **_declared(agents, real),
            f"state_bytes_floor_{agents}": floor.state_bytes(),
            **_looked_up(real),
            f"peak_memory_mib_{agents}": real.peak_mib_of_preview(),
            f"peak_memory_floor_mib_{agents}": floor.peak_mib_of_preview(),
        }
        yield alternating(real.preview, floor.preview, previews).figures("preview", agents)
        for _ in range(further_ups):
            real.up_from_nothing()
            floor.up_from_nothing()
        yield Comparison(real=real.ups, floor=floor.ups).figures("up", agents)


def derived(figures: Figures) -> Figures:
    """What two sizes of the cluster say about one agent more."""
    found: Figures = {}
    if {"state_bytes_1", "state_bytes_99"} <= figures.keys():
        growth = (figures["state_bytes_99"] - figures["state_bytes_1"]) / 98
        found["state_bytes_per_agent"] = round(growth)
        found["state_growth_ratio"] = round(growth / figures["state_user_data_bytes"], 2)
    return found


def _declared(agents: int, real: Contender) -> Figures:
    """What the first `up` asked and left."""
    asked = len(real.cloud.requests())
    resources = recording.registered(real.deployment())
    user_data = {each.name: len(each.inputs["userData"]) for each in resources if "userData" in each.inputs}
    return {
        f"resources_{agents}": len(resources),
        f"requests_{agents}": asked,
        f"state_bytes_{agents}": real.state_bytes(),
        "state_user_data_bytes": user_data["agent-0"],
        "longest_chain": len(chain.longest(resources)),
        "longest_chain_forced": len(chain.longest_forced(resources)),
    }


def _looked_up(real: Contender) -> Figures:
    """What the preview of an unchanged stack asks: the program's own requests."""
    asked = _asked(real, real.preview)
    return {"lookups_per_run": len(asked), "lookups_repeated": requests.repeated(asked)}


def _asked(real: Contender, action: Callable[[], object]) -> list[requests.Request]:
    before = len(real.cloud.requests())
    action()
    return list(real.cloud.requests()[before:])
