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
from localcloud.routing import Admission, Call, Service


def admit(cloud: Cloud, call: Call) -> Admission:
    """Any OAuth token is good, none is not."""
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    if call.first("access_token") or (scheme.lower() == "bearer" and token):
        return Admission(cloud)
    message = (
        "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie "
        "or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
    )
    raise refusal(401, "required", message, extra={"location": "Authorization", "locationType": "header"})


CLOUD_DNS = Service(
    name="Google Cloud DNS",
    prefix="/google/dns/v1",
    routes=(dns_zones.routes, dns_changes.routes),
    render_error=render_error,
    admit=admit,
)
IAM = Service(
    name="Google IAM",
    prefix="/google/iam/v1",
    routes=(account_keys.routes, service_accounts.routes),
    render_error=render_error,
    admit=admit,
)
RESOURCE_MANAGER = Service(
    name="Google Resource Manager",
    prefix="/google/cloudresourcemanager/v1",
    routes=(resource_manager.routes,),
    render_error=render_error,
    admit=admit,
)
SERVICE_USAGE = Service(
    name="Google Service Usage",
    prefix="/google/serviceusage/v1",
    routes=(services.routes,),
    render_error=render_error,
    admit=admit,
)
