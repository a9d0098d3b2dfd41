"""What the reaper may do with its own token; everything else is refused, whatever the program thinks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kube.fleet_objects import CONTROL_PLANE_LABEL, FLEET_LABEL, attachment, node, password, put
from tests.kube.lab.api_server import ApiServer, KubectlError
from tests.kube.reaper_pod import ReaperPod

# A dry run goes through authorization and admission like the real thing.
DELETE = ("delete", "--dry-run=server", "--wait=false")
IN_KUBE_SYSTEM = "--namespace=kube-system"


@pytest.fixture(scope="module")
def reaper(api: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The kubeconfig of the reaper's service account, in a cluster with things that it must not touch."""
    pod = ReaperPod(api=api, folder=tmp_path_factory.mktemp("pod"))
    pod.deploy()
    agent = {FLEET_LABEL: "file"}
    put(
        api,
        [
            node("agent-5", ready="Unknown", labels=agent),
            password("agent-5"),
            attachment("of-an-agent", node="agent-5", machine="105"),
            node("control-plane", ready="True", labels={CONTROL_PLANE_LABEL: "true"}),
            password("control-plane"),
            attachment("of-the-control-plane", node="control-plane", machine="1"),
            node("agent-6", ready="Unknown", labels={}),
            node("agent-7", ready="Unknown", labels={**agent, CONTROL_PLANE_LABEL: "true"}),
            node("worker-5", ready="Unknown", labels=agent),
        ],
    )
    api.kubectl("create", "secret", "generic", "hcloud", IN_KUBE_SYSTEM, "--from-literal=token=x")
    api.kubectl("create", "secret", "generic", "agent-5.node-password.k3s", "--namespace=default")
    kubeconfig = api.kubeconfig_for("kube-system", "node-reaper")
    _wait_for_admission(api, kubeconfig)
    yield kubeconfig
    api.wipe()


def _wait_for_admission(api: ApiServer, kubeconfig: Path) -> None:
    """A new policy holds a moment after it was made."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            api.kubectl(*DELETE, "node", "worker-5", kubeconfig=kubeconfig)
        except KubectlError:
            return
        time.sleep(0.1)
    pytest.fail("the admission policy refused nothing within 120 s")


@pytest.mark.parametrize(
    "words",
    [
        ("get", "nodes"),
        ("get", "volumeattachments"),
        ("get", "csinodes"),
        (*DELETE, "node", "agent-5"),
        (*DELETE, "volumeattachment", "of-an-agent"),
        (*DELETE, "secret", "agent-5.node-password.k3s", IN_KUBE_SYSTEM),
    ],
    ids=" ".join,
)
def test_what_it_needs_is_allowed(api: ApiServer, reaper: Path, words: tuple[str, ...]) -> None:
    api.kubectl(*words, kubeconfig=reaper)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((*DELETE, "node", "control-plane"), "the reaper deletes Nodes of the fleet's agents only"),
        ((*DELETE, "node", "agent-6"), "the reaper deletes Nodes of the fleet's agents only"),
        ((*DELETE, "node", "agent-7"), "the reaper deletes Nodes of the fleet's agents only"),
        ((*DELETE, "node", "worker-5"), "the reaper deletes Nodes of the fleet's agents only"),
        ((*DELETE, "volumeattachment", "of-the-control-plane"), "volume attachments of agents only"),
        ((*DELETE, "secret", "hcloud", IN_KUBE_SYSTEM), "node passwords of agents only"),
        (
            (*DELETE, "secret", "control-plane.node-password.k3s", IN_KUBE_SYSTEM),
            "node passwords of agents only",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_admission_refuses_what_is_not_an_agents(
    api: ApiServer, reaper: Path, words: tuple[str, ...], why: str
) -> None:
    with pytest.raises(KubectlError, match="ValidatingAdmissionPolicy 'node-reaper'") as refusal:
        api.kubectl(*words, kubeconfig=reaper)
    assert why in str(refusal.value)
    # It is the account that is refused, not the deletion.
    api.kubectl(*words)


@pytest.mark.parametrize(
    "words",
    [
        ("get", "secrets", IN_KUBE_SYSTEM),
        ("get", "secret", "agent-5.node-password.k3s", IN_KUBE_SYSTEM),
        (*DELETE, "secret", "agent-5.node-password.k3s", "--namespace=default"),
        (*DELETE, "secrets", "--all", IN_KUBE_SYSTEM),
        (*DELETE, "nodes", "--all"),
        (*DELETE, "csinode", "agent-5"),
        (*DELETE, "serviceaccount", "node-reaper", IN_KUBE_SYSTEM),
        (*DELETE, "validatingadmissionpolicy", "node-reaper"),
        (*DELETE, "configmap", "fleet", IN_KUBE_SYSTEM),
        ("get", "node", "agent-5"),
        ("label", "node", "agent-6", f"{FLEET_LABEL}=file"),
        ("get", "configmaps", IN_KUBE_SYSTEM),
        ("get", "pods", IN_KUBE_SYSTEM),
        ("create", "token", "node-reaper", IN_KUBE_SYSTEM),
    ],
    ids=" ".join,
)
def test_everything_else_is_forbidden(api: ApiServer, reaper: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(KubectlError, match=r"(?i)forbidden"):
        api.kubectl(*words, kubeconfig=reaper)


@pytest.mark.parametrize("verb", ["create", "update", "patch", "deletecollection", "watch", "*"])
@pytest.mark.parametrize("resource", ["nodes", "secrets", "volumeattachments", "csinodes"])
def test_it_has_no_other_verb(api: ApiServer, reaper: Path, verb: str, resource: str) -> None:
    said = api.kubectl("auth", "can-i", verb, resource, IN_KUBE_SYSTEM, check=False, kubeconfig=reaper)
    assert said.split()[0] == "no"
