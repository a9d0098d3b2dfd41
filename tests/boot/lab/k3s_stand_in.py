"""The stand-in for k3s, built."""

from __future__ import annotations

from pathlib import Path

from tests import go_program

SOURCES = Path(__file__).parents[1] / "k3s_stand_in"


def build() -> Path:
    """The program `k3s`: it runs on any Linux of this machine's architecture."""
    return go_program.build(SOURCES, "k3s")
