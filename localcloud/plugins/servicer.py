"""The gRPC side: the SDK's servicer with errors as sentences, room for many calls, and an end of its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import grpc  # type: ignore[import-untyped]  # grpcio ships no types
import grpc.aio  # type: ignore[import-untyped]  # nor does this part of it
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.server import ProviderServicer
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from . import guard
from .errors import PartlyCreated, StandInError
from .provider import StandIn
from .values import wrapped_map

WORKERS = 64
"""Calls that may wait for the cloud at the same time; the engine's default parallelism is below it."""

PARENT_CHECK_S = 2.0


class Servicer(ProviderServicer):
    """Turns a StandInError into a plain gRPC status: the SDK would add the plugin's traceback to it."""

    async def Configure(self, request: Any, context: Any) -> Any:
        return await _spoken(super().Configure, request, context)

    async def Check(self, request: Any, context: Any) -> Any:
        return await _spoken(super().Check, request, context)

    async def Diff(self, request: Any, context: Any) -> Any:
        return await _spoken(super().Diff, request, context)

    async def Create(self, request: Any, context: Any) -> Any:
        return await _spoken(super().Create, request, context)

    async def Read(self, request: Any, context: Any) -> Any:
        return await _spoken(super().Read, request, context)

    async def Update(self, request: Any, context: Any) -> Any:
        return await _spoken(super().Update, request, context)

    async def Delete(self, request: Any, context: Any) -> Any:
        return await _spoken(super().Delete, request, context)

    async def Invoke(self, request: Any, context: Any) -> Any:
        return await _spoken(super().Invoke, request, context)


async def _spoken(call: Callable[[Any, Any], Awaitable[Any]], request: Any, context: Any) -> Any:
    try:
        return await call(request, context)
    except Exception as error:
        cause = error if isinstance(error, StandInError) else error.__context__
        if isinstance(cause, PartlyCreated):
            await _abort_partly(cause, request, context)
        if isinstance(cause, StandInError):
            await context.abort(grpc.StatusCode.UNKNOWN, str(cause))
        raise


async def _abort_partly(half: PartlyCreated, request: Any, context: Any) -> NoReturn:
    """Say that the resource exists but is not whole; the engine keeps it in the state (provider.proto)."""
    detail = provider_pb2.ErrorResourceInitFailed(
        id=half.resource_id,
        properties=PropertyValue.marshal_map(wrapped_map(half.outputs, half.secrets)),
        reasons=[half.reason],
        inputs=request.properties,
    )
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=half.reason)
    status.details.add().Pack(detail)
    await context.abort(
        grpc.StatusCode.UNKNOWN, half.reason, (("grpc-status-details-bin", status.SerializeToString()),)
    )
    raise AssertionError("abort returned")


def main(make_provider: Callable[[], StandIn], name: str, version: str) -> None:
    """Serve until the engine ends: prints the port, as the engine expects of a plugin."""
    engine_pid = os.getppid()  # first of all: the engine may be gone by the time the server runs
    guard.require_marker(name)
    arguments = argparse.ArgumentParser(prog=f"pulumi-resource-{name}")
    arguments.add_argument("engine", help="address of the Pulumi engine")
    engine = str(arguments.parse_known_args()[0].engine)
    asyncio.run(_serve(Servicer(sys.argv[1:], version, make_provider(), engine), engine_pid))


async def _serve(servicer: Servicer, engine_pid: int) -> None:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(max_workers=WORKERS, thread_name_prefix="call"))
    server = grpc.aio.server(options=_GRPC_CHANNEL_OPTIONS)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    ended = _ended_by_signal(loop)  # before the engine can know of us, and end us
    print(port, flush=True)
    await _dismissed(ended, engine_pid)
    await server.stop(grace=None)


def _ended_by_signal(loop: asyncio.AbstractEventLoop) -> asyncio.Event:
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    return ended


async def _dismissed(ended: asyncio.Event, engine_pid: int) -> None:
    """Return when the engine sends its plugins away, or is gone itself.

    The engine starts a plugin in a process group of its own and ends it with SIGINT, waiting seconds for one
    that does not go; a Ctrl-C at the terminal does not come here. A killed engine leaves no plugin behind.
    """
    while not ended.is_set() and os.getppid() == engine_pid:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), PARENT_CHECK_S)
