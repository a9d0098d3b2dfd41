"""The measured part of docs/benchmarks.md: the machine, the verdicts and all figures."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from tests.bench.targets import verdicts

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def updated(page: str, figures: Mapping[str, float]) -> str:
    """The page with what was measured between its two marks."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"the page has no {BEGIN} with an {END} after it")
    return f"{before}{BEGIN}\n\n{_measured(figures)}\n\n{END}{after}"


def _measured(figures: Mapping[str, float]) -> str:
    held = [
        f"| `{name}` | {_number(value)} | {_number(limit)} | {'holds' if holds else 'does not hold'} |"
        for name, value, limit, holds in verdicts(figures)
    ]
    rows = [f"| `{name}` | {_number(value)} |" for name, value in figures.items()]
    return "\n".join(
        [
            f"Measured on {_today()}: {_machine()}.",
            "",
            "| target | figure | at most | |",
            "| --- | ---: | ---: | --- |",
            *held,
            "",
            "| figure | value |",
            "| --- | ---: |",
            *rows,
        ]
    )


def _number(value: float) -> str:
    return f"{value:,.10g}"


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _machine() -> str:
    model = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    pulumi = subprocess.run(["pulumi", "version"], capture_output=True, check=True, text=True).stdout.strip()
    return ", ".join(
        [
            f"{os.cpu_count()} cores of {model[1] if model else 'an unnamed processor'}",
            f"{memory_gib:.0f} GiB",
            f"Linux {platform.release()}",
            f"Python {platform.python_version()}",
            f"Pulumi {pulumi} with its Python SDK {version('pulumi')}",
            f"a load of {os.getloadavg()[2]:.1f} over the last quarter of an hour",
        ]
    )
