"""What k3s is given to deploy, parsed: the objects, and the values of the charts."""

from __future__ import annotations

from typing import Any

import yaml

from raya import manifests
from raya.manifests import ManifestValues
from tests import machines

Object = dict[str, Any]


def files(values: ManifestValues | None = None) -> dict[str, str]:
    """File name -> its YAML."""
    return manifests.render(values or machines.manifest_values(), project_root=machines.PROJECT_ROOT)


def objects(values: ManifestValues | None = None) -> list[Object]:
    """Every object of every file."""
    return [document for text in files(values).values() for document in yaml.safe_load_all(text)]


def the(kind: str, name: str, values: ManifestValues | None = None) -> Object:
    """The one object of that kind and name."""
    (found,) = [o for o in objects(values) if o["kind"] == kind and o["metadata"]["name"] == name]
    return found


def chart_values(name: str, kind: str = "HelmChart", values: ManifestValues | None = None) -> Object:
    """What Helm is told about one chart."""
    content = yaml.safe_load(the(kind, name, values)["spec"]["valuesContent"])
    assert isinstance(content, dict)
    return content
