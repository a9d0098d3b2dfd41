"""``raya:components``, ``acme``, ``gitops`` and ``endpoints``: what runs in the cluster, whom it talks to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from types import MappingProxyType
from typing import Annotated, Any, Final
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, SecretStr

from raya.section import SECTION, text
from raya.wording import Refused, json_kind, shortened, show, unknown

COMPONENTS: Final = ("traefik", "external-dns", "cert-manager", "hcloud-csi", "flux")

# Without a sign that would have to be quoted. Let's Encrypt takes ASCII only.
_EMAIL = re.compile(r"(?=[!-~]+\Z)[^@,;<>\"]+@[^@,;<>\".]+(?:\.[^@,;<>\".]+)+")
_VISIBLE_ASCII = re.compile(r"[!-~]+")
# git-check-ref-format(1), as far as it matters for a branch.
_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)|/\.))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])")
_SHORT_SSH_FORM = re.compile(r"(?:[\w.-]+@)?(?P<host>[\w.-]+):(?P<path>[^/\s].*)")
# The user of every git host's SSH URLs; any other may be a token.
_GIT_USER = re.compile(r"^(?:ssh://)?git@")
_NO_SSH = (
    "Flux would need a deploy key and known hosts for SSH, and the cluster is given neither; write the "
    "https URL, with a token in gitops.token when the repository is private"
)


def _components(value: Any) -> Mapping[str, bool]:
    """Every known component with its switch; those left out are on."""
    if not isinstance(value, Mapping):
        raise Refused(
            f"it must be an object of name: true or false, not {json_kind(value)}", name_value=False
        )
    for name, switch in value.items():
        if name not in COMPONENTS:
            raise Refused(
                f"it is not a component: {unknown(str(name), COMPONENTS)}", at=str(name), name_value=False
            )
        if not isinstance(switch, bool):
            raise Refused("it must be true or false, without quotes", at=str(name), value=switch)
    return {name: value.get(name, True) for name in COMPONENTS}


Components = Annotated[Mapping[str, bool], BeforeValidator(_components), AfterValidator(MappingProxyType)]


def is_loopback(host: str | None) -> bool:
    """Whether a URL's host is this machine."""
    if host is None or host == "localhost":
        return host is not None
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _split(url: str) -> SplitResult:
    """The parts of a URL in ASCII that has a host."""
    if not _VISIBLE_ASCII.fullmatch(url):
        raise _not_shown(
            url,
            "it is not a URL: it must be ASCII without white space and control characters; write other "
            "characters in their %-form, and a domain name in its xn-- form",
        )
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise _not_shown(url, f"it is not a URL ({show(str(error))})") from None
    if not host:
        raise _not_shown(url, "it is not a URL; write it like https://example.org/path")
    return parts


def _not_shown(url: str, reason: str) -> Refused:
    """The refusal of a URL, which is not repeated when it may carry a password or a token."""
    return Refused(reason, name_value=not re.search(r"[@?]", _GIT_USER.sub("", url)))


def _https_url(value: str) -> str:
    """An https URL; plain http only to this machine, for the local cloud."""
    parts = _split(value)
    if parts.username or parts.password:
        raise Refused("it carries a user or password; leave them out", name_value=False)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        raise _not_shown(value, "it must be an https URL (http is for 127.0.0.1 only)")
    if parts.query or parts.fragment:
        raise _not_shown(value, "it must not have a ? or a #; write the plain URL")
    return value


HttpsUrl = Annotated[str, BeforeValidator(text("an https URL")), AfterValidator(_https_url)]


def _email(value: str) -> str:
    if value and not _EMAIL.fullmatch(value):
        raise Refused("it is not an e-mail address; write it like admin@example.org")
    return value


class AcmeSettings(BaseModel):
    """The certificate authority. ``email`` is empty only when cert-manager is off."""

    model_config = SECTION

    email: Annotated[str, BeforeValidator(text("an e-mail address")), AfterValidator(_email)] = ""
    server: HttpsUrl = "https://acme-v02.api.letsencrypt.org/directory"


def _repository(value: str) -> str:
    if not value:
        return value
    short = _SHORT_SSH_FORM.fullmatch(value) if "://" not in value else None
    if short:
        path, *_ = short["path"].partition("?")
        raise _not_shown(value, f"{_NO_SSH}: https://{shortened(short['host'])}/{shortened(path)}")
    parts = _split(value)
    if parts.scheme == "ssh":
        raise _not_shown(value, f"{_NO_SSH}: https://{parts.hostname}{shortened(parts.path)}")
    if parts.scheme != "https":
        raise _not_shown(value, "it must be the https:// URL of a git repository")
    if parts.username or parts.password:
        raise Refused(
            "it carries a user or password, which would stand here in clear; use gitops.token",
            name_value=False,
        )
    if parts.path in ("", "/") or parts.query or parts.fragment:
        raise _not_shown(
            value, "it does not name a repository; write it like https://github.com/owner/repository"
        )
    return value


def _branch(value: str) -> str:
    if not _BRANCH.fullmatch(value) or not value.isprintable():
        raise Refused("it is not a git branch name; write it like main")
    return value


def _path(value: str) -> str:
    if not value.startswith("./") and value != ".":
        raise Refused("it must be a path from the repository's root on; write it like ./deploy")
    if not value.isprintable():
        raise Refused("it holds control or invisible characters; write it like ./deploy")
    if ".." in value.split("/") or "\\" in value:
        raise Refused("it must stay inside the repository; write it like ./deploy")
    return value


def _token(value: Any) -> Any:
    if isinstance(value, SecretStr) or value is None:
        return value
    if not isinstance(value, str) or not _VISIBLE_ASCII.fullmatch(value):
        raise Refused(
            "it must be a token as text: ASCII without white space and control characters; copy it again",
            name_value=False,
        )
    return SecretStr(value)


Token = Annotated[SecretStr | None, BeforeValidator(_token)]


class GitopsSettings(BaseModel):
    """What Flux watches. ``url`` is empty only when flux is off; ``token`` opens a private repository."""

    model_config = SECTION

    url: Annotated[str, BeforeValidator(text("the URL of a git repository")), AfterValidator(_repository)] = (
        ""
    )
    branch: Annotated[str, BeforeValidator(text("a branch name")), AfterValidator(_branch)] = "main"
    path: Annotated[str, BeforeValidator(text("a path in the repository")), AfterValidator(_path)] = (
        "./deploy"
    )
    token: Token = None


class EndpointSettings(BaseModel):
    """Services that are not a provider's. ``github``: where ``/<user>.keys`` is."""

    model_config = SECTION

    github: HttpsUrl = "https://github.com"
