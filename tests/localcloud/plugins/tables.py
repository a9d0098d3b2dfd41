"""The stand-ins' declarations, and the published schemas they are held against."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from localcloud.plugins import random
from localcloud.plugins.fields import ListOf, MapOf, Opaque, Record, Scalar, Type
from localcloud.plugins.gcp import provider as gcp
from localcloud.plugins.hcloud import provider as hcloud
from localcloud.plugins.resource import Function, Resource
from localcloud.plugins.tls.certificate import LocallySignedCert, SelfSignedCert
from localcloud.plugins.tls.certificate_request import CertRequest
from localcloud.plugins.tls.private_key import PrivateKey

PROJECT_ROOT = Path(__file__).resolve().parents[3]

RESOURCES: dict[str, tuple[type[Resource], ...]] = {
    "hcloud": hcloud.RESOURCES,
    "gcp": gcp.RESOURCES,
    "random": (random.RandomBytes, random.RandomId, random.RandomPassword, random.RandomString),
    "tls": (PrivateKey, CertRequest, SelfSignedCert, LocallySignedCert),
}
FUNCTIONS: dict[str, tuple[type[Function], ...]] = {"hcloud": hcloud.FUNCTIONS, "gcp": gcp.FUNCTIONS}
OF_SCHEMA = [(name, kind) for name in ("hcloud", "random", "tls") for kind in RESOURCES[name]]


def schema(name: str) -> dict[str, Any]:
    """A published package schema; skips the test where the folder is not at hand."""
    folder = Path(os.environ.get("RAYA_SHARED", PROJECT_ROOT.parent / "shared")) / "schemas"
    file = folder / f"{name}.schema.json"
    if not file.is_file():
        pytest.skip(f"{file} is not here: set RAYA_SHARED to the folder that holds schemas/")
    loaded: dict[str, Any] = json.loads(file.read_text())
    return loaded


def described(spec: dict[str, Any], package: dict[str, Any]) -> Any:
    """A schema's property type in a form that equals `spelled` of the declaration."""
    if "$ref" in spec:
        record = package["types"][spec["$ref"].removeprefix("#/types/")]
        return {name: described(inner, package) for name, inner in record["properties"].items()}
    if spec["type"] == "array":
        return [described(spec["items"], package)]
    if spec["type"] == "object":
        return {"*": described(spec["additionalProperties"], package)}
    return spec["type"]


def spelled(declared: Type) -> Any:
    """A declared type in the same form."""
    if isinstance(declared, ListOf):
        return [spelled(declared.item)]
    if isinstance(declared, MapOf):
        return {"*": spelled(declared.item)}
    if isinstance(declared, Record):
        return {name: spelled(field.type) for name, field in declared.fields.items()}
    assert isinstance(declared, Scalar | Opaque)
    return declared.kind if isinstance(declared, Scalar) else "opaque"
