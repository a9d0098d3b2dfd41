"""Waits for what a deleted server held: Hetzner may give an address or a volume back some seconds later."""

from __future__ import annotations

import asyncio

import pulumi

_STILL_HELD = ("ip_not_available", "volume_already_attached")
_PAUSE_S = 3.0
_TRIES = 20


async def _wait(args: pulumi.ErrorHookArgs) -> bool:
    """Whether the engine should try again: only a creation, only for these codes, and a minute at most."""
    held = any(code in args.errors[0] for code in _STILL_HELD)
    if args.failed_operation != "create" or not held or len(args.errors) >= _TRIES:
        return False
    await asyncio.sleep(_PAUSE_S)
    return True


def when_released() -> pulumi.ResourceHookBinding:
    """For attachments, which are made right after the server that had the same ones is gone."""
    return pulumi.ResourceHookBinding(on_error=[pulumi.ErrorHook("wait-for-release", _wait)])
