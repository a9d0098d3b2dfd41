"""The API's error codes, each with its HTTP status."""

from localcloud.errors import ApiError

STATUS = {
    "unauthorized": 401,
    "forbidden": 403,
    "resource_limit_exceeded": 403,
    "not_found": 404,
    "conflict": 409,
    "uniqueness_error": 409,
    "resource_unavailable": 412,
    "locked": 423,
    "rate_limit_exceeded": 429,
    "service_error": 503,
}


def refusal(code: str, message: str) -> ApiError:
    """An error of this code; codes that are not in STATUS are answered with 422."""
    return ApiError(STATUS.get(code, 422), code, message)


def invalid(field: str, message: str) -> ApiError:
    """`invalid_input` that names the field."""
    details = {"fields": [{"name": field, "messages": [message]}]}
    return ApiError(422, "invalid_input", f"invalid input in field '{field}': {message}", details)


def not_found(kind: str, key: object) -> ApiError:
    """The thing does not exist (any more)."""
    return ApiError(404, "not_found", f"{kind} with ID '{key}' not found")
