"""Which APIs are enabled in a Google project, through Google's own client."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from googleapiclient.errors import HttpError

from tests.cloud import RunningCloud
from tests.discovery import Google

PARENT = "projects/raya-local"
DNS = "dns.googleapis.com"
FOREIGN = "compute.googleapis.com"


def _services(google: Google) -> Any:
    return google.service_usage.services()


def _enabled(google: Google) -> list[str]:
    listed = google.call(_services(google).list(parent=PARENT, filter="state:ENABLED", pageSize=200))
    return [one["config"]["name"] for one in listed.get("services", [])]


def test_a_project_begins_with_what_the_cloud_has(google: Google) -> None:
    assert _enabled(google) == [
        "cloudresourcemanager.googleapis.com",
        DNS,
        "iam.googleapis.com",
        "serviceusage.googleapis.com",
    ]
    shown = google.call(_services(google).get(name=f"{PARENT}/services/{FOREIGN}"))
    assert shown["state"] == "DISABLED"
    several = google.call(_services(google).batchGet(parent=PARENT, names=[f"{PARENT}/services/{DNS}"]))
    assert [one["state"] for one in several["services"]] == ["ENABLED"]


def test_an_operation_enables_an_api(cloud: RunningCloud, google: Google) -> None:
    cloud.seed({"projects": [{"id": "raya-local", "disabledApis": [DNS]}]})
    with pytest.raises(HttpError):
        google.call(google.dns.managedZones().list(project="raya-local"))
    cloud.settings(operationSeconds=60)
    operation = google.call(_services(google).enable(name=f"{PARENT}/services/{DNS}", body={}))
    assert operation["done"] is False
    assert DNS not in _enabled(google)
    cloud.advance(61)
    ended = google.call(google.service_usage.operations().get(name=operation["name"]))
    assert (ended["done"], ended["response"]["service"]["state"]) == (True, "ENABLED")
    google.call(google.dns.managedZones().list(project="raya-local"))


def test_an_api_is_disabled_and_several_are_enabled(cloud: RunningCloud, google: Google) -> None:
    google.call(_services(google).disable(name=f"{PARENT}/services/{DNS}", body={}))
    cloud.advance(1)
    with pytest.raises(HttpError) as refused:
        google.call(google.dns.managedZones().list(project="raya-local"))
    assert refused.value.status_code == 403
    listed = google.call(_services(google).list(parent=PARENT, filter="state:DISABLED"))
    assert [one["config"]["name"] for one in listed["services"]] == [DNS]
    body = {"serviceIds": [DNS, FOREIGN]}
    google.call(_services(google).batchEnable(parent=PARENT, body=body))
    cloud.advance(1)
    assert {DNS, FOREIGN} <= set(_enabled(google))


def test_an_operation_survives_a_restart(cloud: RunningCloud, google: Google) -> None:
    cloud.settings(operationSeconds=60)
    google.call(_services(google).enable(name=f"{PARENT}/services/{FOREIGN}", body={}))
    cloud.restart(kill=True)
    cloud.advance(61)
    names = [event["subject"] for event in cloud.events() if event["event"] == "api.enable"]
    assert names == [FOREIGN]


@pytest.mark.parametrize(
    ("method", "path", "body", "reason"),
    [
        ("GET", "projects/raya-local/services/none", None, (404, "notFound")),
        ("GET", "projects/raya-local/services?filter=state:SOMETIMES", None, (400, "invalid")),
        ("GET", "projects/raya-local/services:batchGet", None, (400, "badRequest")),
        ("GET", "projects/nobodys/services", None, (403, "forbidden")),
        ("GET", "operations/none", None, (404, "notFound")),
        ("POST", "projects/raya-local/services:batchEnable", {"serviceIds": []}, (400, "badRequest")),
        ("POST", "projects/raya-local/services:batchEnable", {"serviceIds": [DNS] * 21}, (400, "badRequest")),
        ("POST", "projects/raya-local/services:batchEnable", {"serviceIds": "x"}, (400, "invalid")),
        ("POST", "projects/raya-local/services/x.example.org:enable", {}, (404, "notFound")),
    ],
)
def test_refusals(
    http: httpx.Client, method: str, path: str, body: dict[str, Any] | None, reason: tuple[int, str]
) -> None:
    answer = http.request(method, f"/google/serviceusage/v1/{path}", json=body)
    assert (answer.status_code, answer.json()["error"]["errors"][0]["reason"]) == reason
