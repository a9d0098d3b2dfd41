"""`make docs`: checks that what the handbook points at exists: links, headings, the make verbs it names.

And that the graphs in it, which are made from the machines' units, are those of today's units.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from toolchain import boot_graph

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
CODE_SPAN = re.compile(r"`[^`\n]*`")
# In a code span or at the start of a line of a code block, with or without a prompt.
VERB = re.compile(r"(?:`|^\s*(?:\$ )?|&& |\(|\$\()make (?:-s )?([a-z][a-z-]*)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2 *$", re.MULTILINE | re.DOTALL)


def pages(root: Path) -> list[Path]:
    """Every page of the handbook: README, changelog, docs, and the README of each room."""
    found = {*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("*/README.md")}
    return sorted(path for path in found if not path.relative_to(root).parts[0].startswith("."))


def faults(root: Path) -> list[str]:
    """One sentence for each thing that a page points at and that is not there."""
    known = verbs((root / "Makefile").read_text())
    return [fault for page in pages(root) for fault in _faults_of(page, root, known)]


def verbs(makefile: str) -> set[str]:
    """The targets of a Makefile that `make help` prints."""
    return set(re.findall(r"^([a-z][a-z-]*):.*## ", makefile, re.MULTILINE))


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a page; a repeated one gets -1, -2, ..."""
    found: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        spoken = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        kept = "".join(
            letter for letter in spoken if letter in " -_" or unicodedata.category(letter)[0] in "LN"
        )
        plain = kept.replace(" ", "-")
        number, anchor = 0, plain
        while anchor in found:
            number += 1
            anchor = f"{plain}-{number}"
        found.add(anchor)
    return found


def _faults_of(page: Path, root: Path, known: set[str]) -> Iterator[str]:
    text, name = page.read_text(), page.relative_to(root)
    for target in LINK.findall(CODE_SPAN.sub("", FENCE.sub("", text))):
        if not re.match(r"[a-z]+:", target):
            yield from _link_faults(page, name, target, root)
    for verb in sorted(set(VERB.findall(text)) - known):
        yield f"{name} names `make {verb}`, which the Makefile does not have."


def _link_faults(page: Path, name: Path, target: str, root: Path) -> Iterator[str]:
    path, _, anchor = unquote(target).partition("#")
    place = (page.parent / path).resolve() if path else page
    if not place.exists():
        yield f"{name} links to {target}, which does not exist."
    elif not place.is_relative_to(root.resolve()):
        yield f"{name} links to {target}, which is outside of this repository."
    elif anchor and place.suffix == ".md" and anchor not in anchors(place.read_text()):
        yield f"{name} links to {target}, but {place.name} has no such heading."


def main(root: Path = ROOT) -> int:
    found = [*faults(root), *boot_graph.faults(root)]
    for fault in found:
        print(fault)
    print(f"docs: {len(pages(root))} pages, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
