"""What the figures should be, and whether they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

AT_MOST: Mapping[str, float | str] = MappingProxyType(
    {
        "preview_ratio_10": 1.15,
        "preview_ratio_99": 1.25,
        "up_ratio_10": 1.10,
        "up_ratio_99": 1.10,
        "user_data_bytes_agent": 8192,
        # Four fifths of what Hetzner takes.
        "user_data_bytes_largest": 26214,
        "longest_chain": "longest_chain_forced",
        "lookups_repeated": 0,
        "state_growth_ratio": 3,
        "boot_ratio_agent": 1.15,
        "boot_ratio_control_plane": 1.15,
    }
)
"""Figure -> the most it may be: a number, or another figure."""


def verdicts(figures: Mapping[str, float]) -> Iterator[tuple[str, float, float, bool]]:
    """Figure, its value, its limit and whether it holds, of each target that was measured."""
    for name, most in AT_MOST.items():
        limit = figures.get(most) if isinstance(most, str) else most
        if name in figures and limit is not None:
            yield name, figures[name], limit, figures[name] <= limit
