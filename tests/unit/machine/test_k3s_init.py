"""k3s-init against stub programs: what the metadata service may answer, and what k3s is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.unit.machine import script

ADDRESS = "2: enp7s0    inet 10.0.1.20/32 scope global noprefixroute enp7s0"
PUBLIC_ROUTE = "default via 172.31.1.1 dev enp1s0 proto dhcp src 203.0.113.7 metric 100"


class Host:
    """A machine whose `ip` and `curl` answer what the test says, one answer after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config.yaml.d"
        self.bin = folder / "bin"
        self.bin.mkdir()
        (folder / "answers").mkdir()
        script.stub(self.bin, "sleep", f'echo >>"{folder}/sleeps"; (( $(wc -l <"{folder}/sleeps") < 12 ))')
        self.addresses(ADDRESS)
        self.routes(PUBLIC_ROUTE)

    def addresses(self, text: str) -> None:
        (self.folder / "addresses").write_text(text + "\n")
        self._ip()

    def routes(self, text: str) -> None:
        (self.folder / "routes").write_text(text + "\n")
        self._ip()

    def _ip(self) -> None:
        body = f"""case $* in
  *"address show dev enp7s0") cat "{self.folder}/addresses" ;;
  *"route show default") cat "{self.folder}/routes" ;;
  *"route replace"*) echo "$*" >>"{self.folder}/pinned" ;;
  *) exit 1 ;;
esac"""
        script.stub(self.bin, "ip", body)

    def answers(self, *answers: bytes | int) -> None:
        """Bytes are a body; a number is curl's exit status. The last one is repeated."""
        for number, answer in enumerate(answers, start=1):
            (self.folder / "answers" / str(number)).write_bytes(answer if isinstance(answer, bytes) else b"")
            (self.folder / "answers" / f"{number}.status").write_text(
                "0" if isinstance(answer, bytes) else str(answer)
            )
        body = f"""cd "{self.folder}/answers"
n=$(( $(cat count 2>/dev/null || echo 0) + 1 )); (( n <= {len(answers)} )) || n={len(answers)}
echo "$n" >count
cat "$n"
exit "$(cat "$n.status")\""""
        script.stub(self.bin, "curl", body)

    def run(self) -> subprocess.CompletedProcess[str]:
        environment = {
            "CONFIG_DIR": str(self.config),
            "PRIVATE_IP": "10.0.1.20",
            "PRIVATE_INTERFACE": "enp7s0",
            "RETRY_S": "0",
        }
        return script.run("k3s-init", "common", environment, stubs=self.bin)

    def written(self) -> dict[str, str]:
        return {file.name: file.read_text() for file in self.config.iterdir()} if self.config.exists() else {}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_k12_the_public_address_is_told_to_k3s(host: Host) -> None:
    host.answers(b"203.0.113.7")
    done = host.run()
    assert done.returncode == 0, done.stderr
    assert host.written() == {"50-public-ip.yaml": 'node-external-ip: "203.0.113.7"\n'}


def test_a_line_break_at_the_end_is_fine(host: Host) -> None:
    host.answers(b"203.0.113.7\n")
    assert host.run().returncode == 0
    assert host.written() == {"50-public-ip.yaml": 'node-external-ip: "203.0.113.7"\n'}


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\n",
        b"<html>203.0.113.7</html>",
        b"2001:db8::1",
        b"203.0.113.7\n203.0.113.8\n",
        b"203.0.113.7\n\n",
        b"203.0.113.7\x00",
        b" 203.0.113.7",
        b"203.0.113",
        b"203.0.113.256",
        b"203.0.113.07",
        b"0.0.0.0",
        b"10.0.1.20",
        b"100.64.0.1",
        b"127.0.0.1",
        b"169.254.169.254",
        b"172.31.1.1",
        b"192.168.0.1",
        b"192.0.0.1",
        b"198.18.0.1",
        b"224.0.0.1",
        b"255.255.255.255",
        22,
        28,
    ],
)
def test_h10_anything_else_is_never_written_and_k3s_has_to_wait(host: Host, answer: bytes | int) -> None:
    host.answers(answer)
    # The stub of sleep fails in the end; the real one never does.
    assert host.run().returncode != 0
    assert host.written() == {}


@pytest.mark.parametrize(
    "answer", [b"100.63.0.1", b"100.128.0.1", b"172.15.0.1", b"172.32.0.1", b"198.17.0.1"]
)
def test_neighbours_of_the_reserved_ranges_are_public(host: Host, answer: bytes) -> None:
    host.answers(answer)
    assert host.run().returncode == 0
    assert answer.decode() in host.written()["50-public-ip.yaml"]


def test_k12_five_failures_then_garbage_then_an_address(host: Host) -> None:
    host.answers(22, 22, 22, 22, 22, b"<html>", b"", b"203.0.113.7")
    done = host.run()
    assert done.returncode == 0
    assert host.written() == {"50-public-ip.yaml": 'node-external-ip: "203.0.113.7"\n'}
    assert done.stdout.count("waiting for the public address") == 1


def test_h2_the_private_address_comes_first(host: Host) -> None:
    host.answers(b"203.0.113.7")
    host.addresses("2: enp7s0    inet 10.0.1.200/32 scope global enp7s0")
    done = host.run()
    assert done.returncode != 0
    assert "waiting for 10.0.1.20 on enp7s0" in done.stdout
    assert host.written() == {}


def test_the_metadata_address_is_pinned_to_the_public_gateway(host: Host) -> None:
    host.routes(f"default via 10.0.0.1 dev enp7s0 proto static metric 50\n{PUBLIC_ROUTE}")
    host.answers(b"203.0.113.7")
    assert host.run().returncode == 0
    assert (host.folder / "pinned").read_text() == (
        "-4 route replace 169.254.169.254/32 via 172.31.1.1 dev enp1s0 onlink\n"
    )


def test_without_a_public_route_it_waits(host: Host) -> None:
    host.routes("default via 10.0.0.1 dev enp7s0 proto static metric 50")
    host.answers(b"203.0.113.7")
    done = host.run()
    assert done.returncode != 0
    assert done.stdout == "k3s-init: waiting for a default route on the public interface\n"
    assert not (host.folder / "pinned").exists()


def test_an_address_of_before_is_replaced_and_what_a_killed_run_left_removed(host: Host) -> None:
    host.config.mkdir()
    (host.config / "50-public-ip.yaml").write_text('node-external-ip: "203.0.113.9"\n')
    (host.config / ".50-public-ip.abcdef").write_text("node-exter")
    host.answers(b"203.0.113.7")
    assert host.run().returncode == 0
    assert host.written() == {"50-public-ip.yaml": 'node-external-ip: "203.0.113.7"\n'}
