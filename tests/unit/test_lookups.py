"""A lookup that is done while another one waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from raya import lookups
from raya.lookups import LookupFailedError


class Lookup:
    """Counts how often it was done."""

    def __init__(self, error: Exception | None = None) -> None:
        self.done, self._error = 0, error

    def __call__(self) -> str:
        self.done += 1
        if self._error:
            raise self._error
        return "answer"


def _in_a_loop(look_up: Lookup, *, someone_waits: bool) -> Callable[[], str]:
    async def program() -> Callable[[], str]:
        result = lookups.meanwhile(look_up)
        assert look_up.done == 0
        if someone_waits:
            await asyncio.sleep(0)
            assert look_up.done == 1
        asked = result()
        return lambda: asked

    return asyncio.run(program())


@pytest.mark.parametrize("someone_waits", [True, False])
def test_a_lookup_is_done_once_however_long_somebody_waits(someone_waits: bool) -> None:
    look_up = Lookup()
    assert _in_a_loop(look_up, someone_waits=someone_waits)() == "answer"
    assert look_up.done == 1


def test_without_a_loop_it_is_done_when_it_is_asked_for() -> None:
    look_up = Lookup()
    result = lookups.meanwhile(look_up)
    assert look_up.done == 0
    assert result() == "answer"


@pytest.mark.parametrize("someone_waits", [True, False])
def test_a_failure_comes_when_the_result_is_asked_for(someone_waits: bool) -> None:
    with pytest.raises(LookupFailedError, match="no answer"):
        _in_a_loop(Lookup(LookupFailedError("no answer")), someone_waits=someone_waits)


def test_a_failure_that_nobody_asks_for_is_not_reported() -> None:
    reported: list[object] = []

    async def program() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
        lookups.meanwhile(Lookup(LookupFailedError("no answer")))
        await asyncio.sleep(0.01)

    asyncio.run(program())
    assert reported == []


def test_a_failed_lookup_in_hetzner_says_what_it_was_for_and_what_to_do() -> None:
    said = r"did not say which types there are: 401\. .*hcloud:token"
    with pytest.raises(LookupFailedError, match=said), lookups.hetzner("which types there are"):
        raise RuntimeError("401")
