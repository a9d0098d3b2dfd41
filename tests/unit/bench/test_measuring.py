"""The arithmetic of the bench: ratios of medians, turns, and verdicts."""

from __future__ import annotations

import subprocess
import sys

from tests.bench.measuring import Comparison, Run, alternating, timed
from tests.bench.targets import verdicts


def test_a_ratio_is_that_of_the_medians() -> None:
    real = [Run(wall_s=wall, cpu_s=2 * wall) for wall in (3.0, 100.0, 2.0)]
    floor = [Run(wall_s=wall, cpu_s=8.0) for wall in (2.0, 1.0, 50.0)]
    assert Comparison(real=real, floor=floor).figures("preview", 10) == {
        "preview_ratio_10": 1.5,
        "preview_cpu_ratio_10": 0.75,
        "preview_s_10": 3.0,
        "preview_fastest_s_10": 2.0,
        "preview_floor_s_10": 2.0,
        "preview_floor_fastest_s_10": 1.0,
    }


def test_both_take_turns() -> None:
    happened: list[str] = []

    def run(name: str) -> Run:
        happened.append(name)
        return Run(wall_s=len(happened), cpu_s=0.0)

    compared = alternating(lambda: run("real"), lambda: run("floor"), 2)
    assert happened == ["real", "floor", "real", "floor"]
    assert [each.wall_s for each in compared.floor] == [2, 4]


def test_processor_time_is_that_of_what_was_started() -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    run = timed(lambda: subprocess.run([sys.executable, "-c", busy], check=True))
    assert run.cpu_s >= 0.3
    assert run.wall_s > 0


def test_a_verdict_compares_with_a_number_or_with_another_figure() -> None:
    figures = {"user_data_bytes_agent": 8192, "longest_chain": 6, "longest_chain_forced": 4, "other": 1}
    assert list(verdicts(figures)) == [
        ("user_data_bytes_agent", 8192, 8192, True),
        ("longest_chain", 6, 4, False),
    ]
    assert list(verdicts({"longest_chain": 6})) == []
