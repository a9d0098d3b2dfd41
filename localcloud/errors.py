"""What a handler raises to refuse a request. Each API renders it in its own form."""

from typing import Any


class ApiError(Exception):
    """A refusal: HTTP status, the API's own error code, a message, and what else the API's form carries."""

    def __init__(self, status: int, code: str, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details
