"""Reading from the clouds before anything is registered: a failure is a sentence, not the SDK's traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from raya.errors import RayaError


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
