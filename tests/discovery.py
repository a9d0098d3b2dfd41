"""Google's own clients; every answer is held against Google's discovery documents."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import google_auth_httplib2
import httplib2
import jsonschema
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.discovery_cache import get_static_doc

APIS = {
    "dns": "",
    "iam": "/iam",
    "cloudresourcemanager": "/cloudresourcemanager",
    "serviceusage": "/serviceusage",
}


class Google:
    """The clients. `call(request)` sends a request and returns its validated answer."""

    def __init__(self, endpoint: str | None, token: str | None = "any") -> None:
        """`endpoint` is the local cloud's; None leaves the clients with Google's own addresses.

        Without a token the clients are nobody's.
        """
        # Google's client puts "dns/v1/" (for DNS) or "v1/" (for the others) behind the endpoint.
        self.dns, self.iam, self.resource_manager, self.service_usage = (
            _client(api, endpoint and endpoint + path, token) for api, path in APIS.items()
        )

    def __enter__(self) -> Google:
        return self

    def __exit__(self, *_: object) -> None:
        for client in (self.dns, self.iam, self.resource_manager, self.service_usage):
            client.close()

    def call(self, request: Any) -> Any:
        answer = request.execute()
        document = _document(request.methodId.split(".")[0])
        schema = _method(document, request.methodId).get("response")
        if schema is not None:
            jsonschema.validate(answer, {**schema, "schemas": document["schemas"]})
        return answer


class _Http(httplib2.Http):  # type: ignore[misc]  # ships no types
    """Keeps no connection: one that was idle for long may be gone, and httplib2 opens no other by itself."""

    def request(self, uri: str, method: str, body: Any = None, headers: Any = None, **more: Any) -> Any:
        return super().request(uri, method, body, {**(headers or {}), "connection": "close"}, **more)


def _client(api: str, endpoint: str | None, token: str | None) -> Any:
    http: Any = _Http(timeout=30)
    if token is not None:
        credentials = Credentials(token=token)  # type: ignore[no-untyped-call]  # google-auth has no types here
        http = google_auth_httplib2.AuthorizedHttp(credentials, http=http)
    options = {"api_endpoint": endpoint} if endpoint else {}
    return build(api, "v1", static_discovery=True, http=http, client_options=options)


@cache
def _document(api: str) -> dict[str, Any]:
    return dict(_strict(json.loads(get_static_doc(api, "v1"))))


def _strict(value: Any) -> Any:
    """Discovery's schemas as JSON schemas, in which a property that is not described is an error."""
    if isinstance(value, list):
        return [_strict(part) for part in value]
    if not isinstance(value, dict):
        return value
    strict = {key: _strict(part) for key, part in value.items() if key != "id" or not isinstance(part, str)}
    if isinstance(strict.get("$ref"), str):
        return {"$ref": f"#/schemas/{strict['$ref']}"}
    if strict.get("type") == "any":
        del strict["type"]
    if strict.get("type") == "object" and "properties" in strict:
        strict.setdefault("additionalProperties", False)
    return strict


def _method(document: dict[str, Any], method_id: str) -> dict[str, Any]:
    """The description of `dns.managedZones.list` is resources.managedZones.methods.list."""
    _, *resources, name = method_id.split(".")
    place: dict[str, Any] = document
    for resource in resources:
        place = place["resources"][resource]
    return dict(place["methods"][name])
