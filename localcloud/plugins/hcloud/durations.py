"""Go duration text, as `hcloud:pollInterval` takes it."""

from __future__ import annotations

import re

_UNITS_S = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")


def seconds(text: str) -> float | None:
    """`1m30s` -> 90.0; None when the text is no duration."""
    if re.fullmatch(f"(?:{_PART.pattern})+", text) is None:
        return None
    return sum(float(number) * _UNITS_S[unit] for number, unit in _PART.findall(text))
