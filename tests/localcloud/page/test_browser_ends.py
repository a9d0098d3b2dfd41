"""The browser that the tests drive: it leaves nothing behind, and its absence is said."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from tests.cloud import PROJECT_ROOT, RunningCloud
from tests.localcloud.page.browser import BrowserMissingError, lonely_browser

# Starts a browser with a page, says so, and does what it is told.
PROGRAM = """
import sys
from tests.localcloud.page.browser import lonely_browser
with lonely_browser(int(sys.argv[1])) as browser:
    browser.new_page().goto(f"http://127.0.0.1:{sys.argv[1]}/")
    print("open", flush=True)
    if input() == "fail":
        raise RuntimeError
"""


@pytest.mark.parametrize(("end", "status"), [("close", 0), ("fail", 1), ("kill", -9)])
def test_no_process_of_it_is_left(
    shared_cloud: RunningCloud,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    end: str,
    status: int,
) -> None:
    mark = uuid.uuid4().hex
    monkeypatch.setenv("MARK_OF_THIS_TEST", mark)
    # What is killed cannot clear up its files. The name is short: a socket's path has at most 107 characters.
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("b")))
    port = shared_cloud.base_url.rsplit(":", 1)[1]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, port],
        cwd=PROJECT_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "open\n"
        assert len(_marked(mark)) > 4, "the program, the driver and the browser's processes"
        if end == "kill":
            program.kill()
        program.communicate(end, timeout=30)
    assert program.returncode == status
    deadline = time.monotonic() + 20
    while (left := _marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []


def _marked(mark: str) -> list[str]:
    """The command lines of the processes that were started with the mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # gone by now, or somebody else's
            continue
    return found


def test_a_machine_without_chromium_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BrowserMissingError, match="apt-get install chromium"), lonely_browser(1):
        pass
