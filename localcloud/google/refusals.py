"""Google's error form."""

from typing import Any

from localcloud.errors import ApiError
from localcloud.routing import Reply
from localcloud.store import Json

_RPC_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
}


# The reasons a fault may name without a status.
STATUS_OF_REASON = {
    "invalid": 400,
    "required": 400,
    "badRequest": 400,
    "failedPrecondition": 400,
    "authError": 401,
    "accessNotConfigured": 403,
    "quotaExceeded": 403,
    "notFound": 404,
    "aborted": 409,
    "alreadyExists": 409,
    "conditionNotMet": 412,
    "rateLimitExceeded": 429,
    "backendError": 500,
    "internalError": 500,
    "backendUnavailable": 503,
}


def refusal(
    status: int,
    reason: str,
    message: str,
    *,
    rpc_status: str | None = None,
    domain: str = "global",
    extra: Json | None = None,
    details: list[Any] | None = None,
) -> ApiError:
    """An error with its reason ("notFound"); `extra` goes into the entry of `errors`."""
    form = {"status": rpc_status, "domain": domain, "extra": extra or {}, "details": details}
    return ApiError(status, reason, message, form)


def invalid(field: str, value: object) -> ApiError:
    """A value that breaks the field's grammar."""
    return refusal(400, "invalid", f"Invalid value for '{field}': '{value}'")


def render_error(error: ApiError) -> Reply:
    """`{"error": {"code", "message", "errors": [...], "status", "details"?}}`."""
    form = error.details if isinstance(error.details, dict) else {}
    entry = {"message": error.message, "domain": form.get("domain", "global"), "reason": error.code}
    body: Json = {
        "code": error.status,
        "message": error.message,
        "errors": [entry | form.get("extra", {})],
        "status": form.get("status") or _RPC_STATUS.get(error.status, "UNKNOWN"),
    }
    if form.get("details"):
        body["details"] = form["details"]
    return Reply(error.status, {"error": body})
