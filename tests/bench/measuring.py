"""Runs of two programs, one after the other in turns, and what their times say about each other."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Run:
    """Seconds by the clock, and seconds of processor time of the process and all that it started."""

    wall_s: float
    cpu_s: float


@dataclass(frozen=True)
class Comparison:
    """The runs of the real program and of the floor."""

    real: Sequence[Run]
    floor: Sequence[Run]

    def figures(self, verb: str, agents: int) -> dict[str, float]:
        """Flat figures, named after the verb: ratios of medians, and the times themselves."""
        real, floor = _medians(self.real), _medians(self.floor)
        return {
            f"{verb}_ratio_{agents}": round(real.wall_s / floor.wall_s, 3),
            f"{verb}_cpu_ratio_{agents}": round(real.cpu_s / floor.cpu_s, 3),
            f"{verb}_s_{agents}": round(real.wall_s, 2),
            f"{verb}_fastest_s_{agents}": round(min(run.wall_s for run in self.real), 2),
            f"{verb}_floor_s_{agents}": round(floor.wall_s, 2),
            f"{verb}_floor_fastest_s_{agents}": round(min(run.wall_s for run in self.floor), 2),
        }


def timed(action: Callable[[], object]) -> Run:
    """One run of something that starts processes and waits for them."""
    cpu_before, before = _children_cpu_s(), time.monotonic()
    action()
    return Run(wall_s=time.monotonic() - before, cpu_s=_children_cpu_s() - cpu_before)


def alternating(real: Callable[[], Run], floor: Callable[[], Run], times: int) -> Comparison:
    """Real, floor, real, floor ...: what slows the machine down for a while slows down both."""
    pairs = [(real(), floor()) for _ in range(times)]
    return Comparison(real=[one for one, _ in pairs], floor=[other for _, other in pairs])


def _medians(runs: Sequence[Run]) -> Run:
    return Run(wall_s=median(run.wall_s for run in runs), cpu_s=median(run.cpu_s for run in runs))


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
