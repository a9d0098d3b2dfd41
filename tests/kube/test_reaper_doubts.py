"""On any doubt the reaper deletes nothing and says why. Each time there is a node that would go otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.fleet import node_reaper
from tests.kube.fleet_objects import CONTROL_PLANE_LABEL, attachment, node, password, put
from tests.kube.lab.api_server import ApiServer
from tests.kube.reaper_pod import ReaperPod

FLEET = json.dumps({"agents": [{}]})
SURPLUS = "agent-5"


EVERYTHING = {
    "node/control-plane",
    f"node/{SURPLUS}",
    f"secret/{SURPLUS}.node-password.k3s",
    "volumeattachment.storage.k8s.io/volume",
}


def cluster(api: ApiServer, folder: Path) -> Iterator[ReaperPod]:
    pod = ReaperPod(api=api, folder=folder)
    pod.deploy(FLEET)
    put(
        api,
        [
            node("control-plane", ready="True", labels={CONTROL_PLANE_LABEL: "true"}),
            node(SURPLUS, ready="Unknown"),
            password(SURPLUS),
            attachment("volume", node=SURPLUS, machine="105"),
        ],
    )
    assert everything(api) == EVERYTHING
    yield pod
    api.wipe()


@pytest.fixture
def pod(api: ApiServer, tmp_path: Path) -> Iterator[ReaperPod]:
    yield from cluster(api, tmp_path)


@pytest.fixture(scope="module")
def shared(api: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReaperPod]:
    yield from cluster(api, tmp_path_factory.mktemp("pod"))


@pytest.fixture
def untouched(shared: ReaperPod) -> ReaperPod:
    """The same one for all tests that only give it another fleet, or the program another view of things."""
    shared.set_fleet(FLEET)
    return shared


def everything(api: ApiServer) -> set[str]:
    kinds = "nodes,secrets,volumeattachments"
    return set(api.kubectl("get", kinds, "--namespace=kube-system", "--output=name").split())


def in_doubt(pod: ReaperPod) -> str:
    """The doubt that a run had. Nothing was deleted, and the run failed, so that somebody looks."""
    before = everything(pod.api)
    run = pod.run()
    assert everything(pod.api) == before, run.said
    assert run.status == 1, run.said
    assert run.said.count("\n") == 1, run.said
    start, _, doubt = run.said.strip().partition(": ")
    assert start == "nothing is deleted from here on"
    return doubt


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read"),
        ("", "not the JSON that it should be"),
        ("{", "not the JSON that it should be"),
        ('{"agents": [{}], "agents": [{}]}', "a name is given twice"),
        ("[{}]", "no list of agents"),
        ("{}", "no list of agents"),
        ('{"agents": null}', "no list of agents"),
        ('{"agents": {"0": {}}}', "no list of agents"),
        ('{"agents": [{}, "agent-1"]}', "no list of agents"),
        ('{"agents": []}', "no agent at all"),
        ('{"agents": [null, null]}', "no agent at all"),
    ],
)
def test_a_fleet_that_cannot_be_relied_upon(untouched: ReaperPod, content: str | None, why: str) -> None:
    untouched.set_fleet(content)
    assert why in in_doubt(untouched)


def test_an_api_server_that_is_not_there(untouched: ReaperPod) -> None:
    # Nothing listens on the discard port of a machine that anybody looks after.
    away = ReaperPod(api=untouched.api, folder=untouched.folder, environment={"KUBERNETES_SERVICE_PORT": "9"})
    assert "gave no answer to GET" in in_doubt(away)


def test_an_api_server_that_another_ca_vouches_for(untouched: ReaperPod, tmp_path: Path) -> None:
    account = untouched.account()
    client_ca = next(untouched.api.kubeconfig.parent.glob("client_ca.pem"))
    (account / "ca.crt").write_text(client_ca.read_text())
    kept = account.rename(tmp_path / "another")
    stranger = ReaperPod(
        api=untouched.api, folder=untouched.folder, environment={"SERVICE_ACCOUNT": str(kept)}
    )
    assert "CERTIFICATE_VERIFY_FAILED" in in_doubt(stranger)


def test_a_token_that_is_not_accepted(untouched: ReaperPod, tmp_path: Path) -> None:
    account = untouched.account()
    (account / "token").write_text("outdated")
    kept = account.rename(tmp_path / "another")
    outdated = ReaperPod(
        api=untouched.api, folder=untouched.folder, environment={"SERVICE_ACCOUNT": str(kept)}
    )
    assert "does not list /apis/storage.k8s.io/v1/volumeattachments: Unauthorized" in in_doubt(outdated)


def test_a_fleet_without_its_config_map(pod: ReaperPod) -> None:
    pod.api.kubectl("delete", "configmap", "fleet", "--namespace=kube-system")
    assert "cannot be read" in in_doubt(pod)


@pytest.mark.parametrize("status", ["False", "Unknown", None])
def test_not_one_node_that_is_ready(pod: ReaperPod, status: str | None) -> None:
    pod.api.kubectl("delete", "node", "control-plane")
    put(pod.api, [node("control-plane", ready=status, labels={CONTROL_PLANE_LABEL: "true"})])
    assert "not one node is Ready" in in_doubt(pod)


def test_no_nodes(pod: ReaperPod) -> None:
    pod.api.kubectl("delete", "nodes", "--all")
    assert "not one node is Ready" in in_doubt(pod)


@pytest.mark.parametrize("resource", ["nodes", "volumeattachments", "csinodes"])
def test_a_list_that_is_refused(pod: ReaperPod, resource: str) -> None:
    pod.take_right("list", resource)
    doubt = in_doubt(pod)
    assert f"/{resource}: {resource}" in doubt
    assert "forbidden" in doubt


def test_a_deletion_that_is_refused_ends_the_run_and_leaves_the_node_to_the_next(pod: ReaperPod) -> None:
    pod.take_right("delete", "nodes")
    run = pod.run()
    assert run.status == 1
    assert f"does not delete /api/v1/nodes/{SURPLUS}" in run.said
    assert everything(pod.api) == EVERYTHING - {f"secret/{SURPLUS}.node-password.k3s"}


@pytest.mark.parametrize(
    ("path", "touch"),
    [
        (node_reaper.NODES, lambda api: api.kubectl("label", "node", SURPLUS, "came=back")),
        (node_reaper.ATTACHMENTS, lambda api: api.kubectl("annotate", "volumeattachment", "volume", "new=1")),
    ],
)
def test_what_changed_after_it_was_looked_at_stays(
    pod: ReaperPod, monkeypatch: pytest.MonkeyPatch, path: str, touch: Callable[[ApiServer], Any]
) -> None:
    for name, value in pod.address().items():
        monkeypatch.setenv(name, value)
    reaper = node_reaper.Api(pod.account())
    seen = next(each for each in reaper.list(path) if each["metadata"]["name"] in (SURPLUS, "volume"))
    one = f"{path}/{seen['metadata']['name']}"
    touch(pod.api)
    assert reaper.delete(one, seen) is False
    assert (
        reaper.delete(one, next(each for each in reaper.list(path) if each["spec"] == seen["spec"])) is True
    )


def test_without_a_doubt_it_is_deleted(pod: ReaperPod) -> None:
    assert pod.run().status == 0
    assert everything(pod.api) == {"node/control-plane"}
