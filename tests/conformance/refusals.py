"""What the clouds refuse, by the codes that their clients see."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from googleapiclient.errors import HttpError
from hcloud import APIException


@contextlib.contextmanager
def refused(code: str, field: str | None = None, saying: str = "") -> Iterator[None]:
    """Hetzner must refuse what is done inside: with this code, for this field, in these words."""
    with pytest.raises(APIException) as refusal:
        yield
    assert refusal.value.code == code, refusal.value.message
    assert saying in refusal.value.message
    if field is not None:
        assert [entry["name"] for entry in refusal.value.details["fields"]] == [field]


@contextlib.contextmanager
def google_refused(status: int, reason: str | None = None, saying: str = "") -> Iterator[None]:
    """Google must refuse what is done inside: with this status, for this reason, in these words."""
    with pytest.raises(HttpError) as refusal:
        yield
    assert refusal.value.status_code == status, refusal.value.reason
    assert saying in refusal.value.reason
    if reason is not None:
        assert refusal.value.error_details[0]["reason"] == reason
