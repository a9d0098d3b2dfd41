"""What k3s deploys: each component whole, switchable, and with its secret where it is looked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from raya import manifests
from raya.machine_config import NodeSpec
from raya.manifests import FILES, ManifestError, ManifestValues
from raya.pins import CHARTS
from tests import machines

# The charts' published schemas are not part of this project; a checkout beside them validates against them.
CHART_DATA = machines.PROJECT_ROOT.parent / "shared" / "charts"


def objects(values: ManifestValues | None = None) -> list[dict[str, Any]]:
    rendered = manifests.render(values or machines.manifest_values(), project_root=machines.PROJECT_ROOT)
    return [document for text in rendered.values() for document in yaml.safe_load_all(text)]


def the(kind: str, name: str, values: ManifestValues | None = None) -> dict[str, Any]:
    (found,) = [o for o in objects(values) if o["kind"] == kind and o["metadata"]["name"] == name]
    return found


def chart_values(name: str, kind: str = "HelmChart") -> dict[str, Any]:
    values = yaml.safe_load(the(kind, name)["spec"]["valuesContent"])
    assert isinstance(values, dict)
    return values


def test_every_template_belongs_to_a_component() -> None:
    templates = {file.name for file in (machines.PROJECT_ROOT / "manifests").iterdir()}
    assert templates == {f"{name}.yaml.j2" for names in FILES.values() for name in names}
    assert len(templates) == 7


@pytest.mark.parametrize("component", FILES)
def test_a_component_that_is_off_leaves_nothing_behind(component: str) -> None:
    on = dict.fromkeys(FILES, True) | {component: False}
    rendered = manifests.render(machines.manifest_values(components=on), project_root=machines.PROJECT_ROOT)
    expected = {f"raya-{name}.yaml" for other, names in FILES.items() if on[other] for name in names}
    assert set(rendered) == expected


def test_every_file_name_is_one_that_a_machine_accepts() -> None:
    rendered = manifests.render(machines.manifest_values(), project_root=machines.PROJECT_ROOT)
    spec = machines.control_plane(manifests=rendered)
    assert isinstance(spec, NodeSpec)
    assert len(rendered) == 7


def test_charts_come_from_the_pins_and_land_in_a_namespace_that_exists() -> None:
    charts = [o for o in objects() if o["kind"] == "HelmChart"]
    namespaces = {o["metadata"]["name"] for o in objects() if o["kind"] == "Namespace"} | {"kube-system"}
    assert len(charts) == len(CHARTS) == 4
    pinned = {(chart.repo, chart.name, chart.version) for chart in CHARTS.values()}
    assert {(c["spec"]["repo"], c["spec"]["chart"], c["spec"]["version"]) for c in charts} == pinned
    assert {c["metadata"]["namespace"] for c in charts} == {"kube-system"}
    assert {c["spec"]["targetNamespace"] for c in charts} <= namespaces
    for item in objects():
        assert item["metadata"].get("namespace", "kube-system") in namespaces


def test_x1_no_object_needs_a_controller_that_is_not_there() -> None:
    kinds = {o["kind"] for o in objects()}
    assert kinds == {
        "ClusterIssuer",
        "ConfigMap",
        "GitRepository",
        "HelmChart",
        "HelmChartConfig",
        "Kustomization",
        "Namespace",
        "Secret",
    }
    values = chart_values("flux")
    running = {
        name for name, controller in values.items() if isinstance(controller, dict) and controller["create"]
    }
    assert running == {"sourceController", "kustomizeController"}


def test_what_needs_a_crd_shares_no_file_with_what_brings_it() -> None:
    rendered = manifests.render(machines.manifest_values(), project_root=machines.PROJECT_ROOT)
    for name, text in rendered.items():
        kinds = {document["kind"] for document in yaml.safe_load_all(text)}
        assert not ({"HelmChart", "Namespace"} & kinds and {"ClusterIssuer", "GitRepository"} & kinds), name


def test_traefik_runs_everywhere_and_keeps_the_clients_address() -> None:
    values = chart_values("traefik", "HelmChartConfig")
    assert the("HelmChartConfig", "traefik")["metadata"]["namespace"] == "kube-system"
    assert values["deployment"]["kind"] == "DaemonSet"
    assert values["service"]["spec"]["externalTrafficPolicy"] == "Local"
    assert values["ports"]["websecure"]["http"]["tls"]["enabled"] is True


def test_d6_external_dns_owns_its_records_in_the_given_public_zones_only() -> None:
    values = chart_values("external-dns")
    assert values["provider"]["name"] == "google"
    assert values["policy"] == "sync"
    assert (values["registry"], values["txtOwnerId"]) == ("txt", "example")
    assert values["domainFilters"] == ["k8s.example.org", "example.net"]
    assert {"--google-project=example-project", "--google-zone-visibility=public"} <= set(values["extraArgs"])


def test_d7_challenges_are_solved_in_the_managed_zone_and_checked_by_public_resolvers() -> None:
    spec = the("ClusterIssuer", "letsencrypt")["spec"]["acme"]
    managed, other = spec["solvers"]
    assert managed["selector"]["dnsZones"] == ["k8s.example.org"]
    assert managed["dns01"]["cloudDNS"]["hostedZoneName"] == "raya-k8s-example-org"
    assert other["selector"]["dnsZones"] == ["example.net"]
    for solver in spec["solvers"]:
        assert solver["dns01"]["cloudDNS"]["project"] == "example-project"
        reference = solver["dns01"]["cloudDNS"]["serviceAccountSecretRef"]
        secret = the("Secret", reference["name"])
        assert secret["metadata"]["namespace"] == "cert-manager"
        assert reference["key"] in secret["stringData"]
    values = chart_values("cert-manager")
    assert values["dns01RecursiveNameserversOnly"] is True
    assert values["dns01RecursiveNameservers"] == "1.1.1.1:53,8.8.8.8:53"
    assert values["crds"] == {"enabled": True, "keep": True}


def test_one_zone_needs_one_solver() -> None:
    values = machines.manifest_values(dns_zones=("k8s.example.org",))
    assert len(the("ClusterIssuer", "letsencrypt", values)["spec"]["acme"]["solvers"]) == 1


def test_every_provisioned_secret_is_where_its_user_looks_for_it() -> None:
    assert the("Secret", "hcloud")["stringData"] == {"token": "fake-hcloud-token"}
    assert the("Secret", "hcloud")["metadata"]["namespace"] == "kube-system"
    for name in ("external-dns", "cert-manager"):
        secret = the("Secret", f"{name}-google")
        key = json.loads(secret["stringData"]["credentials.json"])
        assert key == {"private_key": f"fake key of {name}\n"}
        assert secret["metadata"]["namespace"] == the("HelmChart", name)["spec"]["targetNamespace"]
    values = chart_values("external-dns")
    assert values["extraVolumes"][0]["secret"]["secretName"] == "external-dns-google"
    mount = values["extraVolumeMounts"][0]["mountPath"]
    assert values["env"] == [{"name": "GOOGLE_APPLICATION_CREDENTIALS", "value": f"{mount}/credentials.json"}]


def test_the_storage_driver_works_without_reaching_the_metadata_service_from_a_pod() -> None:
    values = chart_values("hcloud-csi")
    assert values["node"]["hostNetwork"] is True
    assert values["controller"]["hcloudVolumeDefaultLocation"] == "hel1"
    assert values["controller"]["hcloudToken"]["existingSecret"] == {"name": "hcloud", "key": "token"}
    assert [c["defaultStorageClass"] for c in values["storageClasses"]] == [True]


def test_flux_watches_the_repository_and_prunes() -> None:
    repository, sync = the("GitRepository", "raya")["spec"], the("Kustomization", "raya")["spec"]
    assert repository["url"] == "https://git.example.org/cluster.git"
    assert repository["ref"] == {"branch": "main"}
    assert repository["secretRef"]["name"] == the("Secret", "gitops")["metadata"]["name"]
    assert (sync["path"], sync["prune"]) == ("./deploy", True)
    (source,) = sync["postBuild"]["substituteFrom"]
    assert the("ConfigMap", source["name"])["data"] == {
        "CLUSTER_NAME": "example",
        "MANAGED_ZONE": "k8s.example.org",
    }


def test_a_public_repository_needs_no_secret() -> None:
    values = machines.manifest_values(gitops_token=None)
    assert "secretRef" not in the("GitRepository", "raya", values)["spec"]
    assert not [o for o in objects(values) if o["metadata"]["name"] == "gitops"]


@pytest.mark.parametrize("secret", ["external_dns_key", "cert_manager_key", "hcloud_csi_token"])
def test_a_component_without_its_secret_is_refused(secret: str) -> None:
    with pytest.raises(ManifestError, match=f"has no {secret.replace('_', ' ')}"):
        machines.manifest_values(**{secret: None})


def test_an_unknown_component_is_refused() -> None:
    with pytest.raises(ManifestError, match="there is no component 'nginx'"):
        machines.manifest_values(components={"nginx": True})


def test_secrets_are_not_in_the_repr() -> None:
    assert "fake" not in repr(machines.manifest_values())


@pytest.mark.skipif(
    not CHART_DATA.is_dir(), reason="the charts' published schemas are not beside this checkout"
)
@pytest.mark.parametrize(
    ("kind", "name", "pattern", "count"),
    [
        ("HelmChartConfig", "traefik", "traefik-*.values.schema.json", 3),
        ("HelmChart", "hcloud-csi", "hcloud-csi-*.values.schema.json", 1),
    ],
)
def test_t2_values_fit_the_charts_schemas(kind: str, name: str, pattern: str, count: int) -> None:
    schemas = sorted(CHART_DATA.glob(pattern))
    assert len(schemas) == count
    for schema in schemas:
        jsonschema.validate(chart_values(name, kind), json.loads(schema.read_text()))


@pytest.mark.skipif(
    not CHART_DATA.is_dir(), reason="the charts' published values are not beside this checkout"
)
@pytest.mark.parametrize(("name", "file"), [("flux", "flux2-2.18.3"), ("hcloud-csi", "hcloud-csi-2.22.1")])
def test_every_value_is_one_the_chart_has(name: str, file: str) -> None:
    def unknown(ours: Any, theirs: Any, path: str) -> list[str]:
        if not isinstance(ours, dict) or not isinstance(theirs, dict) or not theirs:
            return []
        own = [f"{path}.{key}" for key in ours if key not in theirs]
        return own + [
            name for key in ours if key in theirs for name in unknown(ours[key], theirs[key], f"{path}.{key}")
        ]

    documented = yaml.safe_load((CHART_DATA / f"{file}.values.yaml").read_text())
    assert CHARTS[name].version in file
    assert unknown(chart_values(name), documented, name) == []


def test_the_projects_own_folders_hold_no_key() -> None:
    files = [
        file
        for folder in ("manifests", "butane", "deploy", "tests/golden")
        for file in (machines.PROJECT_ROOT / folder).rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    ]
    assert len(files) > 40
    for file in files:
        assert b"PRIVATE KEY" not in Path(file).read_bytes(), file
