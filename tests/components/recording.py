"""The one mock of the engine: it records what is registered and refuses what it does not know."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi.runtime import rpc
from pulumi.runtime.mocks import MockMonitor, set_mocks

Properties = dict[str, Any]


@dataclass(frozen=True)
class Registered:
    """One resource as the program registered it: its inputs, and the options that decide about its life."""

    type: str
    name: str
    urn: str
    inputs: Properties
    protect: bool
    delete_before_replace: bool
    deleted_with: str
    dependencies: frozenset[str]
    secret_outputs: frozenset[str]
    secret_inputs: frozenset[str]


def _server(inputs: Properties) -> Properties:
    return {"ipv4Address": "203.0.113.7", "ipv6Address": "2001:db8::1", "status": "running", **inputs}


def _private_key(inputs: Properties) -> Properties:
    return {"privateKeyPem": f"key of {inputs['algorithm']}\n", **inputs}


def _certificate(inputs: Properties) -> Properties:
    subject = (inputs.get("subject") or {}).get("commonName", "signed")
    return {"certPem": f"certificate {subject}\n", "validityEndTime": "2027-01-01T00:00:00Z", **inputs}


# Outputs that a real provider computes, by type. A type that is not here is refused.
_COMPUTED: Mapping[str, Callable[[Properties], Properties]] = {
    "hcloud:index/network:Network": dict,
    "hcloud:index/networkSubnet:NetworkSubnet": dict,
    "hcloud:index/firewall:Firewall": dict,
    "hcloud:index/server:Server": _server,
    "hcloud:index/serverNetwork:ServerNetwork": dict,
    "hcloud:index/volume:Volume": dict,
    "hcloud:index/volumeAttachment:VolumeAttachment": dict,
    "gcp:dns/managedZone:ManagedZone": lambda inputs: {
        "nameServers": [f"ns-{n}.example.net." for n in range(1, 5)],
        **inputs,
    },
    "gcp:dns/recordSet:RecordSet": dict,
    "gcp:serviceaccount/account:Account": lambda inputs: {
        "email": f"{inputs['accountId']}@raya-local.iam.gserviceaccount.com",
        "name": f"projects/raya-local/serviceAccounts/{inputs['accountId']}",
        **inputs,
    },
    "gcp:serviceaccount/key:Key": lambda inputs: {"privateKey": "e30=", **inputs},
    "gcp:projects/iAMMember:IAMMember": dict,
    "random:index/randomPassword:RandomPassword": lambda inputs: {"result": "s3cret" * 8, **inputs},
    "random:index/randomId:RandomId": lambda inputs: {"hex": "0a1b2c", **inputs},
    "tls:index/privateKey:PrivateKey": _private_key,
    "tls:index/selfSignedCert:SelfSignedCert": _certificate,
    "tls:index/certRequest:CertRequest": lambda inputs: {"certRequestPem": "request\n", **inputs},
    "tls:index/locallySignedCert:LocallySignedCert": _certificate,
    "pulumi:index:Stash": lambda inputs: {"output": inputs["input"], **inputs},
}


@dataclass
class _Values(pulumi.runtime.Mocks):
    """``answers``: what an invoke returns, by its token; an invoke that is not there is refused."""

    answers: Mapping[str, Properties]
    made: int = 0

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, Properties]:
        if args.typ.startswith("raya:"):
            return "", args.inputs
        if args.typ not in _COMPUTED:
            raise AssertionError(f"the program registers a {args.typ}, which the mock does not know")
        self.made += 1
        return str(1000 + self.made), _COMPUTED[args.typ](args.inputs)

    def call(self, args: pulumi.runtime.MockCallArgs) -> Properties:
        if args.token not in self.answers:
            raise AssertionError(f"the program calls {args.token}, which the mock does not answer")
        return self.answers[args.token]


class RecordingMonitor(MockMonitor):
    """The engine's side of a test: answers registrations and keeps what was asked of it."""

    def __init__(self, answers: Mapping[str, Properties]) -> None:
        super().__init__(_Values(answers))
        self.registered: list[Registered] = []

    def RegisterResource(self, request: Any) -> Any:
        answer = super().RegisterResource(request)
        if request.type != "pulumi:pulumi:Stack":
            self.registered.append(
                Registered(
                    type=request.type,
                    name=request.name,
                    urn=answer.urn,
                    inputs=_plain(rpc.deserialize_properties(request.object)),
                    protect=request.protect,
                    delete_before_replace=request.deleteBeforeReplace,
                    deleted_with=request.deletedWith,
                    dependencies=frozenset(request.dependencies),
                    secret_outputs=frozenset(request.additionalSecretOutputs),
                    secret_inputs=frozenset(_secret_inputs(request.object)),
                )
            )
        return answer

    def of(self, kind: str) -> list[Registered]:
        """The registered resources whose type ends with ``:<kind>``."""
        return [each for each in self.registered if each.type.endswith(f":{kind}")]

    def one(self, kind: str, name: str) -> Registered:
        (found,) = [each for each in self.of(kind) if each.name == name]
        return found


def _secret_inputs(properties: Any) -> Iterator[str]:
    for name, value in properties.fields.items():
        if rpc._special_sig_key in value.struct_value.fields:
            yield name


def _plain(properties: Properties) -> Properties:
    """Without the wrapping of secrets."""
    return {name: rpc.unwrap_rpc_secret(value) for name, value in properties.items()}


def _have_an_event_loop() -> None:
    """Pulumi takes the thread's; whoever ran something by `asyncio.run` before left none."""
    try:
        asyncio.get_event_loop_policy().get_event_loop()
    except RuntimeError:
        asyncio.set_event_loop(asyncio.new_event_loop())


def declare(
    program: Callable[[], object],
    *,
    answers: Mapping[str, Properties] | None = None,
    logger: logging.Logger | None = None,
    preview: bool = False,
) -> RecordingMonitor:
    """Runs ``program`` against a recording monitor until everything it registered is settled."""
    monitor = RecordingMonitor(answers or {})
    _have_an_event_loop()
    set_mocks(monitor.mocks, project="raya", stack="test", preview=preview, monitor=monitor, logger=logger)
    pulumi.runtime.test(program)()
    return monitor
