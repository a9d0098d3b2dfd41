"""T2: what Helm is told is what the charts understand. An unknown key is silently nothing, or a failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from raya.pins import CHARTS
from tests.kube import upstream
from tests.kube.upstream import UpstreamFile
from tests.unit.manifests.deployed import chart_values

# Kubernetes' own: the schema names one of its fields, and Helm passes on all of them.
FREE = {"service.spec"}


def closed(schema: Any, path: str = "") -> Any:
    """The schema with every object that names its keys refusing all others, which charts seldom ask for."""
    if isinstance(schema, list):
        return [closed(each, path) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {
        key: {name: closed(each, f"{path}.{name}".lstrip(".")) for name, each in value.items()}
        if key == "properties"
        else closed(value, path)
        for key, value in schema.items()
    }
    if inner.get("properties") and path not in FREE:
        inner.setdefault("additionalProperties", False)
    return inner


def unknown_keys(ours: Any, documented: Any, path: str) -> list[str]:
    """Where `ours` has a key that the documented values lack. What they leave empty may be anything."""
    if not isinstance(ours, dict) or not isinstance(documented, dict) or not documented:
        return []
    unknown = [f"{path}.{key}" for key in ours if key not in documented]
    return unknown + [
        name
        for key in ours.keys() & documented.keys()
        for name in unknown_keys(ours[key], documented[key], f"{path}.{key}")
    ]


SCHEMAS = [
    *[("HelmChartConfig", "traefik", schema) for schema in upstream.TRAEFIK_SCHEMAS],
    ("HelmChart", "hcloud-csi", upstream.CSI_SCHEMA),
]


def schema_id(value: object) -> str:
    return value.name if isinstance(value, UpstreamFile) else str(value)


@pytest.mark.parametrize(("kind", "name", "schema"), SCHEMAS, ids=schema_id)
def test_t2_values_fit_the_schema_and_have_no_key_that_it_lacks(
    kind: str, name: str, schema: UpstreamFile
) -> None:
    jsonschema.validate(chart_values(name, kind), closed(json.loads(schema.path().read_text())))


MISSPELT_TRAEFIK: list[dict[str, Any]] = [
    {"deploymnet": {}},
    {"deployment": {"knid": "DaemonSet"}},
    {"ports": {"websecure": {"tls": {"enabled": True}}}},
    {"ports": {"websecure": {"http": {"tls": {"enable": True}}}}},
]
MISSPELT: list[tuple[UpstreamFile, dict[str, Any]]] = [
    *[(schema, wrong) for schema in upstream.TRAEFIK_SCHEMAS for wrong in MISSPELT_TRAEFIK],
    (upstream.CSI_SCHEMA, {"controller": {"hcloudToken": {"existingSecrets": {}}}}),
    (upstream.CSI_SCHEMA, {"storageClasses": [{"name": "one", "default": True}]}),
]


@pytest.mark.parametrize(("schema", "wrong"), MISSPELT, ids=schema_id)
def test_the_check_sees_a_misspelt_key(schema: UpstreamFile, wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, closed(json.loads(schema.path().read_text())))


@pytest.mark.parametrize(
    ("name", "file"),
    [("flux", upstream.FLUX_VALUES), ("hcloud-csi", upstream.CSI_VALUES)],
    ids=schema_id,
)
def test_the_documented_values_are_those_of_the_pinned_chart(name: str, file: UpstreamFile) -> None:
    assert f"-{CHARTS[name].version}.values" in file.name


def documented_values(name: str) -> Path:
    """The values that a chart's own file documents."""
    if name == "flux":
        return upstream.FLUX_VALUES.path()
    if name == "hcloud-csi":
        return upstream.CSI_VALUES.path()
    chart = upstream.external_dns_chart() if name == "external-dns" else upstream.cert_manager_chart()
    return chart / "values.yaml"


@pytest.mark.parametrize("name", CHARTS)
def test_t2_every_value_is_one_that_the_charts_own_file_has(name: str) -> None:
    documented = yaml.safe_load(documented_values(name).read_text())
    values = chart_values(name)
    assert len(values) > 2
    assert unknown_keys(values, documented, name) == []
    section = next(key for key, value in documented.items() if isinstance(value, dict) and value)
    assert unknown_keys({section: {"noSuchKey": 1}}, documented, name) == [f"{name}.{section}.noSuchKey"]


def test_the_charts_of_the_go_modules_are_the_pinned_ones() -> None:
    chart = yaml.safe_load((upstream.external_dns_chart() / "Chart.yaml").read_text())
    assert (chart["name"], chart["version"]) == ("external-dns", CHARTS["external-dns"].version)
    # cert-manager's chart gets the version of the release, which is the module's.
    assert upstream.CERT_MANAGER.version == CHARTS["cert-manager"].version
