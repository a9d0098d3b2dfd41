"""Texts taken out and put back: the same as what butane makes of the whole."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raya.machine_config import NodeSpec
from rendering import butane, ignition, inline_texts, templates
from rendering.inline_texts import NoShapeError
from tests import machines

HEAD = "variant: fcos\nversion: 1.6.0\n"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200) | st.text(
    "a:\n#' \t\"\\%{}", max_size=20
)


def of_the_whole(text: str, files_dir: Path) -> str:
    """What butane itself says, of the config as it is."""
    command = [str(butane.find_butane()), "--strict", "--files-dir", str(files_dir)]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True, timeout=60)
    return ignition.canonical(done.stdout.decode())


@pytest.mark.parametrize("spec", [machines.control_plane(), machines.agent()], ids=lambda spec: spec.role)
def test_machines_are_told_what_butane_makes_of_the_whole(spec: NodeSpec) -> None:
    config = machines.render(spec)
    assert config.ignition == of_the_whole(config.butane, machines.OVERLAY)
    _, texts = inline_texts.take_out(config.butane)
    assert len(texts) > 5


@settings(max_examples=60)
@given(texts=st.lists(TEXTS, min_size=1, max_size=6))
def test_any_text_arrives_as_butane_would_write_it(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    quote = templates.environment(machines.PROJECT_ROOT / "butane").filters["tojson"]
    files = "".join(
        f"    - path: /file-{number}\n      contents: {{inline: {quote(text)}}}\n"
        for number, text in enumerate(texts)
    )
    text = f"{HEAD}storage:\n  files:\n{files}"
    folder = tmp_path_factory.getbasetemp()
    made = butane.to_ignition(text, files_dir=folder)
    assert made == of_the_whole(text, folder)
    assert [entry.contents.decode() for entry in ignition.decode(made)] == texts


@pytest.mark.parametrize(
    "value",
    [
        "yes",
        "off",
        "0644",
        "1.10",
        "12:30",
        "1_000",
        "0x1F",
        "0o17",
        "2024-01-01T00:00:00Z",
        "1e3",
        ".inf",
        "! 012",
    ],
)
def test_a_value_without_quotes_is_what_butane_reads(value: str, tmp_path: Path) -> None:
    user = f"{{name: core, gecos: {value}, groups: [{value}], password_hash: {value}}}"
    text = (
        f"{HEAD}passwd: {{users: [{user}]}}\n"
        f"storage: {{files: [{{path: /a, contents: {{inline: {value}}}}}, "
        f"{{path: /b, mode: 0644, contents: {{inline: b}}, append: [{{inline: {value}}}]}}]}}\n"
    )
    assert butane.to_ignition(text, files_dir=tmp_path) == of_the_whole(text, tmp_path)
    assert "/b" in inline_texts.take_out(text)[1]


def test_what_is_no_text_stays_with_butane() -> None:
    files = [
        {"path": "/compressed", "contents": {"inline": "text", "compression": "gzip"}},
        {"path": "/number", "contents": {"inline": 1}},
        {"path": "/local", "contents": {"local": "file"}},
        {"path": "/of-a-tree", "mode": 0o600},
        {"path": "/text", "contents": {"inline": "text"}},
    ]
    _, texts = inline_texts.take_out(json.dumps({"storage": {"files": files}}))
    assert texts == {"/text": "text"}


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        "storage: {files: 1}",
        "- list",
        "{",
        "storage: {files: [{contents: {inline: a}}]}",
        "# \u2028\nstorage: {files: []}",
        "storage: {files: []}\nstorage: {files: []}",
        "storage: {files: [{path: /a, contents: &text {inline: a}}, {path: /b, contents: *text}]}",
        "storage: {files: [{path: /a, contents: {<<: {inline: a}}}]}",
        "%YAML 1.2\n---\nstorage: {files: []}",
        "",
    ],
    ids=[
        "no files",
        "not a list",
        "no config",
        "no YAML",
        "no path",
        "disputed line break",
        "a key twice",
        "alias",
        "merge key",
        "directive",
        "empty",
    ],
)
def test_what_cannot_be_taken_apart_is_left_to_butane(text: str) -> None:
    with pytest.raises(NoShapeError):
        inline_texts.take_out(text)
