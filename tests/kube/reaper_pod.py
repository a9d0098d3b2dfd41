"""The reaper's pod without a kubelet: what the API server's CronJob says, run here as it would run there.

Real: the objects that kustomize makes of `deploy/fleet`, the program and the fleet as their ConfigMaps have
them, the service account's own token, RBAC and admission. In place of the image there is the Python that runs
the tests, and in place of the mounts there are folders, so the CronJob's paths are rewritten to them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from tests.commands import LabError
from tests.kube.lab.api_server import ApiServer

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
REAPER = "system:serviceaccount:kube-system:node-reaper"
PATIENCE_S = 300
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


@dataclass(frozen=True, kw_only=True)
class Run:
    """How a run of the reaper ended. `said` is all that its log would have."""

    status: int
    said: str


@dataclass(frozen=True, kw_only=True)
class ReaperPod:
    """Starts the reaper in `folder` with what `api` says of it.

    `environment` replaces what a pod would be told.
    """

    api: ApiServer
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def deploy(self, fleet: str | None = None) -> None:
        """Put what `deploy/fleet` has into an empty cluster, and another fleet file than the one there."""
        self.api.wipe()
        objects = self.api.kubectl("kustomize", DEPLOY / "fleet")
        self.api.kubectl("apply", "--server-side", "--filename=-", given=objects)
        if fleet is not None:
            self.set_fleet(fleet)
        self._wait_for_right("delete", "nodes", may=True)

    def set_fleet(self, content: str | None) -> None:
        """Another fleet file; None: the ConfigMap has none."""
        patch = json.dumps({"data": {"agents.json": content}})
        self.api.kubectl(
            "patch", "configmap", "fleet", "--namespace=kube-system", "--type=merge", f"--patch={patch}"
        )

    def take_right(self, verb: str, resource: str) -> None:
        """Take a verb on a cluster-wide resource out of the reaper's role."""
        role = json.loads(self.api.kubectl("get", "clusterrole", "node-reaper", "--output=json"))
        for rule in role["rules"]:
            if resource in rule["resources"]:
                rule["verbs"].remove(verb)
        role["rules"] = [rule for rule in role["rules"] if rule["verbs"]]
        self.api.kubectl("replace", "--filename=-", given=json.dumps(role))
        self._wait_for_right(verb, resource, may=False)

    def _wait_for_right(self, verb: str, resource: str, *, may: bool) -> None:
        """The API server's own view of its roles follows a moment later."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            said = self.api.kubectl("auth", "can-i", verb, resource, as_=REAPER, check=False)
            # What follows the answer is a warning.
            if said.split()[0] == ("yes" if may else "no"):
                return
            time.sleep(0.1)
        raise LabError(f"the reaper's right to {verb} {resource} did not become {may} within {PATIENCE_S} s")

    def run(self) -> Run:
        cron_job = self._get("cronjob/node-reaper")
        pod = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        mounts = self._mounts(pod, container)
        command, environment = self._as_here(container, mounts)
        done = subprocess.run(
            command,
            env={**environment, **self.environment},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return Run(status=done.returncode, said=done.stdout)

    def account(self, name: str = "node-reaper") -> Path:
        """The folder that a pod of a service account finds at `ACCOUNT`."""
        config = yaml.safe_load(self.api.kubeconfig_for("kube-system", name).read_text())
        folder = self._empty("account")
        (folder / "token").write_text(config["users"][0]["user"]["token"])
        shutil.copy(config["clusters"][0]["cluster"]["certificate-authority"], folder / "ca.crt")
        return folder

    def address(self) -> dict[str, str]:
        """What every pod is told of the API server."""
        url = urlsplit(self.api.url)
        return {"KUBERNETES_SERVICE_HOST": str(url.hostname), "KUBERNETES_SERVICE_PORT": str(url.port)}

    def _mounts(self, pod: Mapping[str, Any], container: Mapping[str, Any]) -> dict[str, Path]:
        """Mount path -> the folder here that has the same files."""
        volumes = {volume["name"]: volume["configMap"] for volume in pod["volumes"]}
        mounts = {
            mount["mountPath"]: self._config_map(volumes[mount["name"]])
            for mount in container["volumeMounts"]
        }
        return {**mounts, ACCOUNT: self.account(pod["serviceAccountName"])}

    def _config_map(self, source: Mapping[str, Any]) -> Path:
        folder = self._empty(source["name"])
        found = self.api.kubectl(
            "get",
            "configmap",
            source["name"],
            "--namespace=kube-system",
            "--output=json",
            "--ignore-not-found",
        )
        assert found or source.get("optional"), f"a kubelet would wait for the ConfigMap {source['name']}"
        for name, content in (json.loads(found).get("data", {}) if found else {}).items():
            (folder / name).write_text(content)
        return folder

    def _as_here(
        self, container: Mapping[str, Any], mounts: Mapping[str, Path]
    ) -> tuple[list[str], dict[str, str]]:
        def here(text: str) -> str:
            for path, folder in mounts.items():
                if text.startswith(path + "/"):
                    return str(folder) + text.removeprefix(path)
            return text

        program, *arguments = container["command"]
        assert program == "python3"
        environment = {each["name"]: here(each["value"]) for each in container["env"]}
        told = {**self.address(), "SERVICE_ACCOUNT": str(mounts[ACCOUNT])}
        return [sys.executable, *map(here, arguments)], {**environment, **told}

    def _empty(self, name: str) -> Path:
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def _get(self, name: str) -> dict[str, Any]:
        found = self.api.kubectl("get", name, "--namespace=kube-system", "--output=json")
        return dict(json.loads(found))
