"""random: lengths, classes and minimums of real values."""

from __future__ import annotations

import base64

import pytest

from localcloud.plugins.errors import InvalidInput, StandInError
from localcloud.plugins.random import RandomBytes, RandomId, RandomPassword, RandomString


def test_password_and_its_hash() -> None:
    made = RandomPassword().create({"length": 40, "minUpper": 5, "minSpecial": 5, "overrideSpecial": "_"})
    result = made.outputs["result"]
    assert len(result) == 40
    assert sum(char.isupper() for char in result) >= 5
    assert result.count("_") >= 5
    assert set(result) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
    assert made.outputs["bcryptHash"].startswith("$2a$10$")
    # An id is never secret in the state.
    assert made.resource_id == "none"


def test_classes_can_be_left_out() -> None:
    made = RandomString().create({"length": 200, "upper": False, "special": False, "number": False})
    assert made.outputs["result"].isalpha()
    assert made.outputs["result"].islower()
    assert made.outputs["numeric"] is False
    with pytest.raises(StandInError, match="no character class"):
        RandomString().create(
            {"length": 2, "upper": False, "lower": False, "special": False, "numeric": False}
        )


def test_two_are_never_the_same() -> None:
    results = {RandomString().create({"length": 16}).outputs["result"] for _ in range(50)}
    assert len(results) == 50


def test_impossible_lengths_are_refused() -> None:
    with pytest.raises(InvalidInput):
        RandomString().prepare({"length": 3, "minUpper": 4})
    with pytest.raises(InvalidInput):
        RandomBytes().prepare({"length": 0})


def test_bytes_and_id_agree_with_themselves() -> None:
    made = RandomBytes().create({"length": 32})
    assert base64.b64decode(made.outputs["base64"]).hex() == made.outputs["hex"]
    assert len(made.outputs["hex"]) == 64
    made = RandomId().create({"byteLength": 5, "prefix": "p-"})
    value = bytes.fromhex(made.outputs["hex"].removeprefix("p-"))
    assert len(value) == 5
    assert made.outputs["dec"] == f"p-{int.from_bytes(value, 'big')}"
    assert base64.urlsafe_b64decode(made.resource_id + "===") == value
