"""`make bench`: runs every case, prints one table and writes the same figures flat to build/bench.json.

    python -m tests.bench [CASE...]

A case is a function in one of the modules beside this one; it returns figures: name -> number. Names say
what is measured and in which unit (`render_s`, `user_data_bytes_agent`, `preview_ratio_10`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.bench import engine_cases, rendering_cases

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "build/bench.json"

Figures = Mapping[str, float]
CASES: dict[str, Callable[[], Figures]] = {
    "render": rendering_cases.render,
    **engine_cases.cases(),
}


def table(figures: Figures) -> str:
    """One line for each figure, the names left and the numbers right."""
    width = max(len(name) for name in figures)
    return "\n".join(f"{name:<{width}}  {value:>12,.10g}" for name, value in figures.items())


def main(names: list[str]) -> int:
    unknown = sorted(set(names) - set(CASES))
    if unknown:
        print(f"bench: there is no case {', '.join(unknown)}; there are {', '.join(CASES)}.", file=sys.stderr)
        return 2
    figures: dict[str, float] = {}
    for name in names or CASES:
        print(f"bench: {name}", file=sys.stderr)
        figures.update(CASES[name]())
    figures |= engine_cases.derived(figures)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(figures, indent=2) + "\n")
    print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
