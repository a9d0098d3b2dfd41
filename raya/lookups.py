"""Reading from the clouds before anything is registered: a failure is a sentence, not the SDK's traceback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from raya.errors import RayaError

T = TypeVar("T")


class LookupFailedError(RayaError):
    """An API did not answer, or refused."""


@contextmanager
def hetzner(what: str) -> Iterator[None]:
    """Around a lookup in the Hetzner API; ``what`` is what it looks for."""
    try:
        yield
    except Exception as error:  # The SDK raises plain Exceptions with the provider's text.
        raise LookupFailedError(
            f"the Hetzner API did not say {what}: {error}. If it speaks of authorization, hcloud:token is "
            "wrong or was withdrawn: make a new one with read and write rights in the console and run "
            "`pulumi config set --secret hcloud:token`. Otherwise try again later."
        ) from error


def meanwhile(look_up: Callable[[], T]) -> Callable[[], T]:
    """Does a lookup while a later one waits for its answer; returns what gives its result, or raises.

    Whoever waits for an answer of the engine lets other tasks run, and this is one. So two plugins start at
    the same time instead of one after the other. Without an event loop, or when nobody has waited before the
    result is asked for, the lookup is done then.
    """

    async def run() -> T:
        return look_up()

    try:
        task = asyncio.get_running_loop().create_task(run())
    except RuntimeError:
        return look_up
    # A failure that nobody asks for, because another refusal came first, is no news.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())

    def result() -> T:
        if task.done():
            return task.result()
        task.cancel()
        return look_up()

    return result
