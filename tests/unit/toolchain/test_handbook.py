"""The handbook's checker finds what is not there, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolchain import handbook

MAKEFILE = "up: setup ## go\n\t@true\nonly-local:\n\t@true\n"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/boot.md").write_text(
        "# Boot\n\n## The first start, in `order`\n\n## Twice\n\n## Twice\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "[boot](docs/boot.md)",
        "[boot](docs/boot.md#the-first-start-in-order)",
        "[twice](docs/boot.md#twice-1)",
        "# Here\n[here](#here)",
        "[elsewhere](https://example.org/none.md)",
        "`[no](link.md)`",
        "```\n[no](link.md)\n# no heading\n```",
        "run `make up`, then make coffee",
        "```sh\nmake up\n```",
    ],
)
def test_what_exists_is_no_fault(book: Path, text: str) -> None:
    (book / "README.md").write_text(text + "\n")
    assert handbook.faults(book) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[x](docs/none.md)", "README.md links to docs/none.md, which does not exist."),
        ("[x](docs/boot.md#none)", "README.md links to docs/boot.md#none, but boot.md has no such heading."),
        (
            "[x](docs/boot.md#twice-2)",
            "README.md links to docs/boot.md#twice-2, but boot.md has no such heading.",
        ),
        ("[x](#none)", "README.md links to #none, but README.md has no such heading."),
        ("[x](../)", "README.md links to ../, which is outside of this repository."),
        ("run `make down`", "README.md names `make down`, which the Makefile does not have."),
        ("```sh\n$ make down\n```", "README.md names `make down`, which the Makefile does not have."),
        ('`eval "$(make -s down)"`', "README.md names `make down`, which the Makefile does not have."),
        ("`make only-local`", "README.md names `make only-local`, which the Makefile does not have."),
    ],
)
def test_what_does_not_exist_is_a_sentence(book: Path, text: str, fault: str) -> None:
    (book / "README.md").write_text(text + "\n")
    assert handbook.faults(book) == [fault]
