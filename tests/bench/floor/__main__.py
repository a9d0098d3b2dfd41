"""The floor: registers what recording.json lists, and does nothing else. A stand-in for the real program.

No settings, no lookups, no rendering: every input is a constant, but for ids and addresses that do not exist
before their resource does. What this costs is the least that a Pulumi program in Python with these resources
can cost.
"""

import importlib
import json
from pathlib import Path
from typing import Any

import pulumi

Entry = dict[str, Any]


class Floor:
    """Everything of a recording, registered in its order: what depends on something comes after it."""

    def __init__(self, recording: dict[str, Any]) -> None:
        self._made: dict[str, pulumi.Resource] = {}
        self._hooks = {name: pulumi.ErrorHook(name, _give_up) for name in recording["errorHooks"]}
        for entry in recording["resources"]:
            made = self._component(entry) if entry["component"] else self._resource(entry)
            self._made[entry["urn"]] = made
        for name, value in recording["outputs"].items():
            pulumi.export(name, self._value(value))

    def _component(self, entry: Entry) -> pulumi.Resource:
        inputs = self._values(entry["inputs"])
        component = pulumi.ComponentResource(entry["type"], entry["name"], inputs, self._options(entry))
        component.register_outputs(self._values(entry["outputs"]))
        return component

    def _resource(self, entry: Entry) -> pulumi.Resource:
        package, path, kind = entry["type"].split(":")
        module = importlib.import_module("pulumi" if package == "pulumi" else f"pulumi_{package}")
        if not path.startswith("index"):
            module = getattr(module, path.split("/")[0])
        opts, inputs = self._options(entry), self._values(entry["inputs"])
        resource: pulumi.Resource = getattr(module, kind)(entry["name"], **inputs, opts=opts)
        return resource

    def _options(self, entry: Entry) -> pulumi.ResourceOptions:
        hooks = [self._hooks[name] for name in entry["errorHooks"]]
        return pulumi.ResourceOptions(
            parent=self._made.get(entry["parent"]),
            depends_on=[self._made[urn] for urn in entry["dependsOn"]],
            deleted_with=self._made.get(entry["deletedWith"]),
            replace_with=[self._made[urn] for urn in entry["replaceWith"]],
            protect=entry["protect"],
            ignore_changes=entry["ignoreChanges"],
            replace_on_changes=entry["replaceOnChanges"],
            additional_secret_outputs=entry["additionalSecretOutputs"],
            hooks=pulumi.ResourceHookBinding(on_error=hooks) if hooks else None,
        )

    def _values(self, recorded: dict[str, Any]) -> dict[str, Any]:
        return {name: self._value(value) for name, value in recorded.items()}

    def _value(self, recorded: Any) -> Any:
        """A constant; or what stands for a secret, and for an output of another resource."""
        if isinstance(recorded, list):
            return [self._value(item) for item in recorded]
        if not isinstance(recorded, dict):
            return recorded
        if "$secret" in recorded:
            return pulumi.Output.secret(recorded["$secret"])
        if "$output" in recorded:
            return self._output(recorded)
        return self._values(recorded)

    def _output(self, recorded: dict[str, Any]) -> Any:
        output = getattr(self._made[recorded["of"]], recorded["$output"])
        if recorded["number"]:
            return output.apply(int)
        if recorded["before"] or recorded["after"]:
            return pulumi.Output.concat(recorded["before"], output, recorded["after"])
        return output


def _give_up(args: pulumi.ErrorHookArgs) -> bool:
    return False


Floor(json.loads((Path(__file__).parent / "recording.json").read_text()))
