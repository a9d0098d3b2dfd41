"""The lab itself: it is what the other tests take it for."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from raya.pins import Pins
from tests.kube.conftest import ROOT
from tests.kube.lab.api_server import ApiServer, KubectlError
from toolchain.recipes import module_version

CONFIG_MAP = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\n  namespace: default\ndata:\n  text: hello\n"
)


def test_the_api_server_is_the_release_that_k3s_is_made_of(api: ApiServer) -> None:
    release = Pins.load(ROOT / "image").k3s.version.partition("+")[0]
    assert f"Server Version: {release}" in api.kubectl("version")
    assert f"v{module_version('kubernetes', 'k8s.io/kubernetes')}" == release


def test_wiping_removes_what_came_and_brings_back_what_went(api: ApiServer) -> None:
    api.kubectl("create", "namespace", "passing")
    api.kubectl("apply", "-f", "-", given=CONFIG_MAP)
    api.kubectl("delete", "clusterrole", "view")
    api.kubectl("label", "namespace", "kube-system", "changed=yes")
    api.kubectl("delete", "crd", "helmcharts.helm.cattle.io")

    api.wipe()

    assert "passing" not in api.kubectl("get", "namespaces")
    assert "note" not in api.kubectl("get", "configmaps", "--namespace", "default")
    assert "view" in api.kubectl("get", "clusterrole", "view")
    assert "changed" not in api.kubectl("get", "namespace", "kube-system", "--show-labels")
    api.kubectl("wait", "crd", "helmcharts.helm.cattle.io", "--for=condition=Established", "--timeout=60s")
    assert "No resources found" in api.kubectl("get", "helmcharts.helm.cattle.io", "-A", check=False)


def test_a_service_accounts_token_opens_what_rbac_says_and_no_more(api: ApiServer) -> None:
    api.wipe()
    api.kubectl("create", "serviceaccount", "reader", "--namespace", "default")
    api.kubectl("create", "role", "reader", "--verb=get,list", "--resource=configmaps", "--namespace=default")
    api.kubectl(
        "create",
        "rolebinding",
        "reader",
        "--role=reader",
        "--serviceaccount=default:reader",
        "--namespace=default",
    )
    own = api.kubeconfig_for("default", "reader")
    assert "system:serviceaccount:default:reader" in api.kubectl("auth", "whoami", kubeconfig=own)
    api.kubectl("get", "configmaps", "--namespace", "default", kubeconfig=own)
    with pytest.raises(KubectlError, match="forbidden"):
        api.kubectl("get", "secrets", "--namespace", "default", kubeconfig=own)
    with pytest.raises(KubectlError, match="forbidden"):
        api.kubectl("get", "secrets", "--namespace", "default", as_="system:serviceaccount:default:reader")


def test_a_lab_whose_tests_were_killed_leaves_no_process(tmp_path: Path) -> None:
    lab = "import sys; from pathlib import Path; from tests.kube.lab.api_server import ApiServer"
    tests = subprocess.Popen(
        [sys.executable, "-c", f"{lab}; ApiServer(Path(sys.argv[1])).start()", tmp_path], cwd=ROOT
    )
    wait_for(lambda: {"etcd", "kube-apiserver"} <= running(tmp_path), "both servers to run")
    tests.send_signal(signal.SIGKILL)
    tests.wait()
    wait_for(lambda: not running(tmp_path), "both servers to end")


def running(folder: Path) -> set[str]:
    """The programs that have the folder among their words."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_text().split("\0")
        except OSError:
            continue
        if any(str(folder) in word for word in words[1:]):
            found.add(Path(words[0]).name)
    return found


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, f"waited two minutes for {what}"
        time.sleep(0.05)
