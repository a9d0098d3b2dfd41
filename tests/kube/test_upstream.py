"""Files of other projects: from beside the checkout or fetched, and never other bytes than are pinned."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import LabError
from tests.kube import upstream
from tests.kube.upstream import UpstreamFile

CONTENT = b"kind: Example\n"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Serves `published/` on loopback."""
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "example.yaml").write_bytes(CONTENT)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object, **_: object) -> None:
            super().__init__(*arguments, directory=str(tmp_path / "published"))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def example(url: str, content: bytes = CONTENT) -> UpstreamFile:
    return UpstreamFile(name="crds/example.yaml", url=url, sha256=hashlib.sha256(content).hexdigest())


def test_a_file_beside_the_checkout_is_taken_when_it_is_the_pinned_one(tmp_path: Path) -> None:
    (tmp_path / "beside/crds").mkdir(parents=True)
    file = tmp_path / "beside/crds/example.yaml"
    file.write_bytes(CONTENT)
    wanted = example("http://127.0.0.1:1/never-asked")
    assert wanted.path(beside=tmp_path / "beside", fetched=tmp_path / "fetched") == file
    file.write_bytes(b"kind: Other\n")
    with pytest.raises(LabError, match="is not the file that is pinned"):
        wanted.path(beside=tmp_path / "beside", fetched=tmp_path / "fetched")


def test_without_that_folder_it_is_fetched_once(tmp_path: Path, site: str) -> None:
    wanted = example(f"{site}/example.yaml")
    first = wanted.path(beside=tmp_path / "none", fetched=tmp_path / "fetched")
    assert first.read_bytes() == CONTENT
    (tmp_path / "published/example.yaml").unlink()
    assert wanted.path(beside=tmp_path / "none", fetched=tmp_path / "fetched") == first


def test_other_bytes_than_the_pinned_ones_are_refused(tmp_path: Path, site: str) -> None:
    with pytest.raises(LabError, match="is not the file that is pinned: its sha256 is"):
        example(f"{site}/example.yaml", b"other").path(beside=tmp_path / "none", fetched=tmp_path / "fetched")


def test_a_source_that_is_gone_is_a_sentence_that_names_both_places(tmp_path: Path, site: str) -> None:
    with pytest.raises(
        LabError, match=r"there is no crds/example\.yaml in .*, and http://.*/gone cannot be had"
    ):
        example(f"{site}/gone").path(beside=tmp_path / "none", fetched=tmp_path / "fetched")


def test_a_module_with_another_checksum_is_refused(tmp_path: Path) -> None:
    other = upstream.UpstreamModule(
        name=upstream.EXTERNAL_DNS.name,
        version=upstream.EXTERNAL_DNS.version,
        sum="h1:other=",
        part=upstream.EXTERNAL_DNS.part,
    )
    with pytest.raises(LabError, match="is another one: its sum is h1:"):
        other.folder(tmp_path)
    assert not list(tmp_path.glob("*.partial-*"))
