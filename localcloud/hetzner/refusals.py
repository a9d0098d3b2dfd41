"""The API's error codes, each with its HTTP status."""

from localcloud.errors import ApiError

STATUS = {
    "unauthorized": 401,
    "token_readonly": 401,
    "forbidden": 403,
    "maintenance": 403,
    "resource_limit_exceeded": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "uniqueness_error": 409,
    "deprecated_api_endpoint": 410,
    "resource_unavailable": 412,
    "locked": 423,
    "protected": 423,
    "rate_limit_exceeded": 429,
    "server_error": 500,
    "bad_gateway": 502,
    "unavailable": 503,
    "timeout": 504,
}


def refusal(code: str, message: str) -> ApiError:
    """An error of this code; codes that are not in STATUS are answered with 422."""
    return ApiError(STATUS.get(code, 422), code, message)


def invalid(field: str, message: str) -> ApiError:
    """`invalid_input` that names the field."""
    details = {"fields": [{"name": field, "messages": [message]}]}
    return ApiError(422, "invalid_input", f"invalid input in field '{field}': {message}", details)


def limit_exceeded(what: str, message: str | None = None) -> ApiError:
    """An account or a thing holds as many of something as it may ("server" -> `server_limit`)."""
    details = {"limits": [{"name": f"{what.lower().replace(' ', '_')}_limit"}]}
    return ApiError(403, "resource_limit_exceeded", message or f"{what} limit exceeded", details)


def not_unique(message: str, field: str = "name") -> ApiError:
    """Another thing has this value, and two must not."""
    return ApiError(409, "uniqueness_error", message, {"fields": [{"name": field}]})


def not_found(kind: str, key: object) -> ApiError:
    """The thing does not exist (any more)."""
    return ApiError(404, "not_found", f"{kind} with ID '{key}' not found")
