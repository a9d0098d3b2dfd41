"""Reading Ignition back, and its canonical form."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest

from rendering import butane, ignition
from rendering.errors import IgnitionError
from rendering.ignition import IgnitionEntry

CONFIG = """\
variant: fcos
version: 1.6.0
passwd: {users: [{name: core, ssh_authorized_keys: [key]}]}
storage:
  trees: [{local: tree}]
  files:
    - {path: /etc/secret, mode: 0600, contents: {inline: "a\\nb\\n"}}
    - {path: /etc/long, mode: 0644, contents: {inline: "LONG"}}
  directories: [{path: /etc/folder, mode: 0700}]
  links: [{path: /etc/link, target: /etc/secret}]
systemd:
  units:
    - {name: a.service, enabled: true, contents: "[Install]\\nWantedBy=x.target\\n"}
    - {name: b.service, dropins: [{name: c.conf, contents: "[Unit]\\n"}]}
""".replace("LONG", "long " * 100)


@pytest.fixture
def config(tmp_path: Path) -> str:
    (tmp_path / "tree" / "usr").mkdir(parents=True)
    script = tmp_path / "tree" / "usr" / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    return butane.to_ignition(CONFIG, files_dir=tmp_path)


def stub(config: str) -> str:
    source = "data:;base64," + base64.b64encode(gzip.compress(config.encode())).decode()
    replace = {"source": source, "compression": "gzip"}
    return json.dumps({"ignition": {"version": "3.5.0", "config": {"replace": replace}}})


def test_everything_ignition_makes_is_listed(config: str) -> None:
    entries = {entry.path: (entry.kind, entry.mode, entry.contents) for entry in ignition.decode(config)}
    assert entries == {
        "/etc/folder": ("directory", 0o700, b""),
        "/etc/link": ("link", None, b"/etc/secret"),
        "/etc/long": ("file", 0o644, b"long " * 100),
        "/etc/secret": ("file", 0o600, b"a\nb\n"),
        "/etc/systemd/system/a.service": ("unit", 0o644, b"[Install]\nWantedBy=x.target\n"),
        "/etc/systemd/system/b.service.d/c.conf": ("dropin", 0o644, b"[Unit]\n"),
        "/usr/script": ("file", 0o755, b"#!/bin/sh\n"),
        "unit:a.service": ("unit", None, b'{"enabled":true}'),
        "user:core": ("user", None, b'{"name":"core","sshAuthorizedKeys":["key"]}'),
    }


def test_a_config_that_replaces_itself_is_followed(config: str) -> None:
    assert ignition.decode(stub(config)) == ignition.decode(config)
    assert ignition.decode(stub(stub(config))) == ignition.decode(config)


def test_the_canonical_form_does_not_show_who_compressed_what() -> None:
    def with_file(contents: dict[str, str]) -> str:
        storage = {"files": [{"path": "/a", "contents": contents}]}
        return json.dumps({"storage": storage, "ignition": {"version": "3.5.0"}}, indent=2)

    packed = [base64.b64encode(gzip.compress(b"a b%", level)).decode() for level in (1, 9)]
    forms = {
        ignition.canonical(with_file({"source": f"data:;base64,{data}", "compression": "gzip"}))
        for data in packed
    }
    forms.add(ignition.canonical(with_file({"source": "data:,a%20b%25"})))
    forms.add(ignition.canonical(with_file({"source": "data:,a%20b%25", "compression": ""})))
    assert forms == {
        '{"ignition":{"version":"3.5.0"},'
        '"storage":{"files":[{"contents":{"source":"data:,a%20b%25"},"path":"/a"}]}}'
    }


def test_a_data_url_holds_only_what_ignitions_parser_takes_unescaped() -> None:
    every_ascii = bytes(range(128))
    url = ignition.data_url(every_ascii)
    # The characters that vincent-petithory/dataurl refuses where they are not escaped.
    assert not set(url) & set(' "#<>[\\]^`{|}\x7f')
    assert url.isprintable()
    assert ignition.read_resource({"source": url}) == every_ascii


def test_contents_that_are_no_text_become_base64() -> None:
    assert ignition.data_url(b"\xff\x00") == "data:;base64,/wA="


def test_contents_are_never_in_a_repr() -> None:
    assert "secret" not in repr(IgnitionEntry(path="/a", kind="file", contents=b"secret"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no json", "not JSON"),
        ("{}", "no ignition.version"),
        ("[]", "no ignition.version"),
        (
            '{"ignition": {"version": "3.5.0", "config": {"replace": {"source": "https://x"}}}}',
            "not a data URL",
        ),
    ],
)
def test_what_is_no_complete_config_is_refused(text: str, reason: str) -> None:
    with pytest.raises(IgnitionError, match=reason):
        ignition.decode(text)


@pytest.mark.parametrize(
    "resource",
    [
        {"source": "data:;base64,!"},
        {"source": "data:,plain", "compression": "gzip"},
        {"source": "data:,plain", "compression": "xz"},
    ],
)
def test_a_broken_resource_is_refused(resource: dict[str, str]) -> None:
    with pytest.raises(IgnitionError):
        ignition.read_resource(resource)
