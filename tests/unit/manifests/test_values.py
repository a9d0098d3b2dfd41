"""Helm values against what the charts publish about them."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml

from raya.pins import CHARTS
from tests import machines
from tests.unit.manifests.deployed import chart_values

# The charts' published schemas are not part of this project; a checkout beside them validates against them.
CHART_DATA = machines.PROJECT_ROOT.parent / "shared" / "charts"


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
