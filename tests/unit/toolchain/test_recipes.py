"""Versions stand in go.mod; every tool has a folder with checksums, and every folder a tool."""

from __future__ import annotations

import re

import pytest

from toolchain import cache
from toolchain.recipes import FOLDER, TOOLS, ToolchainError, go_directive, module_version, version_tuple


def test_every_folder_belongs_to_a_tool_and_the_other_way_round() -> None:
    with_go = {path.parent.name for path in FOLDER.glob("*/go.mod")}
    assert with_go == {folder for tool in TOOLS for folder in tool.folders}
    assert len(with_go) >= 3


def test_every_module_is_checksummed() -> None:
    seen = 0
    for tool in TOOLS:
        needed = {(binary.folder, binary.module) for binary in tool.binaries}
        for folder, module in needed | {(file.folder, file.module) for file in tool.files}:
            seen += 1
            sums = (FOLDER / folder / "go.sum").read_text()
            assert f"{module} v{module_version(folder, module)} h1:" in sums
    assert seen >= 4


def test_a_folder_that_any_go_can_read_names_its_release() -> None:
    for folder in {folder for tool in TOOLS for folder in tool.folders}:
        assert re.fullmatch(r"\d+\.\d+(\.\d+)?", go_directive(folder)), folder


def test_a_module_that_is_not_required_is_a_sentence() -> None:
    with pytest.raises(
        ToolchainError, match=r"toolchain/butane/go\.mod does not require example\.org/x: run"
    ):
        module_version("butane", "example.org/x")


def test_keys_differ_by_tool_and_are_stable() -> None:
    keys = [cache.key(tool) for tool in TOOLS]
    assert keys == [cache.key(tool) for tool in TOOLS]
    assert len(set(keys)) == len(TOOLS)
    assert all(
        re.fullmatch(rf"{tool.name}-[0-9a-f]{{16}}", key) for tool, key in zip(TOOLS, keys, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v3.274.1", (3, 274, 1)),
        ("Butane v0.24.0\n", (0, 24, 0)),
        ("go1.26", (1, 26)),
        ("3.275.0-alpha.1", (3, 275, 0)),
        ("none", None),
        ("7", None),
    ],
)
def test_version_numbers(text: str, expected: tuple[int, ...] | None) -> None:
    assert version_tuple(text) == expected
