"""What k3s deploys, given to a real API server: it knows each field, and twice is the same as once."""

from __future__ import annotations

import pytest
import yaml

from raya import manifests
from raya.manifests import FILES, ManifestValues
from tests import machines
from tests.kube import k3s, upstream
from tests.kube.lab.api_server import ApiServer

BUNDLED = machines.PROJECT_ROOT / "tests" / "boot" / "k3s_stand_in" / "bundled"


def rendered(values: ManifestValues) -> dict[str, str]:
    """File name -> its YAML."""
    return manifests.render(values, project_root=machines.PROJECT_ROOT)


def clusters() -> dict[str, ManifestValues]:
    """Everything on, with a private and with a public repository; each component off; one zone only."""
    without = {
        f"without {component}": machines.manifest_values(components={component: False}) for component in FILES
    }
    return {
        "private repository": machines.manifest_values(),
        "public repository": machines.manifest_values(gitops_token=None),
        "one zone": machines.manifest_values(dns_zones=("k8s.example.org",)),
        **without,
    }


@pytest.mark.parametrize("cluster", clusters())
def test_m5_every_file_is_applied_strictly_and_a_second_time_changes_nothing(
    api: ApiServer, cluster: str
) -> None:
    files = rendered(clusters()[cluster])
    together = "\n---\n".join(files.values())
    api.wipe()
    k3s.deploy(api, files)
    first = k3s.stored(api, together)
    assert len(first) == len(list(yaml.safe_load_all(together))) > 5

    # As after k3s was started again.
    assert k3s.look(api, files) == {}
    assert k3s.stored(api, together) == first


def test_what_comes_before_its_crd_is_tried_again_and_keeps_nobody_else_waiting(api: ApiServer) -> None:
    files = rendered(machines.manifest_values())
    brought_by_charts = [file for file in upstream.crds() if not file.name.startswith("helm.cattle.io")]
    api.wipe()
    for file in brought_by_charts:
        api.kubectl("delete", "-f", file)

    early = k3s.look(api, files)
    assert set(early) == {"raya-cert-manager-issuer.yaml", "raya-flux-sync.yaml"}
    assert all("no matches for kind" in words for words in early.values())
    k3s.stored(api, "\n---\n".join(text for name, text in files.items() if name not in early))

    for file in brought_by_charts:
        api.kubectl("apply", "--server-side", "-f", file)
    api.kubectl("wait", "crd", "--all", "--for=condition=Established", "--timeout=60s")
    assert k3s.look(api, files) == {}


def test_m5_no_file_shares_a_name_with_another_or_with_one_of_k3s_own() -> None:
    # k3s knows what a file deployed by the file's name up to the first dot, whatever folder it lies in.
    own = {file.name.partition(".")[0] for file in BUNDLED.rglob("*.yaml")}
    ours = [name.partition(".")[0] for name in rendered(machines.manifest_values())]
    assert len(own) >= 5
    assert len(set(ours)) == len(ours) == 7
    assert not set(ours) & own
    assert all(name.startswith("raya-") for name in ours)
    assert not any(name.startswith("raya-") for name in own)
