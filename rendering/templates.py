"""The one Jinja environment: undefined names are errors, and every value goes through a quoting filter.

Three filters, one per language that a value can land in:

- ``tojson``   YAML and JSON. A JSON scalar is a YAML scalar, so no value can change the shape of a document.
- ``keyfile``  NetworkManager's key files, which have no quoting: the filter refuses what they cannot hold.
- ``envvalue`` systemd's EnvironmentFile, in double quotes; bash reads it the same way.
"""

import json
import re
from functools import lru_cache
from pathlib import Path

import jinja2

from rendering.errors import TemplateError

# What YAML does not take literally between double quotes, or would read as a line break: these are escaped.
_NOT_YAML_PRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=8)
def environment(root: Path) -> jinja2.Environment:
    """Return the environment for the templates below `root` (a folder). Safe to share between threads."""
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(root),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters["tojson"] = _to_json
    env.filters["keyfile"] = _to_keyfile
    env.filters["envvalue"] = _to_env_value
    return env


def render(env: jinja2.Environment, template_name: str, **context: object) -> str:
    """Render one template to text.

    Raises:
        TemplateError: names the template, the line where it is known, and what is wrong.
    """
    try:
        return env.get_template(template_name).render(**context)
    except jinja2.TemplateNotFound as error:
        raise TemplateError(f"the template {error.name} does not exist below {_roots(env)}.") from error
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(
            f"template {error.name or template_name}, line {error.lineno}: {error.message}."
        ) from error
    except jinja2.UndefinedError as error:
        raise TemplateError(
            f"template {_place(error, env, template_name)}: {error.message}. "
            "A template may use only what it is given."
        ) from error
    except _UnquotableError as error:
        raise TemplateError(f"template {_place(error, env, template_name)}: {error}.") from error


class _UnquotableError(ValueError):
    """A value that the target language cannot hold; never carries the value itself, it may be a secret."""


def _to_json(value: object) -> str:
    if isinstance(value, jinja2.Undefined):
        # Jinja would call this filter with the missing name; touching it raises the error that names it.
        str(value)
    try:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise _UnquotableError(
            f"a value of type {type(value).__name__} was given where text, number, list or mapping belongs"
        ) from error
    if _SURROGATE.search(text):
        raise _UnquotableError("a text contains half of a surrogate pair, which UTF-8 cannot express")
    return _NOT_YAML_PRINTABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _to_keyfile(value: object) -> str:
    text = _plain_text(value)
    if not text or text != text.strip() or text.startswith(("[", "#")) or set(text) & set("\\;="):
        raise _UnquotableError(
            "a key file value must not be empty, start or end with space, or contain any of \\ ; ="
        )
    return text


def _to_env_value(value: object) -> str:
    text = _plain_text(value)
    return '"' + re.sub(r'([\\"$`])', r"\\\1", text) + '"'


def _plain_text(value: object) -> str:
    if not isinstance(value, str):
        str(value)  # an undefined name raises here, and says which
        raise _UnquotableError(f"a value of type {type(value).__name__} was given where text belongs")
    if _CONTROL.search(value) or _SURROGATE.search(value):
        raise _UnquotableError("a one-line value contains a line break or another control character")
    return value


def _place(error: BaseException, env: jinja2.Environment, template_name: str) -> str:
    """Name template and line: Jinja rewrites tracebacks so that they carry the template's own lines."""
    names = set(env.list_templates())
    roots = [Path(root) for root in _search_path(env)]
    place = template_name
    trace = error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        for root in roots:
            if file.is_relative_to(root) and str(file.relative_to(root)) in names:
                place = f"{file.relative_to(root)}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _search_path(env: jinja2.Environment) -> list[str]:
    loader = env.loader
    return list(loader.searchpath) if isinstance(loader, jinja2.FileSystemLoader) else []


def _roots(env: jinja2.Environment) -> str:
    return ", ".join(_search_path(env))
