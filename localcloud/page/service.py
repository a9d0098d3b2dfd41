"""The endpoints of the page: the document, and its style, script and icon from files of this package."""

import secrets
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import jinja2

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.page.view import view
from localcloud.routing import Call, Reply, Routes, Service

_FOLDER = Path(__file__).parent
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_FOLDER / "templates"),
    undefined=jinja2.StrictUndefined,
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
_HEADERS = {
    # The page's own style, script and icon, and the page itself again; nothing inline or from elsewhere.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Kept, but asked about each time: a page that did not change is answered with 304 and no body.
    "Cache-Control": "no-cache",
}

# A server that was started anew may have other templates.
_RUN = secrets.token_hex(8)

routes = Routes()


@routes.get("/")
def index(cloud: Cloud, call: Call) -> Reply:
    """What exists, what it costs and what happened last, as a page for people; 304 while it is the same"""
    shown = view(cloud)
    template = _TEMPLATES.get_template("page.html.j2")
    # An open page asks every second. What is shown tells whether it changed, long before it is rendered.
    return _reply(call, "text/html", f"{_RUN} {shown!r}", lambda: template.render(view=shown))


@routes.get("/page.css")
def style(cloud: Cloud, call: Call) -> Reply:
    """How the page looks"""
    return _file(call, "page.css", "text/css")


@routes.get("/page.js")
def script(cloud: Cloud, call: Call) -> Reply:
    """What keeps an open page current"""
    return _file(call, "page.js", "text/javascript")


@routes.get("/page.svg")
def icon(cloud: Cloud, call: Call) -> Reply:
    """The page's icon"""
    return _file(call, "page.svg", "image/svg+xml")


def _file(call: Call, name: str, media_type: str) -> Reply:
    text = (_FOLDER / "assets" / name).read_text()
    return _reply(call, media_type, text, lambda: text)


def _reply(call: Call, media_type: str, identity: str, text: Callable[[], str]) -> Reply:
    """The text, or 304 when the caller has the one of this identity already."""
    tag = f'"{sha256(identity.encode()).hexdigest()[:32]}"'
    headers = _HEADERS | {"ETag": tag}
    if call.headers.get("if-none-match") == tag:
        return Reply(304, headers=headers)
    return Reply(200, text(), f"{media_type}; charset=utf-8", headers)


def _render_error(error: ApiError) -> Reply:
    return Reply(error.status, {"error": {"code": error.code, "message": error.message}})


PAGE = Service(name="Page", prefix="", routes=(routes,), render_error=_render_error, watched=False)
