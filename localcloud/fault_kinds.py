"""The kinds of faults and their fields: what `POST /_control/faults` takes.

| kind | what it does | its own fields |
| --- | --- | --- |
| `status` | answers a matching request with an error | `status`, `code`, `message`, `carriedOut` |
| `hang` | keeps a matching request waiting | `delaySeconds`, `carriedOut` |
| `drop` | cuts the connection in the middle of a matching answer | `carriedOut` |
| `restart` | kills and restarts the server instead of a matching answer | `carriedOut` |
| `action` | an action of this command ends in error | `command`, `code`, `message` |
| `release` | a given-back `private_ip` or `volume` stays busy for a while | `what`, `delaySeconds` |
| `late_account` | a new service account is unknown to its first questions | `misses` |
"""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from localcloud.errors import ApiError
from localcloud.given import Count, Given, Seconds, checked
from localcloud.google.refusals import STATUS_OF_REASON
from localcloud.hetzner.refusals import STATUS as STATUS_OF_CODE
from localcloud.store import Json

# What can be created and deleted: by which path one is created, and by which one it is deleted.
_HETZNER = ("server", "network", "volume", "firewall", "primary_ip", "placement_group", "ssh_key")
CREATE = {kind: f"^/hcloud/v1/{kind}s$" for kind in _HETZNER} | {
    "subnet": "^/hcloud/v1/networks/[^/]+/actions/add_subnet$",
    "route": "^/hcloud/v1/networks/[^/]+/actions/add_route$",
    "network_attachment": "^/hcloud/v1/servers/[^/]+/actions/attach_to_network$",
    "volume_attachment": "^/hcloud/v1/volumes/[^/]+/actions/attach$",
    "zone": "^/google/dns/v1/projects/[^/]+/managedZones$",
    "record_change": "^/google/dns/v1/projects/[^/]+/managedZones/[^/]+/changes$",
    "account": "^/google/iam/v1/projects/[^/]+/serviceAccounts$",
    "account_key": "^/google/iam/v1/projects/[^/]+/serviceAccounts/[^/]+/keys$",
    "policy": "^/google/cloudresourcemanager/v1/projects/[^/]+:setIamPolicy$",
}
DELETE = {kind: f"^/hcloud/v1/{kind}s/[^/]+$" for kind in _HETZNER} | {
    "zone": "^/google/dns/v1/projects/[^/]+/managedZones/[^/]+$",
    "account": "^/google/iam/v1/projects/[^/]+/serviceAccounts/[^/]+$",
    "account_key": "^/google/iam/v1/projects/[^/]+/serviceAccounts/[^/]+/keys/[^/]+$",
}


def _expression(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError) as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return text


class Fault(Given):
    """What every fault has: which match strikes first, how often, and for how long it is in force."""

    kind: str
    name: str | None = None
    nth: Count = 1
    times: Count | None = 1
    seconds: Annotated[float, Field(gt=0, le=10**9, allow_inf_nan=False)] | None = None


class RequestFault(Fault):
    """Matches requests: by method and path, or by what they create or delete."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | None = None
    path: Annotated[str, Field(max_length=1000), AfterValidator(_expression)] = ""
    create: Literal[tuple(CREATE)] | None = None  # type: ignore[valid-type]  # the table is the list
    delete: Literal[tuple(DELETE)] | None = None  # type: ignore[valid-type]  # as above
    carried_out: bool = False

    @model_validator(mode="after")
    def _one_way_to_match(self) -> "RequestFault":
        ways = [self.create is not None, self.delete is not None, bool(self.method or self.path)]
        if sum(ways) > 1:
            raise ValueError("give create, or delete, or method and path: they say the same thing")
        return self


class StatusFault(RequestFault):
    """`status` follows from the code when it is not given."""

    status: Annotated[int, Field(ge=400, le=599)] | None = None
    code: Annotated[str, Field(min_length=1)] = "server_error"
    message: str = "fault on demand"


class HangFault(RequestFault):
    """Waits, then carries the request out and answers; with `carriedOut` it waits with the answer only."""

    delay_seconds: Seconds = 5.0


class LostAnswerFault(RequestFault):
    """The request is carried out, unless told otherwise; its answer is lost."""

    carried_out: bool = True


class ActionFault(Fault):
    """`name` is that of the server or volume."""

    command: Annotated[str, Field(min_length=1)]
    code: Annotated[str, Field(min_length=1)] = "action_failed"
    message: str = "fault on demand"


class ReleaseFault(Fault):
    """Strikes when an address or a volume is given back."""

    what: Literal["private_ip", "volume"]
    delay_seconds: Seconds = 3.0


class LateAccountFault(Fault):
    """Strikes when an account is created; `misses` questions are answered with 404."""

    misses: Count = 2


KINDS: dict[str, type[Fault]] = {
    "status": StatusFault,
    "hang": HangFault,
    "drop": LostAnswerFault,
    "restart": LostAnswerFault,
    "action": ActionFault,
    "release": ReleaseFault,
    "late_account": LateAccountFault,
}
REQUEST_KINDS = tuple(kind for kind, model in KINDS.items() if issubclass(model, RequestFault))


def checked_fault(spec: Json) -> Json:
    """A fault as the table keeps it, with its defaults; or the refusal.

    `create` and `delete` become a method and a path. Without `kind` they mean `status`.
    """
    if "create" in spec or "delete" in spec:
        spec = {"kind": "status"} | spec
    kind = spec.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ApiError(400, "invalid_input", f"a fault's kind is one of {', '.join(KINDS)}")
    fault: Json = checked(KINDS[kind], f"a fault of the kind {kind}", spec).model_dump(by_alias=True)
    if fault["seconds"] is not None and "times" not in spec:
        fault["times"] = None
    for verb, method, paths in (("create", "POST", CREATE), ("delete", "DELETE", DELETE)):
        if fault.get(verb) is not None:
            fault |= {"method": method, "path": paths[fault[verb]]}
    if kind == "status" and fault["status"] is None:
        fault["status"] = _status(fault["code"])
    return fault


def _status(code: str) -> int:
    known: dict[str, Any] = STATUS_OF_REASON | STATUS_OF_CODE
    return int(known.get(code, 422))
