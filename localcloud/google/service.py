"""Google's services: what they check before every request, and their tables of endpoints."""

from localcloud.cloud import Cloud
from localcloud.google import (
    account_keys,
    dns_changes,
    dns_zones,
    resource_manager,
    service_accounts,
    services,
)
from localcloud.google.refusals import refusal, render_error
from localcloud.routing import Admission, Call, Routes, Service


def admit(cloud: Cloud, call: Call) -> Admission:
    """Any OAuth token is good, none is not."""
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    if call.carries("access_token") or (scheme.lower() == "bearer" and token):
        return Admission(cloud)
    message = (
        "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie "
        "or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
    )
    raise refusal(401, "required", message, extra={"location": "Authorization", "locationType": "header"})


def _service(name: str, path: str, *tables: Routes) -> Service:
    return Service(
        name=f"Google {name}",
        prefix=f"/google/{path}",
        routes=tables,
        render_error=render_error,
        admit=admit,
        unavailable="backendUnavailable",
    )


CLOUD_DNS = _service("Cloud DNS", "dns/v1", dns_zones.routes, dns_changes.routes)
IAM = _service("IAM", "iam/v1", account_keys.routes, service_accounts.routes)
RESOURCE_MANAGER = _service("Resource Manager", "cloudresourcemanager/v1", resource_manager.routes)
SERVICE_USAGE = _service("Service Usage", "serviceusage/v1", services.routes)
