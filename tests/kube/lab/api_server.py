"""A control plane without machines: a real kube-apiserver over a real etcd, both on loopback, with RBAC.

Nothing else runs: no controller, no scheduler, no kubelet. An object is what somebody wrote, and stays so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import yaml

from tests.commands import LabError, end, require_programs, start
from tests.kube.lab import pki, ports
from tests.kube.lab.datastore import Datastore
from tests.kube.lab.pki import LOOPBACK

PATIENCE_S = 300
KUBECTL_PATIENCE_S = 120
_LOOK_EVERY_S = 0.2
# Between the choice of a free port and its use somebody else may take it.
_TRIES = 3
_TOKENS_ISSUER = "https://kubernetes.default.svc.cluster.local"


class KubectlError(Exception):
    """kubectl ended with a failure: its own words."""


class ApiServer:
    """`kubeconfig` is the administrator's. `folder` takes everything that the cluster keeps."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._datastore = Datastore(folder)
        self._process: subprocess.Popen[bytes] | None = None
        self._programs = {name: _program(name) for name in ("kube-apiserver", "kubectl")}
        self.log = folder / "kube-apiserver.log"
        self.kubeconfig = folder / "kubeconfig.yaml"

    @property
    def logs(self) -> tuple[Path, ...]:
        return (self._datastore.log, self.log)

    def start(self) -> None:
        require_programs(Path(__file__).parents[1] / "packages.txt", "the kube lab")
        self._pki = pki.write(self._folder)
        self._datastore.start()
        for _ in range(_TRIES):
            (port,) = ports.free(1)
            self.url = f"https://{LOOPBACK}:{port}"
            self._write_kubeconfig(self.kubeconfig, self._admin())
            if self._started(port):
                break
        else:
            raise LabError(
                f"the API server found no free port in {_TRIES} tries; its log:\n{self._end_of_log()}"
            )
        self._clean = self._datastore.contents()

    def stop(self) -> None:
        if self._process is not None:
            # It would take leave of everybody who watches something. Nothing of it is kept.
            end(self._process, patience_s=0.5)
        self._datastore.stop()

    def remember(self) -> None:
        """What is there now is what :meth:`wipe` goes back to."""
        self._clean = self._datastore.contents()

    def wipe(self) -> None:
        """What came since :meth:`remember` is gone, and what went is back; no controller is asked."""
        self._datastore.restore(self._clean)

    def kubectl(
        self,
        *arguments: str | Path,
        given: str | None = None,
        as_: str | None = None,
        check: bool = True,
        kubeconfig: Path | None = None,
    ) -> str:
        """What kubectl printed. `given` is its standard input, `as_` a user whom it impersonates.

        A failure is a KubectlError with kubectl's words; without `check` it returns them.
        """
        words = [self._programs["kubectl"], *(["--as", as_] if as_ else []), *map(str, arguments)]
        done = subprocess.run(
            words,
            input=given,
            env=self._environment(kubeconfig or self.kubeconfig),
            capture_output=True,
            text=True,
            timeout=KUBECTL_PATIENCE_S,
            check=False,
        )
        if not check:
            return done.stdout + done.stderr
        if done.returncode != 0:
            raise KubectlError(done.stderr.strip() or done.stdout.strip())
        return done.stdout

    def kubeconfig_for(self, namespace: str, service_account: str) -> Path:
        """A kubeconfig with a token of the service account, as a pod of it would get it."""
        token = self.kubectl("create", "token", service_account, "--namespace", namespace).strip()
        return self._write_kubeconfig(self._folder / f"{namespace}-{service_account}.yaml", {"token": token})

    def _admin(self) -> dict[str, str]:
        return {
            "client-certificate": str(self._pki.admin_cert),
            "client-key": str(self._pki.admin_key),
        }

    def _write_kubeconfig(self, file: Path, user: dict[str, str]) -> Path:
        cluster = {"server": self.url, "certificate-authority": str(self._pki.server_ca)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "lab", "cluster": cluster}],
            "users": [{"name": "user", "user": user}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "user"}}],
            "current-context": "lab",
        }
        file.touch(mode=0o600)
        file.write_text(yaml.safe_dump(config, sort_keys=False))
        return file

    def _environment(self, kubeconfig: Path) -> dict[str, str]:
        # What an API server offers changes from test to test: kubectl has no place to remember it.
        nowhere = {"HOME": str(self._folder), "KUBECACHEDIR": os.devnull}
        return {"PATH": os.environ["PATH"], "KUBECONFIG": str(kubeconfig), **nowhere}

    def _started(self, port: int) -> bool:
        """False when the server ended by itself because its port was taken; LabError when it cannot start."""
        with self.log.open("ab") as log:
            self._process = start([self._programs["kube-apiserver"], *self._arguments(port)], log=log)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                if "address already in use" in self._end_of_log():
                    return False
                raise LabError(f"the API server ended with {self._process.returncode}:\n{self._end_of_log()}")
            if self._is_ready():
                return True
            time.sleep(_LOOK_EVERY_S)
        raise LabError(f"the API server was not ready after {PATIENCE_S} s:\n{self._end_of_log()}")

    def _is_ready(self) -> bool:
        """It answers, and has made the namespace that k3s' own things live in."""
        try:
            self.kubectl("get", "--raw", "/readyz")
            self.kubectl("get", "namespace", "kube-system")
        except KubectlError:
            return False
        return True

    def _end_of_log(self) -> str:
        return self.log.read_text()[-2000:]

    def _arguments(self, port: int) -> Sequence[str]:
        return [
            f"--etcd-servers={self._datastore.url}",
            f"--bind-address={LOOPBACK}",
            f"--secure-port={port}",
            # There is no other server to agree with, and no Endpoints object may have such an address.
            f"--advertise-address={LOOPBACK}",
            "--endpoint-reconciler-type=none",
            f"--tls-cert-file={self._pki.serving_cert}",
            f"--tls-private-key-file={self._pki.serving_key}",
            f"--client-ca-file={self._pki.client_ca}",
            f"--service-account-issuer={_TOKENS_ISSUER}",
            f"--service-account-key-file={self._pki.service_account_key}",
            f"--service-account-signing-key-file={self._pki.service_account_key}",
            # As k3s has them.
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--service-cluster-ip-range=10.43.0.0/16",
        ]


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise LabError(f"{name} is not on PATH: `make test-kube` makes it and puts it there")
    return found
