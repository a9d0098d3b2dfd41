"""The credentials that Google's provider would take, calls with them, and what a refusal means."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import google.auth
import requests
from google.auth import identity_pool
from google.auth.exceptions import GoogleAuthError, RefreshError
from google.auth.transport.requests import AuthorizedSession
from google.oauth2 import service_account
from google.oauth2.credentials import Credentials

from raya.errors import RayaError

_SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
_TIMEOUT_S = 60.0
_UNKNOWN, _FORBIDDEN, _GONE = 401, 403, 404
_NEW_TOKEN = '"$(gcloud auth print-access-token)"'
_LOG_IN = "gcloud auth application-default login"
# Whose API a path is, and what the credentials need there; the README says why.
_SERVICES = {
    "managedZones": ("dns.googleapis.com", "roles/dns.admin"),
    "serviceAccounts": (
        "iam.googleapis.com",
        "roles/iam.serviceAccountAdmin and roles/iam.serviceAccountKeyAdmin",
    ),
    "getIamPolicy": ("cloudresourcemanager.googleapis.com", "roles/resourcemanager.projectIamAdmin"),
}
# By the type that a file of credentials names, as the provider takes them.
_LOADERS: Mapping[str, Any] = {
    "service_account": service_account.Credentials.from_service_account_info,
    "authorized_user": Credentials.from_authorized_user_info,
    "external_account": identity_pool.Credentials.from_info,
}


class GoogleApiError(RayaError):
    """Google refused or did not answer."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """``what`` kind of credentials, and ``where`` they are set; ``renew``: the command that sets others."""

    what: str
    where: str
    renew: str


@dataclass(frozen=True, kw_only=True)
class Access:
    """To one project, for sentences; ``session`` has the credentials."""

    project: str
    session: requests.Session
    origin: Origin

    @classmethod
    def of(cls, config: Mapping[str, str], project: str) -> Self:
        """With the credentials the provider would take: the stack's, the environment's, the user's own."""
        session, origin = _token(config) or _key(config) or _own()
        return cls(project=project, session=session, origin=origin)

    def call(
        self,
        method: str,
        url: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        may_be_gone: bool = False,
    ) -> dict[str, Any] | None:
        """The answer; None when the object is not there and ``may_be_gone``. A project never is."""
        try:
            answer = self.session.request(method, url, json=body, params=query, timeout=_TIMEOUT_S)
        except RefreshError as error:
            # Its first argument is Google's sentence, the second the whole answer.
            raise GoogleApiError(self._unknown(str(error.args[0]))) from error
        except (requests.RequestException, GoogleAuthError) as error:
            raise GoogleApiError(f"Google's API at {url} does not answer: {error}") from error
        if answer.status_code == _GONE and may_be_gone:
            return None
        if not answer.ok:
            raise GoogleApiError(self._refused(method, url, answer))
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found

    def _refused(self, method: str, url: str, answer: requests.Response) -> str:
        reason = _reason(answer)
        if answer.status_code == _UNKNOWN:
            return self._unknown(reason)
        if answer.status_code == _FORBIDDEN:
            return self._forbidden(url, reason)
        return f"Google refused {method} {url} ({answer.status_code}): {reason}"

    def _unknown(self, reason: str) -> str:
        return (
            f"Google does not accept {self.origin.what} of {self.origin.where}: it is wrong, was withdrawn, "
            f"or has run out. Set another: {self.origin.renew}. Google's words: {reason}"
        )

    def _forbidden(self, url: str, reason: str) -> str:
        api, roles = next(given for part, given in _SERVICES.items() if part in url)
        return (
            f"{self.origin.what} of {self.origin.where} may not do this in the Google project "
            f"{self.project}. It needs {roles} there, and {api} must be enabled (gcloud services enable "
            f"{api} --project {self.project}). Is gcp:project the right one? Google's words: {reason}"
        )


def _token(config: Mapping[str, str]) -> tuple[requests.Session, Origin] | None:
    if token := config.get("gcp:accessToken"):
        where, renew = "gcp:accessToken", f"pulumi config set --secret gcp:accessToken {_NEW_TOKEN}"
    elif token := os.environ.get("GOOGLE_OAUTH_ACCESS_TOKEN"):
        where, renew = "GOOGLE_OAUTH_ACCESS_TOKEN", f"export GOOGLE_OAUTH_ACCESS_TOKEN={_NEW_TOKEN}"
    else:
        return None
    origin = Origin(what="the access token", where=where, renew=f"{renew} (such a token lives one hour)")
    # It cannot be renewed from here, so an answer of 401 is an answer.
    credentials: Any = Credentials(token)  # type: ignore[no-untyped-call]  # google-auth has no types
    return AuthorizedSession(credentials, refresh_status_codes=()), origin  # type: ignore[no-untyped-call]


def _key(config: Mapping[str, str]) -> tuple[requests.Session, Origin] | None:
    """The text of a key, or the path of a file that holds it."""
    if given := config.get("gcp:credentials"):
        where, renew = "gcp:credentials", "pulumi config set --secret gcp:credentials < key.json"
    elif given := os.environ.get("GOOGLE_CREDENTIALS"):
        where, renew = "GOOGLE_CREDENTIALS", 'export GOOGLE_CREDENTIALS="$(cat key.json)"'
    else:
        return None
    origin = Origin(what="the key", where=where, renew=f"{renew} (gcloud iam service-accounts keys create)")
    try:
        info = json.loads(given if given.lstrip().startswith("{") else Path(given).read_text())
        credentials = _LOADERS[info["type"]](info, scopes=_SCOPES)
    except (GoogleAuthError, OSError, ValueError, KeyError, TypeError) as error:
        raise GoogleApiError(f"{where} holds no usable credentials: {error}. Set it: {renew}") from error
    return AuthorizedSession(credentials), origin  # type: ignore[no-untyped-call]  # google-auth has no types


def _own() -> tuple[requests.Session, Origin]:
    try:
        credentials, _ = google.auth.default(scopes=_SCOPES)
    except (GoogleAuthError, OSError, ValueError) as error:
        raise GoogleApiError(
            f"no usable Google credentials: {error}. Run `{_LOG_IN}`, or set gcp:credentials."
        ) from error
    origin = Origin(what="the login", where="this user or machine", renew=_LOG_IN)
    return AuthorizedSession(credentials), origin  # type: ignore[no-untyped-call]  # google-auth has no types


def _reason(answer: requests.Response) -> str:
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return str(answer.reason)
