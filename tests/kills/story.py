"""A stack that is killed again and again: what the rounds of the lab do, and what must hold after each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cloud import PROJECT, RunningCloud
from tests.e2e.engine import STACK, Engine
from tests.killing import Killed, Point, Run
from tests.kills.strangers import Strangers
from tests.unit import ssh_keys

ZONE, PARENT_ZONE = "k8s.example.org.", "example.org."
# Of each kind, with one agent.
WHOLE = {"servers": 2, "volumes": 1, "networks": 1, "firewalls": 1}
KEPT = {"servers": 0, "volumes": 1, "networks": 0, "firewalls": 0}
NOTHING = {"servers": 0, "volumes": 0, "networks": 0, "firewalls": 0}


@dataclass
class Story:
    """One stack, one cloud and the strangers in it."""

    engine: Engine
    cloud: RunningCloud
    strangers: Strangers
    ended_well: bool = False

    def __post_init__(self) -> None:
        self._strangers_before = self.strangers.seen()

    def killed(self, point: Point, verb: str, *arguments: str, only: str = "") -> Killed:
        command = ["pulumi", "--non-interactive", verb, "--yes", "--stack", STACK, *arguments]
        return self._run(command).killed(point, self.cloud, only=only)

    def recovery_killed(self, point: Point) -> Killed:
        return self._run(self._recover()).killed(point, self.cloud)

    def make_whole(self) -> None:
        if not self.own("servers"):
            self.engine.up("--skip-preview")

    def rebuild(self, number: int) -> None:
        """Another key that opens the machines: the next update makes both of them anew."""
        self.cloud.set_keys("alice", [ssh_keys.key("ssh-ed25519", number.to_bytes(32))])

    def switch(self, component: str, *, on: bool) -> None:
        self.engine.configure(f"raya:components.{component}", str(on).lower())

    def recover(self) -> str:
        """One run of the command; it must succeed, and leave nothing that the state does not know."""
        ran = subprocess.run(
            self._recover(),
            cwd=self.engine.folder,
            env=self.engine.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        known = {each.get("id") for each in self.state().get("resources", [])}
        for plural in WHOLE:
            assert {str(each["id"]) for each in self.own(plural)} <= known, ran.stdout
        assert self.strangers.seen() == self._strangers_before
        return ran.stdout

    def _recover(self) -> list[str]:
        return [sys.executable, "-m", "raya.recover", "--stack", STACK, "--yes"]

    def _run(self, command: list[str]) -> Run:
        engine = self.engine
        return Run(command, folder=engine.folder, environment=engine.environment, state=self._state_file)

    @property
    def _state_file(self) -> Path:
        return self.engine.folder / f".state/.pulumi/stacks/raya/{STACK}.json"

    # -- what must hold --

    def own(self, plural: str) -> list[dict[str, Any]]:
        return [each for each in self.cloud.hetzner(plural) if each["id"] not in self.strangers.ids(plural)]

    def state(self) -> dict[str, Any]:
        """As it is on disk: after some kills only recovery makes it readable for the engine again."""
        checkpoint: dict[str, Any] = json.loads(self._state_file.read_text())["checkpoint"]
        return checkpoint.get("latest") or {}

    def kept(self) -> set[tuple[str, str, str]]:
        """The identity and the volume, as far as the state has them: what must never become another one.

        The state's text of a secret is another at each writing; when it was made is not.
        """
        protected = [each for each in self.state().get("resources", []) if each.get("protect")]
        return {(each["urn"], each["id"], each.get("created", "")) for each in protected if "outputs" in each}

    def assert_whole(self, *, accounts: int = 2) -> None:
        """Exactly one cluster, known to the state to the last object, protected, and nobody else touched."""
        self.assert_clouds(WHOLE)
        servers = {each["name"]: each for each in self.own("servers")}
        assert sorted(servers) == ["agent-0", "control-plane"]
        assert {each["status"] for each in servers.values()} == {"running"}
        (volume,) = self.own("volumes")
        assert volume["server"] == servers["control-plane"]["id"]
        assert [len(each["private_net"]) for each in servers.values()] == [1, 1]
        outputs = self.engine.outputs()
        for name, record, described in (
            ("control-plane", "cp", outputs["controlPlane"]),
            ("agent-0", "a0", outputs["agents"]["agent-0"]),
        ):
            ip = servers[name]["public_net"]["ipv4"]["ip"]
            assert described["publicIp"] == ip
            assert self._rrdatas(ZONE, f"{record}.{ZONE}", "A") == [ip]
        assert self._rrdatas(PARENT_ZONE, ZONE, "NS") == self._rrdatas(ZONE, ZONE, "NS")
        self.assert_accounts(accounts)
        protected = [each for each in self.state()["resources"] if each.get("protect")]
        assert Counter(each["type"] for each in protected) == {
            "random:index/randomId:RandomId": 1,
            "random:index/randomPassword:RandomPassword": 2,
            "tls:index/privateKey:PrivateKey": 4,
            "tls:index/selfSignedCert:SelfSignedCert": 3,
            "hcloud:index/volume:Volume": 1,
        }
        assert not self.state().get("pending_operations")

    def assert_clouds(self, counts: dict[str, int]) -> None:
        assert {plural: len(self.own(plural)) for plural in counts} == counts
        assert self.strangers.seen() == self._strangers_before

    def assert_accounts(self, count: int) -> None:
        """Each with one key, which the state has, and one role."""
        google, http = self.cloud.google_endpoint, self.cloud._http
        answer = http.get(f"{google}/iam/v1/projects/{PROJECT}/serviceAccounts").json()
        own = [each for each in answer.get("accounts", []) if each["name"] != self.strangers.account]
        assert len(own) == count
        known = {each.get("id") for each in self.state().get("resources", [])}
        for account in own:
            keys = http.get(f"{google}/iam/v1/{account['name']}/keys").json()["keys"]
            mine = [each["name"] for each in keys if each["keyType"] == "USER_MANAGED"]
            assert len(mine) == 1
            assert set(mine) <= known
        manager = f"{google}/cloudresourcemanager/v1/projects/{PROJECT}:getIamPolicy"
        policy = http.post(manager, json={}).json()
        members = [
            each
            for binding in policy["bindings"]
            if binding["role"] == "roles/dns.admin"
            for each in binding["members"]
        ]
        wanted = [self.strangers.member, *(f"serviceAccount:{each['email']}" for each in own)]
        assert sorted(members) == sorted(wanted)

    def assert_gone(self, counts: dict[str, int]) -> None:
        """After a destroy: the zone, its delegation and the accounts went, and nothing else is left."""
        self.assert_clouds(counts)
        assert [each["dnsName"] for each in self.cloud.zones()] == [PARENT_ZONE]
        assert ZONE not in [each["name"] for each in self.cloud.records(PARENT_ZONE)]
        self.assert_accounts(0)

    def _rrdatas(self, zone: str, name: str, kind: str) -> list[str]:
        found = [
            each["rrdatas"]
            for each in self.cloud.records(zone)
            if (each["name"], each["type"]) == (name, kind)
        ]
        assert len(found) == 1, (name, kind)
        return sorted(found[0])
