"""What the handbook points at exists."""

from __future__ import annotations

from toolchain import handbook


def test_every_link_heading_and_verb_exists() -> None:
    assert len(handbook.pages(handbook.ROOT)) >= 3
    assert handbook.faults(handbook.ROOT) == []
