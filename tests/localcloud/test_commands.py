"""`python -m localcloud`: start, stop, seeds, pins, coverage."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from localcloud.coverage import coverage_page
from localcloud.daemon import serves
from localcloud.services import SERVICES
from tests.cloud import PROJECT_ROOT, RunningCloud, running_cloud

Run = Callable[..., subprocess.CompletedProcess[str]]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "localcloud", *arguments]
    return subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def port() -> int:
    """A free one that nobody gets by chance: below those that Linux gives to outgoing connections."""
    for number in random.sample(range(20_000, 32_000), 100):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", number)):
            return number
    raise AssertionError("a hundred ports are all taken")


@pytest.fixture
def daemon(tmp_path: Path, port: int) -> Iterator[Run]:
    def command(verb: str, on_port: object = port) -> subprocess.CompletedProcess[str]:
        files = {"--state": "cloud.sqlite", "--pid-file": "cloud.pid", "--log": "cloud.log"}
        options = [word for option, name in files.items() for word in (option, str(tmp_path / name))]
        return _run(verb, "--port", str(on_port), *options)

    yield command
    command("stop")


def test_start_and_stop_may_be_repeated(daemon: Run, tmp_path: Path, port: int) -> None:
    for _ in range(2):
        started = daemon("start")
        assert started.returncode == 0, started.stderr
        assert f"http://127.0.0.1:{port}" in started.stdout
    assert httpx.get(f"http://127.0.0.1:{port}/github/alice.keys").text.startswith("ssh-ed25519 ")
    pid = int((tmp_path / "cloud.pid").read_text())
    for _ in range(2):
        assert daemon("stop").returncode == 0
    assert not serves(pid)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/")
    assert not (tmp_path / "cloud.pid").exists()


def test_start_refuses_a_port_that_another_program_holds(daemon: Run, tmp_path: Path, port: int) -> None:
    with socket.create_server(("127.0.0.1", port)):
        refused = daemon("start")
    assert refused.returncode == 1
    assert f"port {port} on 127.0.0.1 is held by another program" in refused.stderr
    assert not (tmp_path / "cloud.pid").exists()


def test_start_names_the_local_cloud_that_holds_the_port(daemon: Run, shared_cloud: RunningCloud) -> None:
    port = shared_cloud.base_url.rsplit(":", 1)[1]
    refused = daemon("start", port)
    assert refused.returncode == 1
    # Its command line says --port 0, as it took a free one: no local cloud that was started for this port.
    assert f"port {port} on 127.0.0.1 is held by another program (maybe the local cloud" in refused.stderr


def test_start_names_the_pid_of_another_checkouts_cloud(daemon: Run, tmp_path: Path, port: int) -> None:
    daemon("start")
    pid = (tmp_path / "cloud.pid").read_text().strip()
    files = [f"--{name}={tmp_path / 'other' / name}" for name in ("state", "pid-file", "log")]
    refused = _run("start", "--port", str(port), *files)
    assert refused.returncode == 1
    assert f"port {port} on 127.0.0.1 is held by another local cloud (pid {pid}: " in refused.stderr
    assert not (tmp_path / "other/pid-file").exists()


def test_starts_at_once_make_one_server_that_stop_ends(daemon: Run, tmp_path: Path, port: int) -> None:
    with ThreadPoolExecutor(3) as pool:
        started = list(pool.map(daemon, ["start"] * 3))
    pid = int((tmp_path / "cloud.pid").read_text())
    assert [(each.returncode, each.stdout) for each in started] == [
        (0, f"localcloud is running on http://127.0.0.1:{port} (pid {pid})\n")
    ] * 3
    assert daemon("stop").returncode == 0
    assert not serves(pid)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/")


def test_a_server_whose_pid_file_is_lost_is_found_again(daemon: Run, tmp_path: Path) -> None:
    daemon("start")
    pid = int((tmp_path / "cloud.pid").read_text())
    (tmp_path / "cloud.pid").unlink()
    assert f"(pid {pid})" in daemon("start").stdout
    (tmp_path / "cloud.pid").unlink()
    assert daemon("stop").returncode == 0
    assert not serves(pid)


def test_a_pid_that_another_program_has_now_is_left_alone(daemon: Run, tmp_path: Path) -> None:
    (tmp_path / "cloud.pid").write_text(f"{os.getpid()}\n")
    assert daemon("stop").returncode == 0
    (tmp_path / "cloud.pid").write_text(f"{os.getpid()}\n")
    assert daemon("start").returncode == 0


def test_two_servers_do_not_share_a_state_file(shared_cloud: RunningCloud) -> None:
    refused = _run("serve", "--port", "0", "--state", str(shared_cloud.folder / "cloud.sqlite"))
    assert refused.returncode == 1
    assert "another local cloud" in refused.stderr


def test_it_listens_on_loopback_only(shared_cloud: RunningCloud) -> None:
    port = int(shared_cloud.base_url.rsplit(":", 1)[1])
    sockets = Path("/proc/net/tcp").read_text().splitlines()
    listening = [line.split()[1] for line in sockets if line.split()[1].endswith(f":{port:04X}")]
    assert {address.split(":")[0] for address in listening} == {"0100007F"}


def test_planting_a_seed_twice_changes_nothing(cloud: RunningCloud) -> None:
    before = (cloud.hetzner("images"), cloud.zones(), cloud.keys("alice"))
    zone = {"project": "raya-local", "name": "example-org", "dnsName": "example.org"}
    snapshot = {"labels": {"os": "fcos"}, "architecture": "x86"}
    cloud.seed({"users": {"alice": None}, "zones": [zone], "snapshots": [snapshot]})
    assert (cloud.hetzner("images"), cloud.zones(), cloud.keys("alice")) == before
    cloud.seed({"users": {"bob": ["ssh-ed25519 AAAA"]}})
    assert cloud.keys("bob") == ["ssh-ed25519 AAAA"]


def test_seed_with_an_unknown_key(http: httpx.Client) -> None:
    answer = http.post("/_control/seed", json={"servers": []})
    assert answer.status_code == 400
    assert "no key servers" in answer.json()["error"]["message"]


def test_unknown_user_has_no_keys(http: httpx.Client) -> None:
    assert http.get("/github/nobody.keys").status_code == 404


def test_reset_goes_back_to_the_first_seed_but_gives_no_number_twice(cloud: RunningCloud) -> None:
    first = cloud.create_volume("state", size_gb=10, labels={})
    cloud.reset()
    assert cloud.hetzner("volumes") == []
    assert cloud.events() == [] or {event["event"] for event in cloud.events()} == {"zone.create"}
    assert cloud.create_volume("state", size_gb=10, labels={})["id"] > first["id"]


def test_pins_make_their_snapshots(tmp_path: Path) -> None:
    pins = tmp_path / "image"
    pins.mkdir()
    (pins / "fcos.pin").write_text("# why\nversion=44.1.2.3\nsha256_x86_64=aa\nsha256_aarch64=bb\n")
    (pins / "k3s.pin").write_text("version=v1.36.3+k3s1\nsha256_x86_64=cc\n")
    with running_cloud(tmp_path, pins=pins) as cloud:
        snapshots = [image for image in cloud.hetzner("images") if image["type"] == "snapshot"]
        assert [(image["architecture"], image["labels"]) for image in snapshots] == [
            (
                "x86",
                {
                    "managed_by": "raya",
                    "os": "fcos",
                    "fcos_version": "44.1.2.3",
                    "k3s_version": "v1.36.3-k3s1",
                },
            )
        ]


def test_coverage_page_is_current() -> None:
    assert (PROJECT_ROOT / "localcloud" / "COVERAGE.md").read_text() == coverage_page(), (
        "run `python -m localcloud coverage`"
    )
    assert sum(len(service.entries()) for service in SERVICES) > 120


def test_no_endpoint_hides_another() -> None:
    seen = 0
    for service in SERVICES:
        for route in service.entries():
            path = route.path.replace("{", "").replace("}", "")
            found = service.match(route.method, path)
            assert found is not None
            assert found[0] is route
            seen += 1
    assert seen > 120
