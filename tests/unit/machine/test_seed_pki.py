"""k3s-seed-pki on a folder that stands for the state volume."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import machines
from tests.unit.machine import script

UNRELATED = {"server/manifests/raya-x.yaml", "agent/containerd/meta.db", "notes.txt"}


class Machine:
    """The provisioned files, and the volume they are to be reconciled with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pki = folder / "etc"
        self.volume = folder / "volume"
        self.pki.mkdir()
        self.volume.mkdir()
        for name, pem in machines.fake_pki().files.items():
            (self.pki / name).write_text(pem)
        (self.pki / "token").write_text("secret-b\n")
        self.stubs = folder / "stubs"
        self.stubs.mkdir()
        # Hundreds of runs would wait for the disk of the machine that tests; no power is cut here.
        script.stub(self.stubs, "sync", "exit 0")

    def write(self, name: str, text: str = "x") -> None:
        file = self.volume / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def cluster(self, *, token: str = f"K10{'0' * 64}::server:secret-b\n", changed: str = "") -> None:
        """A volume that k3s has used: with the provisioned identity, or with another one."""
        for name, pem in machines.fake_pki().files.items():
            self.write(f"server/tls/{name}", "changed" if name == changed else pem)
        self.write("server/token", token)
        for name in ("server/db/state.db", "server/cred/encryption-config.json", "server/tls/etcd/x.crt"):
            self.write(name)
        for name in ("agent/client-kubelet.crt", "agent/client-kubelet.key", "agent/kubelet.kubeconfig"):
            self.write(name)
        for name in UNRELATED:
            self.write(name)

    def seed(self, kill_at: int | None = None) -> subprocess.CompletedProcess[str]:
        environment = {"PKI_DIR": str(self.pki), "DATA_DIR": str(self.volume)}
        return script.run(
            "k3s-seed-pki",
            "control-plane",
            environment,
            stubs=self.stubs,
            kill_at=kill_at,
            folder=self.folder,
        )

    def contents(self) -> dict[str, str]:
        files = (file for file in self.volume.rglob("*") if file.is_file())
        return {str(file.relative_to(self.volume)): file.read_text() for file in files}

    def seeded(self) -> dict[str, str]:
        pki = {f"server/tls/{name}": pem for name, pem in machines.fake_pki().files.items()}
        return {**pki, "server/token": "secret-b\n"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_blank_volume_gets_the_identity(machine: Machine) -> None:
    done = machine.seed()
    assert done.returncode == 0
    assert machine.contents() == machine.seeded()
    assert "the volume is blank" in done.stdout
    modes = {file.stat().st_mode & 0o777 for file in machine.volume.rglob("*") if file.is_file()}
    assert modes == {0o600}
    assert (machine.volume / "server/tls").stat().st_mode & 0o777 == 0o700


def test_f2_what_it_wrote_is_labelled_where_selinux_is_on(machine: Machine) -> None:
    script.stub(machine.stubs, "selinuxenabled", "exit 0")
    # A stand-in: like the real one, it knows short options only.
    refuse = '[[ $1 != --* ]] || { echo "invalid option" >&2; exit 255; }'
    script.stub(machine.stubs, "restorecon", f'{refuse}\nprintf "%s\\n" "$*" >>"{machine.folder}/labelled"')
    assert machine.seed().returncode == 0
    labelled = (machine.folder / "labelled").read_text().splitlines()
    assert labelled == [str(machine.volume), f"-R {machine.volume}/server"]


def test_this_clusters_volume_is_left_alone(machine: Machine) -> None:
    machine.cluster()
    before = machine.contents()
    done = machine.seed()
    assert done.returncode == 0
    assert machine.contents() == before
    assert "nothing to do" in done.stdout


@pytest.mark.parametrize("name", ["request-header-ca.crt", "service.key"])
def test_only_token_server_ca_and_client_ca_are_compared(machine: Machine, name: str) -> None:
    machine.cluster(changed=name)
    before = machine.contents()
    assert machine.seed().returncode == 0
    assert machine.contents() == before


@pytest.mark.parametrize(
    ("difference", "reason"),
    [
        ({"token": f"K10{'1' * 64}::server:secret-a\n"}, "the volume's token differs"),
        ({"token": "secret-a\n"}, "the volume's token differs"),
        ({"token": ""}, "the volume has no token"),
        ({"changed": "server-ca.crt"}, "the volume's server-ca.crt differs"),
        ({"changed": "client-ca.crt"}, "the volume's client-ca.crt differs"),
    ],
)
def test_k1_another_clusters_state_is_dropped_completely(
    machine: Machine, difference: dict[str, str], reason: str
) -> None:
    machine.cluster(**difference)
    done = machine.seed()
    assert done.returncode == 0
    assert reason in done.stderr
    assert "dropping the datastore" in done.stderr
    assert machine.contents() == machine.seeded() | dict.fromkeys(UNRELATED, "x")
    assert "nothing to do" in machine.seed().stdout


@pytest.mark.parametrize("leftover", ["server/db/state.db", "server/cred/passwd", "agent/client-kubelet.crt"])
def test_a_volume_with_nothing_but_leftovers_is_cleaned(machine: Machine, leftover: str) -> None:
    machine.write(leftover)
    assert machine.seed().returncode == 0
    assert machine.contents() == machine.seeded()


@pytest.mark.parametrize("missing", ["token", "server-ca.key", "service.key"])
def test_a_machine_without_its_provisioned_files_touches_nothing(machine: Machine, missing: str) -> None:
    machine.cluster(token="other\n")
    before = machine.contents()
    (machine.pki / missing).write_text("")
    done = machine.seed()
    assert done.returncode == 65
    assert f"{missing} is missing or empty" in done.stderr
    assert machine.contents() == before


@pytest.mark.parametrize("start", ["blank", "another cluster"])
def test_f10_killed_anywhere_the_next_run_ends_in_the_same_state(tmp_path: Path, start: str) -> None:
    kills = 0
    # Every seventh command: all of them would take the fast suite a minute.
    for kill_at in range(1, 1000, 7):
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        machine = Machine(folder)
        if start == "another cluster":
            machine.cluster(token="other\n")
        if machine.seed(kill_at=kill_at).returncode == 0:
            break
        kills += 1
        # Whatever a half-done run leaves: never the old datastore beside the new identity.
        left = machine.contents()
        assert not ("server/db/state.db" in left and left.get("server/token") == "secret-b\n")
        assert machine.seed().returncode == 0
        unrelated = dict.fromkeys(UNRELATED, "x") if start == "another cluster" else {}
        assert machine.contents() == machine.seeded() | unrelated
    assert kills > 15
