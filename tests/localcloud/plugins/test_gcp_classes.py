"""The declarations of gcp against the classes of the installed SDK, which are made from its schema."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from types import ModuleType

import pytest
from pulumi_gcp import provider as sdk_provider
from pulumi_gcp.dns import managed_zone, record_set
from pulumi_gcp.projects import iam_member
from pulumi_gcp.serviceaccount import account, key

from localcloud.plugins.gcp.iam_member import IAMMember
from localcloud.plugins.gcp.managed_zone import ManagedZone
from localcloud.plugins.gcp.provider import FUNCTIONS, RESOURCES, Gcp
from localcloud.plugins.gcp.record_set import RecordSet
from localcloud.plugins.gcp.service_account import Account, Key
from localcloud.plugins.resource import Resource
from tests.localcloud.plugins.tables import spelled

SDK: list[tuple[type[Resource], ModuleType]] = [
    (ManagedZone, managed_zone),
    (RecordSet, record_set),
    (Account, account),
    (Key, key),
    (IAMMember, iam_member),
]
# The SDK says "changing this forces a new resource" in prose only; the table of the provider's source counts.
REPLACES = {
    ManagedZone: {"name", "dnsName", "visibility", "project"},
    RecordSet: {"name", "managedZone", "project"},
    Account: {"accountId", "project"},
    Key: set(Key.inputs) - {"deletionPolicy"},
    IAMMember: {"project", "role", "member", "condition"},
}


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def _parameters(of: type) -> dict[str, inspect.Parameter]:
    found = inspect.signature(of.__init__).parameters  # type: ignore[misc]
    return {_camel(name): spec for name, spec in found.items() if name not in ("__self__", "self")}


def test_all_are_compared() -> None:
    assert {kind for kind, _ in SDK} == set(RESOURCES)
    assert len(FUNCTIONS) == 3


@pytest.mark.parametrize(("kind", "module"), SDK)
def test_inputs_and_outputs(kind: type[Resource], module: ModuleType) -> None:
    arguments = _parameters(getattr(module, f"{kind.kind()}Args"))
    assert set(kind.inputs) == set(arguments)
    required = {name for name, spec in arguments.items() if spec.default is inspect.Parameter.empty}
    assert {name for name, field in kind.inputs.items() if field.required} == required
    state = _parameters(getattr(module, f"_{kind.kind()}State"))
    assert set(kind.inputs) | set(kind.outputs) == set(state)


@pytest.mark.parametrize(("kind", "module"), SDK)
def test_scalar_types(kind: type[Resource], module: ModuleType) -> None:
    state = _parameters(getattr(module, f"_{kind.kind()}State"))
    fields = {**kind.inputs, **kind.outputs}
    names = {"string": "str", "boolean": "bool", "integer": "int"}
    compared = 0
    for name, field in fields.items():
        shape = spelled(field.type)
        if isinstance(shape, str) and shape in names:
            compared += 1
            assert re.search(rf"\b{names[shape]}\b", str(state[name].annotation)), name
    assert compared >= 3


@pytest.mark.parametrize(("kind", "module"), SDK)
def test_secrets(kind: type[Resource], module: ModuleType) -> None:
    source = inspect.getsource(getattr(module, kind.kind()))
    listed = re.search(r"additional_secret_outputs=(\[.*?\])", source)
    secret = set(ast.literal_eval(listed[1])) if listed else set()
    fields = {**kind.inputs, **kind.outputs}
    assert {name for name, field in fields.items() if field.secret} == secret


@pytest.mark.parametrize(("kind", "module"), SDK)
def test_token_and_what_replaces(kind: type[Resource], module: ModuleType) -> None:
    assert f"'{kind.token}'" in inspect.getsource(module)
    assert {name for name, field in kind.inputs.items() if field.replaces} == REPLACES[kind]


def test_functions() -> None:
    for kind in FUNCTIONS:
        name = kind.token.rpartition(":")[2]
        # The package's attribute of that name is the function, not its module.
        snake = re.sub("([A-Z])", r"_\1", name).lower()
        module = importlib.import_module(f"pulumi_gcp.dns.{snake}")
        assert f"'{kind.token}'" in inspect.getsource(module)
        result = getattr(module, f"{name[0].upper()}{name[1:]}Result")
        assert set(kind.outputs) == set(_parameters(result))
        arguments = {_camel(name) for name in inspect.signature(getattr(module, snake)).parameters}
        assert set(kind.inputs) == arguments - {"opts"}


def test_provider_configuration() -> None:
    arguments = set(_parameters(sdk_provider.ProviderArgs))
    endpoints = {name for name in arguments if name.endswith("CustomEndpoint")}
    declared = set(Gcp.config_fields) - {"disableGlobalProjectWarning"}
    assert declared == arguments - endpoints
    assert {"dnsCustomEndpoint", "iamBetaCustomEndpoint", "resourceManagerCustomEndpoint"} <= endpoints
