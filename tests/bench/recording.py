"""The exported state of the real program -> what the floor registers; and whether both did the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
_SECRET_SIGNATURE = "4dabf18193072939515e22adb298388d"
_STACK = "pulumi:pulumi:Stack"
# A shorter text could be found in a longer one by chance.
_SHORTEST_PART = 4


# What the state keeps of a resource's options.
_SAME = (
    *("type", "custom", "parent", "dependencies", "protect", "deletedWith", "replaceWith"),
    *("ignoreChanges", "replaceOnChanges", "additionalSecretOutputs", "resourceHooks"),
)


@dataclass(frozen=True)
class Resource:
    """One resource of an exported state, in which secrets are shown."""

    state: Json = field(repr=False)

    @property
    def urn(self) -> str:
        return str(self.state["urn"])

    @property
    def type(self) -> str:
        return str(self.state["type"])

    @property
    def name(self) -> str:
        return self.urn.split("::")[-1]

    @property
    def dependencies(self) -> list[str]:
        return list(self.state.get("dependencies", []))

    @property
    def property_dependencies(self) -> Mapping[str, list[str]]:
        """Input -> the resources that its value comes from."""
        return dict(self.state.get("propertyDependencies", {}))

    @property
    def inputs(self) -> Json:
        return {name: _shown(value) for name, value in self.state.get("inputs", {}).items()}

    @property
    def outputs(self) -> Json:
        return {name: _shown(value) for name, value in self.state.get("outputs", {}).items()}

    @property
    def secret_inputs(self) -> set[str]:
        return {name for name, value in self.state.get("inputs", {}).items() if _is_secret(value)}

    @property
    def error_hooks(self) -> list[str]:
        return list(self.state.get("resourceHooks", {}).get("OnError", []))


def registered(deployment: Json) -> list[Resource]:
    """What the program registered, in an order in which everything comes after what it depends on."""
    made = [Resource(state) for state in deployment["resources"]]
    return [each for each in made if each.type != _STACK and not each.type.startswith("pulumi:providers:")]


def stack_outputs(deployment: Json) -> Json:
    (stack,) = [state for state in deployment["resources"] if state["type"] == _STACK]
    return {name: _for_the_floor(value) for name, value in stack.get("outputs", {}).items()}


def recorded(deployment: Json) -> Json:
    """The floor's recording.json."""
    resources = registered(deployment)
    by_urn = {each.urn: each for each in resources}
    return {
        "resources": [_entry(each, by_urn) for each in resources],
        "errorHooks": sorted({name for each in resources for name in each.error_hooks}),
        "outputs": stack_outputs(deployment),
    }


def differences(real: Json, floor: Json) -> list[str]:
    """Sentences about what two deployments did not register alike; empty when the floor is a fair one."""
    ones, others = ({each.urn: each for each in registered(one)} for one in (real, floor))
    missing = [f"{urn} is in one of them only" for urn in sorted(ones.keys() ^ others.keys())]
    unlike = [
        f"{urn}: {what}"
        for urn in sorted(ones.keys() & others.keys())
        for what in _unlike(ones[urn], others[urn], ones)
    ]
    return missing + unlike


def _unlike(one: Resource, other: Resource, by_urn: Mapping[str, Resource]) -> Iterable[str]:
    for key in _SAME:
        if _unordered(one.state.get(key)) != _unordered(other.state.get(key)):
            yield key
    if one.secret_inputs != other.secret_inputs:
        yield "secret inputs"
    if one.inputs.keys() != other.inputs.keys():
        yield "names of inputs"
    for name, value in one.inputs.items():
        constant = not _outputs_in(_recorded_input(one, name, by_urn))
        if constant and value != other.inputs.get(name):
            yield f"the input {name}"


def _unordered(value: Any) -> Any:
    return set(value) if isinstance(value, list) else value


def _entry(resource: Resource, by_urn: Mapping[str, Resource]) -> Json:
    component = not resource.state["custom"]
    values = {name: _recorded_input(resource, name, by_urn) for name in resource.inputs}
    constant = {name for name, value in values.items() if not _outputs_in(value)}
    implied = {
        urn for name in values.keys() - constant for urn in resource.property_dependencies.get(name, [])
    }
    return {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "component": component,
        "inputs": values if component else _python_names(values),
        "outputs": resource.outputs if component else {},
        "parent": resource.state.get("parent"),
        "dependsOn": [urn for urn in resource.dependencies if urn not in implied],
        "deletedWith": resource.state.get("deletedWith"),
        "replaceWith": resource.state.get("replaceWith", []),
        "protect": resource.state.get("protect", False),
        "ignoreChanges": resource.state.get("ignoreChanges"),
        "replaceOnChanges": resource.state.get("replaceOnChanges"),
        "additionalSecretOutputs": resource.state.get("additionalSecretOutputs"),
        "errorHooks": resource.error_hooks,
    }


def _recorded_input(resource: Resource, name: str, by_urn: Mapping[str, Resource]) -> Any:
    value = resource.inputs[name]
    sources = [by_urn[urn] for urn in resource.property_dependencies.get(name, []) if urn in by_urn]
    traced = _traced(value, sources)
    if traced is value and name in resource.secret_inputs:
        return {"$secret": value}
    return traced


def _traced(value: Any, sources: list[Resource]) -> Any:
    """The value with references to the outputs that it was made of; the value itself when there is none."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return _reference(value, sources) or value
    for source in sources:
        for output, given in source.outputs.items():
            if value and given == value and isinstance(value, list):
                return _output(source, output)
    if isinstance(value, list):
        items = [_traced(item, sources) for item in value]
        return items if items != value else value
    return value


def _reference(value: str | int, sources: list[Resource]) -> Json | None:
    text = str(value)
    known = [
        (str(given), source, output)
        for source in sources
        for output, given in (("id", source.state.get("id")), *source.outputs.items())
        if isinstance(given, str) and len(given) >= _SHORTEST_PART and given in text
    ]
    if not known:
        return None
    given, source, output = max(known, key=lambda each: len(each[0]))
    before, after = text.split(given, 1)
    return _output(source, output, before=before, after=after, number=isinstance(value, int))


def _output(
    source: Resource, output: str, *, before: str = "", after: str = "", number: bool = False
) -> Json:
    name = _python_name(output)
    return {"$output": name, "of": source.urn, "before": before, "after": after, "number": number}


def _outputs_in(value: Any) -> bool:
    if isinstance(value, list):
        return any(_outputs_in(item) for item in value)
    return isinstance(value, dict) and "$output" in value


def _python_names(value: Any) -> Any:
    """Nested inputs by the names that the SDKs take; what is a map of labels has none that change."""
    if isinstance(value, list):
        return [_python_names(item) for item in value]
    if isinstance(value, dict) and "$output" not in value and "$secret" not in value:
        return {_python_name(name): _python_names(item) for name, item in value.items()}
    return value


def _python_name(name: str) -> str:
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def _is_secret(value: Any) -> bool:
    return isinstance(value, Mapping) and _SECRET_SIGNATURE in value


def _shown(value: Any) -> Any:
    """A value whose secrets, at any depth, are the plain values."""
    if _is_secret(value):
        return _shown(json.loads(value["plaintext"]))
    if isinstance(value, Mapping):
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return value


def _for_the_floor(value: Any) -> Any:
    return {"$secret": _shown(value)} if _is_secret(value) else value
