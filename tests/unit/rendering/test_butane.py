"""Running butane: strict, once for all configs of one shape, with its report when it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rendering import butane, ignition
from rendering.errors import ButaneError, ButaneMissingError

HEAD = "variant: fcos\nversion: 1.6.0\n"


def counting_butane(folder: Path) -> tuple[Path, Path]:
    """A program that notes each of its runs and then is the real butane."""
    log, program = folder / "runs", folder / "butane"
    program.write_text(f'#!/bin/sh\necho run >>"{log}"\nexec "{butane.find_butane()}" "$@"\n')
    program.chmod(0o755)
    return program, log


def test_the_output_is_compact_json(tmp_path: Path) -> None:
    text = butane.to_ignition(HEAD, files_dir=tmp_path)
    assert json.loads(text) == {"ignition": {"version": "3.5.0"}}
    assert "\n" not in text


def test_an_error_carries_butanes_report(tmp_path: Path) -> None:
    with pytest.raises(ButaneError, match=r"(?s)butane refuses the config.*line 3"):
        butane.to_ignition(HEAD + "storage: {files: [{path: relative}]}\n", files_dir=tmp_path)


def test_an_unknown_key_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ButaneError, match="Unused key strage"):
        butane.to_ignition(HEAD + "strage: {}\n", files_dir=tmp_path)


def test_a_key_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    text = HEAD + "storage: {files: [{path: /a, mode: 0600, mode: 0644, contents: {inline: a}}]}\n"
    with pytest.raises(ButaneError, match=r"mode. already defined"):
        butane.to_ignition(text, files_dir=tmp_path)


def test_configs_that_differ_in_their_files_texts_share_one_run(tmp_path: Path) -> None:
    program, log = counting_butane(tmp_path)
    (tmp_path / "files").mkdir()
    for name in ("one", "other"):
        text = HEAD + f"storage: {{files: [{{path: /name, contents: {{inline: {name}}}}}]}}\n"
        made = butane.to_ignition(text, files_dir=tmp_path / "files", butane=program)
        assert [entry.contents for entry in ignition.decode(made)] == [name.encode()]
    assert log.read_text().count("run") == 1


def test_an_edited_file_is_transpiled_again(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    file = tmp_path / "tree" / "motd"
    text = HEAD + "storage: {trees: [{local: tree}]}\n"
    file.write_text("first")
    first = butane.to_ignition(text, files_dir=tmp_path)
    file.write_text("second version")
    assert butane.to_ignition(text, files_dir=tmp_path) != first


def test_a_failure_is_not_remembered(tmp_path: Path) -> None:
    program = tmp_path / "butane"
    with pytest.raises(ButaneError, match="could not be run"):
        butane.to_ignition(HEAD, files_dir=tmp_path, butane=program)
    shutil.copy(butane.find_butane(), program)
    assert butane.to_ignition(HEAD, files_dir=tmp_path, butane=program)


def test_a_stated_butane_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAYA_BUTANE", str(tmp_path / "nothing"))
    with pytest.raises(ButaneMissingError, match=r"RAYA_BUTANE names .*nothing"):
        butane.find_butane()


def test_butane_on_path_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, _ = counting_butane(tmp_path)
    monkeypatch.delenv("RAYA_BUTANE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert butane.find_butane() == program
