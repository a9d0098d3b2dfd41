"""Units are read as systemd reads them."""

from __future__ import annotations

from pathlib import Path

from toolchain import unit_files
from toolchain.unit_files import Setting, Unit


def write(tree: Path, name: str, text: str) -> None:
    file = tree / unit_files.UNIT_DIR / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_comments_are_no_settings_and_a_backslash_joins_lines() -> None:
    text = "# After=a\n; After=b\n[Unit]\nAfter=c \\\n  d\n\n[Service]\nExecStart = /bin/true --x=y\n"
    assert list(unit_files.parse(text)) == [
        Setting("Unit", "After", "c    d"),
        Setting("Service", "ExecStart", "/bin/true --x=y"),
    ]


def test_drop_ins_add_in_the_order_of_their_names_whichever_tree_they_are_in(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write(first, "a.service", "[Unit]\nDescription=one\nAfter=x.target\n")
    write(first, "a.service.d/20.conf", "[Unit]\nDescription=three\nAfter=z.target\n")
    write(second, "a.service.d/10.conf", "[Unit]\nDescription=two\nAfter=y.target x.target\n")
    write(second, "of-others.service.d/10.conf", "[Service]\nTimeoutSec=1\n")
    found = unit_files.read([first, second])
    assert set(found) == {"a.service", "of-others.service"}
    assert found["a.service"].values("After") == ["x.target", "y.target", "z.target"]
    assert found["a.service"].text("Description") == "three"


def test_an_empty_value_takes_back_a_list_but_no_dependency() -> None:
    unit = Unit(
        "a.service",
        tuple(unit_files.parse("[Unit]\nAfter=x\nAfter=\n[Service]\nEnvironment=A=1\nEnvironment=\n")),
    )
    assert unit.values("After") == ["x"]
    assert unit.values("Environment") == []


def test_truths_sections_and_what_is_not_there() -> None:
    unit = Unit("a.mount", tuple(unit_files.parse("[Unit]\nDefaultDependencies=No\n")))
    assert not unit.is_on("DefaultDependencies", default=True)
    assert unit.is_on("PrivateTmp", default=True)
    assert unit.has_section("Unit")
    assert not unit.has_section("Install")
    assert unit.text("Where") == ""
