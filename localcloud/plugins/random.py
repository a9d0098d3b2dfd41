"""`random`: values from the operating system's generator. All inputs replace (upstream: RequiresReplace).

Run by the engine as `python -m localcloud.plugins.random <engine address>`.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterable
from typing import Any

from .errors import InvalidInput, StandInError
from .fields import BOOLEAN, INTEGER, STRING, STRING_MAP, fields, may, need, out
from .provider import StandIn
from .resource import Function, Made, Properties, Resource
from .servicer import main
from .values import UNKNOWN
from .versions import sdk_version

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
SPECIAL = "!@#$%&*()-_=+[]{}<>:?"
BCRYPT_LIMIT_BYTES = 72
BCRYPT_COST = 10

_KEEPERS = may(STRING_MAP, replaces=True)
_ALLOWED = may(BOOLEAN, replaces=True, default=True)
_MINIMUM = may(INTEGER, replaces=True, default=0)
# `number` is the deprecated name of `numeric`; whichever is given decides both.
_NUMERIC = may(BOOLEAN, replaces=True, computed=True)


class _Kept(Resource):
    """A value that lives in the stack's state and nowhere else."""

    def read(self, resource_id: str, state: Properties) -> Made | None:
        if not state:
            raise StandInError("importing is not something the local cloud's stand-in does")
        return Made(resource_id, state)

    def delete(self, resource_id: str, state: Properties) -> None:
        return None


class _Text(_Kept):
    inputs = fields(
        keepers=_KEEPERS,
        length=need(INTEGER, replaces=True),
        lower=_ALLOWED,
        upper=_ALLOWED,
        special=_ALLOWED,
        number=_NUMERIC,
        numeric=_NUMERIC,
        minLower=_MINIMUM,
        minUpper=_MINIMUM,
        minNumeric=_MINIMUM,
        minSpecial=_MINIMUM,
        overrideSpecial=may(STRING, replaces=True),
    )
    outputs = fields(result=out(STRING))

    def prepare(self, inputs: Properties) -> None:
        needed = 0
        for name in ("minLower", "minUpper", "minNumeric", "minSpecial"):
            needed += inputs.get(name, 0) if inputs.get(name, 0) is not UNKNOWN else 0
        length = inputs["length"]
        if length is not UNKNOWN and (length < 1 or length < needed):
            raise InvalidInput(
                "length", f"is {length}: must be at least 1 and at least the sum of the minimums ({needed})"
            )

    def create(self, inputs: Properties) -> Made:
        numeric = inputs.get("numeric", inputs.get("number", True))
        outputs = {**self.defaults(), **inputs, "numeric": numeric, "number": numeric}
        outputs["result"] = random_text(outputs)
        return Made(self.identify(outputs), self.finish(outputs))

    def identify(self, outputs: Properties) -> str:
        """The resource's id."""
        return str(outputs["result"])

    def finish(self, outputs: Properties) -> Properties:
        """Add what else follows from the result."""
        return outputs


class RandomString(_Text):
    token = "random:index/randomString:RandomString"


class RandomPassword(_Text):
    token = "random:index/randomPassword:RandomPassword"
    outputs = fields(result=out(STRING, secret=True), bcryptHash=out(STRING, secret=True))

    def identify(self, outputs: Properties) -> str:
        return "none"

    def finish(self, outputs: Properties) -> Properties:
        import bcrypt  # here: only this resource needs it, and a plugin must start fast

        password = str(outputs["result"]).encode()[:BCRYPT_LIMIT_BYTES]
        hashed = bcrypt.hashpw(password, bcrypt.gensalt(BCRYPT_COST, prefix=b"2a"))
        return {**outputs, "bcryptHash": hashed.decode()}


class RandomBytes(_Kept):
    token = "random:index/randomBytes:RandomBytes"
    inputs = fields(keepers=_KEEPERS, length=need(INTEGER, replaces=True))
    outputs = fields(base64=out(STRING, secret=True), hex=out(STRING, secret=True))

    def prepare(self, inputs: Properties) -> None:
        if inputs["length"] is not UNKNOWN and inputs["length"] < 1:
            raise InvalidInput("length", f"is {inputs['length']}: must be at least 1")

    def create(self, inputs: Properties) -> Made:
        value = secrets.token_bytes(inputs["length"])
        encoded = base64.b64encode(value).decode()
        # The real provider uses the value itself as id, and an id cannot be secret. Not copied: nothing
        # may rely on it, and the stack's state would hold the secret in clear.
        return Made("none", {**inputs, "base64": encoded, "hex": value.hex()})


class RandomId(_Kept):
    token = "random:index/randomId:RandomId"
    inputs = fields(
        byteLength=need(INTEGER, replaces=True), keepers=_KEEPERS, prefix=may(STRING, replaces=True)
    )
    outputs = fields(b64Std=out(STRING), b64Url=out(STRING), dec=out(STRING), hex=out(STRING))

    def create(self, inputs: Properties) -> Made:
        value = secrets.token_bytes(inputs["byteLength"])
        prefix = inputs.get("prefix", "")
        url_form = base64.urlsafe_b64encode(value).decode().rstrip("=")
        outputs: dict[str, Any] = {
            **inputs,
            "b64Std": prefix + base64.b64encode(value).decode(),
            "b64Url": prefix + url_form,
            "dec": f"{prefix}{int.from_bytes(value, 'big')}",
            "hex": prefix + value.hex(),
        }
        return Made(url_form, outputs)


def random_text(wanted: Properties) -> str:
    """`length` characters: the minimum of each class, the rest from all allowed classes, in random order."""
    special = wanted.get("overrideSpecial") or SPECIAL
    classes = [
        (LOWER, wanted["lower"], wanted["minLower"]),
        (UPPER, wanted["upper"], wanted["minUpper"]),
        (DIGITS, wanted["numeric"], wanted["minNumeric"]),
        (special, wanted["special"], wanted["minSpecial"]),
    ]
    alphabet = "".join(letters for letters, allowed, _ in classes if allowed)
    if not alphabet:
        raise StandInError("no character class is allowed: set one of lower, upper, numeric, special")
    letters = [secrets.choice(chars) for chars, _, minimum in classes for _ in range(minimum)]
    letters += [secrets.choice(alphabet) for _ in range(wanted["length"] - len(letters))]
    secrets.SystemRandom().shuffle(letters)
    return "".join(letters)


class Random(StandIn):
    """The provider."""

    name = "random"

    def open(self, config: Properties) -> tuple[Iterable[Resource], Iterable[Function]]:
        return (RandomBytes(), RandomId(), RandomPassword(), RandomString()), ()


if __name__ == "__main__":
    main(Random, "random", sdk_version("random"))
