"""The graphs of docs/boot.md show what the units say, and say when they do not."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from raya.machine_config import PRIVATE_INTERFACE
from toolchain import boot_graph, handbook, unit_files

UNITS = boot_graph.ROOT / "butane/overlay"
SETUP = "common/etc/systemd/system/k3s-setup.target"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A checkout with the overlay and a page whose graphs are right."""
    shutil.copytree(UNITS, tmp_path / "butane/overlay")
    (tmp_path / "docs").mkdir()
    places = [f"<!-- graph: {role} -->\nold\n<!-- end of the graph -->\nprose\n" for role in boot_graph.TREES]
    (tmp_path / boot_graph.PAGE).write_text("# Boot\n" + "".join(places))
    (tmp_path / boot_graph.PAGE).write_text(boot_graph.page_with_graphs(tmp_path))
    return tmp_path


def arrows(graph: str) -> set[str]:
    return {line.strip() for line in graph.splitlines() if " --" in line or " -." in line}


def test_the_page_of_this_project_is_up_to_date() -> None:
    assert boot_graph.faults(boot_graph.ROOT) == []


def test_the_agents_graph_is_this_one(book: Path) -> None:
    assert arrows(boot_graph.graph(book, "agent")) == {
        "attach_nic -.->|enp7s0 appears| nm",
        "nm --> online",
        "online -->|wanted| init",
        "tmpfiles -->|wanted| setup",
        "online -->|wanted| setup",
        "init --> setup",
        "guard --> setup",
        "setup --> agent",
    }


def test_the_control_plane_adds_its_volume(book: Path) -> None:
    added = arrows(boot_graph.graph(book, "control-plane")) - arrows(boot_graph.graph(book, "agent"))
    assert added == {
        "attach_vol -.->|device appears| mkfs",
        "mkfs --> mount",
        "mount --> grow",
        "mount --> seed",
        "seed --> manifests",
        "mount --> setup",
        "seed --> setup",
        "manifests --> setup",
        "grow -->|wanted| setup",
        "mount --> k3s",
        "setup --> k3s",
    }


def test_every_unit_is_a_node_of_its_own_with_its_description(book: Path) -> None:
    for role in boot_graph.TREES:
        graph = boot_graph.graph(book, role)
        nodes = dict(re.findall(r'^    (\w+)\(?\["(.*)"\]\)?$', graph, re.MULTILINE))
        units = unit_files.read([UNITS / tree for tree in boot_graph.TREES[role]])
        described = [
            unit for unit in units.values() if unit.text("Description") and ".target" not in unit.name
        ]
        assert len(described) >= 3
        texts = [text.replace("<br/>", " ") for text in nodes.values()]
        for unit in described:
            assert f"{unit.name} {unit.text('Description')}" in texts
        coloured = re.findall(r"^  class (\S+) ", graph, re.MULTILINE)
        assert sorted(",".join(coloured).split(",")) == sorted(nodes)


def test_a_changed_order_is_a_fault_until_the_page_is_rewritten(book: Path) -> None:
    page = book / boot_graph.PAGE
    assert boot_graph.faults(book) == []
    setup = book / "butane/overlay" / SETUP
    setup.write_text(setup.read_text().replace("After=k3s-init.service\n", ""))
    (fault,) = boot_graph.faults(book)
    assert "docs/boot.md shows another boot than the units" in fault
    assert boot_graph.WRITE in fault

    page.write_text(boot_graph.page_with_graphs(book))
    assert "init --> setup" not in page.read_text()
    assert page.read_text().count("prose\n") == len(boot_graph.TREES)
    assert boot_graph.faults(book) == []


def test_make_docs_says_so_too(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book / "Makefile").write_text("docs: ## check\n")
    assert handbook.main(book) == 0
    (book / boot_graph.PAGE).write_text((book / boot_graph.PAGE).read_text().replace("nm --> online", ""))
    assert handbook.main(book) == 1
    assert "shows another boot" in capsys.readouterr().out


def test_a_new_unit_is_drawn_without_being_told(book: Path) -> None:
    unit = book / "butane/overlay/common/etc/systemd/system/new-thing.service"
    unit.write_text("[Unit]\nDescription=Something new\nAfter=k3s-setup.target\nRequires=k3s-setup.target\n")
    graph = boot_graph.graph(book, "agent")
    assert '    new_thing_service["new-thing.service<br/>Something new"]' in graph
    assert "    setup --> new_thing_service" in graph


def test_a_page_without_a_place_for_a_graph_is_refused(book: Path) -> None:
    (book / boot_graph.PAGE).write_text("# Boot\n")
    with pytest.raises(ValueError, match="has no place for the graph of control-plane"):
        boot_graph.page_with_graphs(book)


def test_the_interface_is_the_one_that_machines_configure() -> None:
    for text in (boot_graph.SYSTEM["NetworkManager.service"], boot_graph.FROM_OUTSIDE[0][2]):
        assert text.startswith(f"{PRIVATE_INTERFACE} ")
