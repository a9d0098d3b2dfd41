"""The root of raya's exceptions: each is a sentence for the operator."""

from __future__ import annotations

from rendering.errors import RenderingError


class RayaError(Exception):
    """Something the operator can put right; its text is shown without a traceback."""


# What a command of ours shows as a sentence. Anything else is a fault of the program and keeps its traceback.
SENTENCES = (RayaError, RenderingError)
