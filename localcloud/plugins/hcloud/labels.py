"""Labels as the API takes them; the provider refuses bad ones before it calls."""

from __future__ import annotations

import re

from ..errors import InvalidInput
from ..fields import STRING_MAP, may
from ..resource import Properties
from ..values import UNKNOWN

LABELS = may(STRING_MAP)

_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
_PREFIX = r"([A-Za-z0-9]([A-Za-z0-9._-]{0,253}[A-Za-z0-9])?/)?"
_KEY = re.compile(_PREFIX + r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


def check_labels(inputs: Properties) -> None:
    """Raise InvalidInput for a label key or value the API would refuse."""
    labels = inputs.get("labels")
    for key, value in labels.items() if isinstance(labels, dict) else ():
        if _KEY.fullmatch(key) is None:
            raise InvalidInput(f"labels.{key}", "is no label key: letters, digits, '-', '_', '.', at most 63")
        if value is not UNKNOWN and _VALUE.fullmatch(value) is None:
            raise InvalidInput(
                f"labels.{key}",
                f"is {value!r}: a label value is empty or has at most 63 letters, digits, '-', '_', '.', "
                f"and begins and ends with a letter or digit",
            )
