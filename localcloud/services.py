"""The APIs that the local cloud speaks, longest prefix first."""

from localcloud.control import CONTROL
from localcloud.github import GITHUB
from localcloud.google.service import CLOUD_DNS, IAM, RESOURCE_MANAGER, SERVICE_USAGE
from localcloud.hetzner.service import HETZNER
from localcloud.page.service import PAGE
from localcloud.routing import Service

SERVICES: tuple[Service, ...] = (
    HETZNER,
    CLOUD_DNS,
    IAM,
    RESOURCE_MANAGER,
    SERVICE_USAGE,
    GITHUB,
    CONTROL,
    PAGE,
)
