"""The runbook for a node that does not come up names every unit, and quotes the scripts word for word."""

from __future__ import annotations

import re

from tests import machines
from tests.static.overlay import SPECS, units

PAGE = machines.PROJECT_ROOT / "docs/runbooks/node-does-not-come-up.md"
SCRIPTS = sorted(machines.OVERLAY.glob("*/usr/local/bin/*"))
# `$(...)` may hold quotes of its own.
SUBSTITUTION = r"\$\((?:[^()]|\([^()]*\))*\)"
# What a script says to its operator: echo, and its own words for a cause it waits for and for the end.
SAID = re.compile(rf'^[^#\n]*?\b(echo|report|fail \S+) "((?:{SUBSTITUTION}|[^"])*)"', re.MULTILINE)
VALUE = re.compile(rf"{SUBSTITUTION}|\$\{{[^}}]*\}}|\$\w+")


def messages() -> dict[str, str]:
    """Each sentence of each script, as a pattern -> as it stands in the script."""
    found = {}
    for script in SCRIPTS:
        for verb, text in SAID.findall(script.read_text()):
            said = text if verb == "echo" else f"{script.name}: {text}"
            # A script's own word for it hands on what it was given.
            if VALUE.sub("", said).removeprefix(f"{script.name}:").strip():
                found[".+".join(re.escape(part) for part in VALUE.split(said))] = said
    return found


def quoted() -> list[str]:
    """What the page quotes: in the first column of a table, or as a reason in it."""
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    return [quote for row in rows for quote in re.findall(r"`([^`]+)`", row.split("|")[1])]


def test_each_sentence_of_the_scripts_is_explained() -> None:
    assert len(messages()) >= 20
    for pattern, said in messages().items():
        assert any(re.fullmatch(pattern, quote) for quote in quoted()), said


def test_each_quoted_sentence_is_one_that_a_script_says() -> None:
    sentences = [quote for quote in quoted() if re.match("(k3s|mkfs)-|the volume", quote)]
    assert len(sentences) >= 20
    for sentence in sentences:
        assert any(re.fullmatch(pattern, sentence) for pattern in messages()), sentence


def test_every_unit_has_a_section() -> None:
    headings = " ".join(line for line in PAGE.read_text().splitlines() if line.startswith("## "))
    names = {name for role in SPECS for name in units(role)} - {"NetworkManager-wait-online.service"}
    assert len(names) >= 10
    for name in names - {"k3s-setup.target"}:
        assert name in headings, name
    assert "NetworkManager-wait-online.service" in PAGE.read_text()
    assert "k3s-setup.target" in PAGE.read_text()
