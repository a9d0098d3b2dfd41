"""The base of all stand-ins: finds the resource by its type, checks, compares, and calls it on a thread."""

from __future__ import annotations

import asyncio
import json
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pulumi.provider.experimental import provider as rpc_types
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.provider import (
    CheckFailure,
    CheckRequest,
    CheckResponse,
    ConfigureRequest,
    ConfigureResponse,
    CreateRequest,
    CreateResponse,
    DeleteRequest,
    DiffRequest,
    DiffResponse,
    InvokeRequest,
    InvokeResponse,
    PropertyDiffKind,
    ReadRequest,
    ReadResponse,
    UpdateRequest,
    UpdateResponse,
)

from .changes import changed_fields, detailed, replacing
from .checks import autoname, checked
from .errors import InvalidInput, PartlyCreated, StandInError
from .fields import Fields, Scalar, fields
from .resource import Function, Properties, Resource
from .values import DEFAULTS_KEY, UNKNOWN, plain, plain_map, secret_names, wrapped_map

Result = TypeVar("Result")


class StandIn(rpc_types.Provider):
    """A provider made of declared resources and functions. Subclasses name them and open the connection."""

    name: str
    config_fields: Fields = fields()

    def __init__(self) -> None:
        self._resources: dict[str, Resource] = {}
        self._functions: dict[str, Function] = {}

    # -- for subclasses ---------------------------------------------------------------------------------

    @abstractmethod
    def open(self, config: Properties) -> tuple[Iterable[Resource], Iterable[Function]]:
        """Take the checked configuration and return what this provider serves."""

    def config_fields_for(self, config: Properties) -> Fields:
        """The configuration keys there are; one whose keys follow a pattern may look at the given ones."""
        return self.config_fields

    def check_settings(self, config: Properties) -> None:
        """Refuse a configuration that must not be used: raise InvalidInput. Values may be UNKNOWN."""

    def sentence(self, error: Exception) -> str | None:
        """The text for an error of the vendor's client, or None when this is not one."""
        return None

    # -- configuration ----------------------------------------------------------------------------------

    async def check_config(self, request: CheckRequest) -> CheckResponse:
        _, problems = self._settings(plain_map(request.new_inputs))
        if problems:
            return CheckResponse(inputs=None, failures=_failures(problems))
        return CheckResponse(inputs=request.new_inputs)

    async def configure(self, request: ConfigureRequest) -> ConfigureResponse:
        config, problems = self._settings(plain_map(request.args))
        if problems:
            raise StandInError(f"provider {self.name}: " + "; ".join(str(problem) for problem in problems))
        resources, functions = self.open(config)
        self._resources = {resource.token: resource for resource in resources}
        self._functions = {function.token: function for function in functions}
        return ConfigureResponse(
            accept_secrets=True, supports_preview=True, accept_resources=False, accept_outputs=False
        )

    def _settings(self, given: Properties) -> tuple[Properties, list[InvalidInput]]:
        """The configuration in its types, and what is wrong with it. Lists and objects come as JSON text."""
        known = self.config_fields_for(given)
        decoded = {
            key: _from_json(value) if key in known and not isinstance(known[key].type, Scalar) else value
            for key, value in given.items()
            if key != "version"
        }
        values, problems = checked(decoded, known)
        try:
            self.check_settings(values)
        except InvalidInput as problem:
            problems.append(problem)
        return values, problems

    async def get_schema(self, request: rpc_types.GetSchemaRequest) -> rpc_types.GetSchemaResponse:
        return rpc_types.GetSchemaResponse(schema=f'{{"name": "{self.name}"}}')

    # -- resources --------------------------------------------------------------------------------------

    async def check(self, request: CheckRequest) -> CheckResponse:
        try:
            resource = self._resource(request.type)
        except StandInError as unknown_type:
            return CheckResponse(inputs=None, failures=[CheckFailure("", str(unknown_type))])
        values, problems = checked(plain_map(request.new_inputs), resource.inputs)
        defaulted = _autonamed(resource, request, values)
        try:
            if not problems:
                resource.prepare(values)
        except InvalidInput as problem:
            problems.append(problem)
        if problems:
            return CheckResponse(inputs=None, failures=_failures(problems))
        inputs = wrapped_map(values, secret_names(request.new_inputs) | _declared_secrets(resource))
        if defaulted:
            inputs[DEFAULTS_KEY] = PropertyValue([PropertyValue(name) for name in defaulted])
        return CheckResponse(inputs=inputs)

    async def diff(self, request: DiffRequest) -> DiffResponse:
        resource = self._resource(request.type)
        state, inputs = plain_map(request.old_state), plain_map(request.new_inputs)
        kinds = changed_fields(resource.inputs, state, inputs)
        replaces = [name for name in kinds if resource.inputs[name].replaces]
        demanded = resource.replaced_by_itself(state, inputs)
        if demanded is not None:
            kinds.setdefault(demanded, PropertyDiffKind.UPDATE)
            replaces.append(demanded)
        kinds = {name: replacing(kind) if name in replaces else kind for name, kind in kinds.items()}
        return DiffResponse(
            changes=bool(kinds), replaces=replaces, diffs=list(kinds), detailed_diff=detailed(kinds)
        )

    async def create(self, request: CreateRequest) -> CreateResponse:
        resource = self._resource(request.type)
        inputs = plain_map(request.properties)
        secrets = secret_names(request.properties) | _declared_secrets(resource)
        if request.preview:
            return CreateResponse(None, wrapped_map(_kept(resource, _foreseen(resource, inputs)), secrets))
        try:
            made = await self._run(resource, request.name, "could not be created", resource.create, inputs)
        except PartlyCreated as half:
            outputs = _kept(resource, half.outputs)
            raise PartlyCreated(half.reason, half.resource_id, outputs, secrets) from half
        return CreateResponse(made.resource_id, wrapped_map(_kept(resource, made.outputs), secrets))

    async def read(self, request: ReadRequest) -> ReadResponse:
        resource = self._resource(request.type)
        state, inputs = plain_map(request.properties), plain_map(request.inputs)
        made = await self._run(
            resource, request.name, "could not be read", resource.read, request.resource_id, state
        )
        if made is None:
            return ReadResponse(None, {}, {})
        secrets = secret_names(request.properties) | secret_names(request.inputs)
        secrets |= _declared_secrets(resource)
        inputs = _inputs_from(resource, made.outputs, inputs)
        read_inputs = wrapped_map(inputs, secrets)
        if DEFAULTS_KEY in request.inputs:
            read_inputs[DEFAULTS_KEY] = request.inputs[DEFAULTS_KEY]
        return ReadResponse(made.resource_id, wrapped_map(made.outputs, secrets), read_inputs)

    async def update(self, request: UpdateRequest) -> UpdateResponse:
        resource = self._resource(request.type)
        state, inputs = plain_map(request.olds), plain_map(request.news)
        secrets = secret_names(request.olds) | secret_names(request.news) | _declared_secrets(resource)
        if request.preview:
            foreseen = {**state, **resource.defaults(), **inputs}
            return UpdateResponse(wrapped_map(_kept(resource, foreseen), secrets))
        outputs = await self._run(
            resource,
            request.name,
            "could not be changed",
            resource.update,
            request.resource_id,
            state,
            inputs,
        )
        return UpdateResponse(wrapped_map(_kept(resource, outputs), secrets))

    async def delete(self, request: DeleteRequest) -> None:
        resource = self._resource(request.type)
        state = plain_map(request.properties)
        await self._run(
            resource, request.name, "could not be deleted", resource.delete, request.resource_id, state
        )

    # -- functions --------------------------------------------------------------------------------------

    async def invoke(self, request: InvokeRequest) -> InvokeResponse:
        function = self._functions.get(request.tok)
        if function is None:
            known = ", ".join(sorted(self._functions)) or "none"
            reason = f"the stand-in for {self.name} has no function {request.tok!r}; known: {known}"
            return InvokeResponse(failures=[CheckFailure("", reason)])
        arguments, problems = checked(plain_map(request.args), function.inputs)
        if problems:
            return InvokeResponse(failures=_failures(problems))
        try:
            results = await asyncio.to_thread(function.call, arguments)
        except InvalidInput as problem:
            return InvokeResponse(failures=_failures([problem]))
        except Exception as error:
            return InvokeResponse(failures=[CheckFailure("", self._text(error))])
        declared = {name for name, field in function.outputs.items() if field.secret}
        return InvokeResponse(wrapped_map(results, declared | secret_names(request.args)))

    # -- inside -----------------------------------------------------------------------------------------

    def _resource(self, type_token: str) -> Resource:
        token = type_token.rpartition("$")[2]
        found = self._resources.get(token)
        if found is None:
            known = ", ".join(sorted(self._resources)) or "none"
            raise StandInError(f"the stand-in for {self.name} has no resource type {token!r}; known: {known}")
        return found

    async def _run(
        self, resource: Resource, name: str, failed: str, step: Callable[..., Result], *arguments: Any
    ) -> Result:
        prefix = f"{self.name} {resource.kind()} {name!r} {failed}"
        try:
            return await asyncio.to_thread(step, *arguments)
        except PartlyCreated as half:
            raise PartlyCreated(f"{prefix}: {half}", half.resource_id, half.outputs) from half
        except Exception as error:
            raise StandInError(f"{prefix}: {self._text(error)}") from error

    def _text(self, error: Exception) -> str:
        if isinstance(error, StandInError):
            return str(error)
        return self.sentence(error) or f"{type(error).__name__}: {error}"


