"""The Jinja environment: nothing undefined, nothing unquoted, errors that name template and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rendering import templates
from rendering.errors import TemplateError

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def rendered(folder: Path, text: str, **context: object) -> str:
    (folder / "a.j2").write_text(text, encoding="utf-8")
    return templates.render(templates.environment(folder), "a.j2", **context)


def test_an_undefined_name_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"a\.j2, line 2: 'nmae' is undefined"):
        rendered(tmp_path, "a: 1\nb: {{ nmae | tojson }}\n", name="x")


def test_an_undefined_attribute_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"a\.j2, line 1: .*no attribute 'nmae'"):
        rendered(tmp_path, "{{ node.nmae | tojson }}", node=Path())


def test_a_syntax_error_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"template a\.j2, line 2"):
        rendered(tmp_path, "a\n{% if %}\n")


def test_a_missing_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"the template b\.j2 does not exist below"):
        templates.render(templates.environment(tmp_path), "b.j2")


def test_an_object_is_refused_without_being_shown(tmp_path: Path) -> None:
    class Output:
        def __repr__(self) -> str:
            return "Calling __str__ on an Output is not supported"

    with pytest.raises(TemplateError, match="a value of type Output was given") as caught:
        rendered(tmp_path, "a: {{ value | tojson }}", value=Output())
    assert "Calling __str__" not in str(caught.value)


@given(TEXT)
def test_any_text_is_one_scalar_to_a_yaml_and_to_a_json_parser(text: str) -> None:
    quoted = templates.environment(Path()).filters["tojson"](text)
    assert yaml.safe_load(f"a: {quoted}\nb: 1\n") == {"a": text, "b": 1}
    assert json.loads(quoted) == text
    assert "\n" not in quoted


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="surrogate"):
        rendered(tmp_path, "{{ value | tojson }}", value="\ud800")


@pytest.mark.parametrize("value", ["", " 10.0.0.1", "10.0.0.1\nmethod=auto", "a;b", "a=b", "[ipv4]", "#", 5])
def test_a_key_file_value_that_would_be_read_differently_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(TemplateError, match=r"a\.j2, line 1"):
        rendered(tmp_path, "address1={{ value | keyfile }}", value=value)


@pytest.mark.parametrize("value", ["a\nb", "a\tb", "\x00", 5, None])
def test_an_environment_value_of_more_than_a_line_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(TemplateError, match=r"a\.j2, line 1"):
        rendered(tmp_path, "A={{ value | envvalue }}", value=value)


def test_an_environment_value_is_quoted_the_way_systemd_and_bash_read_it(tmp_path: Path) -> None:
    assert rendered(tmp_path, "A={{ value | envvalue }}", value='a "b" $c `d` \\') == (
        'A="a \\"b\\" \\$c \\`d\\` \\\\"'
    )
