"""The pages on the boot name every unit, files that machines have, and the scripts' own words."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from tests import machines
from tests.static.overlay import SPECS, units

BOOT = machines.PROJECT_ROOT / "docs/boot.md"
RUNBOOK = machines.PROJECT_ROOT / "docs/runbooks/node-does-not-come-up.md"
# A distribution's unit to which this project only adds a line.
NOT_OURS = "NetworkManager-wait-online.service"
# Made by the machine itself.
MADE_AT_BOOT = {"/etc/rancher/k3s/config.yaml.d/50-public-ip.yaml"}
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
    """What the runbook quotes: in the first column of a table, or as a reason in it."""
    rows = [line for line in RUNBOOK.read_text().splitlines() if line.startswith("|")]
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


def test_every_unit_is_described_and_has_a_section_in_the_runbook() -> None:
    headings = " ".join(line for line in RUNBOOK.read_text().splitlines() if line.startswith("## "))
    described = re.findall(
        r"^- \*\*`(\S+)`\*\* |\*\*`(k3s-agent\.service)`\*\*", BOOT.read_text(), re.MULTILINE
    )
    names = {name for role in SPECS for name in units(role)} - {NOT_OURS}
    assert len(names) >= 10
    assert names <= {name for pair in described for name in pair}
    # Of the target there is nothing to mend: it waits for what the sections are about.
    assert {name for name in names if name not in headings} == {"k3s-setup.target"}
    for page in (BOOT, RUNBOOK):
        assert NOT_OURS in page.read_text()
        assert "k3s-setup.target" in page.read_text()


def test_every_file_that_the_pages_name_is_on_a_machine() -> None:
    found = {path for spec in SPECS.values() for path in machines.entries(spec)}
    found |= {str(parent) for path in found for parent in PurePosixPath(path).parents} | MADE_AT_BOOT
    named = {
        path.rstrip("/").removesuffix("/<file>")
        for page in (BOOT, RUNBOOK)
        for path in re.findall(r"/etc/[\w./<>-]*", page.read_text())
    }
    assert len(named) >= 10
    assert named - found == set()