def _failures(problems: Iterable[InvalidInput]) -> list[CheckFailure]:
    return [CheckFailure(problem.property_path, problem.reason) for problem in problems]


def _from_json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _declared_secrets(resource: Resource) -> set[str]:
    declared = {**resource.outputs, **resource.inputs}
    return {name for name, field in declared.items() if field.secret}


def _autonamed(resource: Resource, request: CheckRequest, values: Properties) -> list[str]:
    """Fill in the name when it was not given; keep the one an earlier run filled in."""
    field = resource.autonamed
    if field is None or field in values:
        return []
    old = request.old_inputs
    kept = plain(old[DEFAULTS_KEY]) if DEFAULTS_KEY in old else []
    if field in old and field in kept:
        values[field] = plain(old[field])
    else:
        values[field] = autoname(request.name, request.random_seed)
    return [field]


def _foreseen(resource: Resource, inputs: Properties) -> Properties:
    """What a preview can say of a resource that does not exist yet."""
    unknown = dict.fromkeys(resource.outputs, UNKNOWN)
    unknown |= {name: UNKNOWN for name, field in resource.inputs.items() if field.computed}
    return {**unknown, **resource.defaults(), **inputs}


def _kept(resource: Resource, outputs: Properties) -> Properties:
    """What the state keeps of the outputs, which have every input as it was given."""
    kept = {
        name: field.kept_as(outputs[name])
        for name, field in resource.inputs.items()
        if field.kept_as is not None and isinstance(outputs.get(name), str)
    }
    return {**outputs, **kept}


def _inputs_from(resource: Resource, outputs: Properties, inputs: Properties) -> Properties:
    """The inputs that describe what was read: the ones there were, or what an import can tell."""
    if not inputs:
        return resource.inputs_of_import(outputs)
    # What the outputs stand for cannot be told from them, so such an input is the one that it was.
    return {
        name: inputs[name] if resource.inputs[name].kept_as else outputs.get(name)
        for name in inputs
        if name in resource.inputs
    }
