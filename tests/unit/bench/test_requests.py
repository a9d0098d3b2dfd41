"""Requests by kind, and the ones that had been asked before."""

from __future__ import annotations

from typing import Any

from tests.bench import page, requests


def _request(method: str, route: str, **query: str) -> dict[str, Any]:
    return {
        "method": method,
        "route": route,
        "path": route.replace("{id}", "7"),
        "query": list(query.items()),
    }


ASKED = [
    _request("GET", "/hcloud/v1/servers/{id}"),
    _request("GET", "/hcloud/v1/server_types", page="1"),
    _request("GET", "/hcloud/v1/server_types", page="2"),
    _request("POST", "/hcloud/v1/servers/{id}/actions/attach_to_network"),
    _request("GET", "/github/{user}.keys"),
]


def test_a_kind_is_the_method_and_the_last_word_of_the_route() -> None:
    assert requests.by_kind(ASKED) == {
        "get_servers": 1,
        "get_server_types": 2,
        "post_attach_to_network": 1,
        "get_github": 1,
    }


def test_another_page_is_no_repetition_but_the_same_one_is() -> None:
    assert requests.repeated(ASKED) == 0
    assert requests.repeated([*ASKED, ASKED[1]]) == 1


def test_the_page_keeps_what_people_wrote() -> None:
    text = f"before\n{page.BEGIN}\noutdated\n{page.END}\nafter\n"
    written = page.updated(text, {"longest_chain": 4, "longest_chain_forced": 4})
    assert written.startswith("before\n")
    assert written.endswith("\nafter\n")
    assert "outdated" not in written
    assert "| `longest_chain` | 4 | 4 | holds |" in written
    assert page.updated(written, {"render_s": 1.5}).count(page.BEGIN) == 1
