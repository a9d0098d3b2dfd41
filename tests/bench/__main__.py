"""`make bench`: runs every case, prints one table and writes the same figures flat to build/bench.json.

    python -m tests.bench [--page] [CASE...]

A case is a function in one of the modules beside this one; it yields figures as it gets them: name -> number.
Names say what is measured and in which unit (`render_s`, `user_data_bytes_agent`, `preview_ratio_10`).
`--page` writes the figures into docs/benchmarks.md as well.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.bench import boot_cases, engine_cases, page, rendering_cases
from tests.bench.targets import verdicts

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "build/bench.json"
PAGE = ROOT / "docs/benchmarks.md"

Figures = Mapping[str, float]
CASES: dict[str, Callable[[], Iterator[Figures]]] = {
    "render": rendering_cases.render,
    **engine_cases.cases(),
    "boot": boot_cases.boot,
}


def table(figures: Figures) -> str:
    """One line for each figure, the names left and the numbers right; then one for each target."""
    width = max(len(name) for name in figures)
    lines = [f"{name:<{width}}  {value:>12,.10g}" for name, value in figures.items()]
    lines += [
        f"{name:<{width}}  {value:>12,.10g}  at most {limit:,.10g}: {'holds' if holds else 'DOES NOT HOLD'}"
        for name, value, limit, holds in verdicts(figures)
    ]
    return "\n".join(lines)


def measured(names: list[str]) -> Iterator[Figures]:
    """All figures so far, each time that a case has new ones."""
    figures: dict[str, float] = {}
    for name in names:
        print(f"bench: {name}", file=sys.stderr)
        for found in CASES[name]():
            figures |= found
            yield figures | engine_cases.derived(figures)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the program.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"one of {', '.join(CASES)}; default: all")
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks.md as well")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.cases) - set(CASES)):
        parser.error(f"there is no case {', '.join(unknown)}; there are {', '.join(CASES)}.")
    TARGET.parent.mkdir(exist_ok=True)
    figures: Figures = {}
    for figures in measured(arguments.cases or list(CASES)):
        TARGET.write_text(json.dumps(figures, indent=2) + "\n")
    if arguments.page:
        PAGE.write_text(page.updated(PAGE.read_text(), figures))
    print(table(figures))


if __name__ == "__main__":
    main()
