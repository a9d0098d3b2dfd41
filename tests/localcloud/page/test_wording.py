"""How the page says things: faults, delegations, refusals, long lists."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from localcloud.page.wording import cut, ordinal, ranges
from tests.cloud import RunningCloud


def test_what_is_out_of_stock_is_said(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.control("POST", "settings", {"soldOut": ["cx23@hel1"]})
    assert "Server type cx23 is out of stock in hel1." in http.get("/").text


def test_a_long_list_is_cut_but_not_for_one_row() -> None:
    assert (cut(range(9), 8).first, cut(range(9), 8).folded) == (tuple(range(9)), ())
    long = cut(range(500), 8, folded=92)
    assert (len(long.first), len(long.folded), long.left_out, len(long)) == (8, 92, 400, 500)


def test_words() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 21, 112)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "21st", "112th")
    ]
    assert ranges(["0.0.0.0/0", "::/0"]) == "anywhere"
    assert ranges(["0.0.0.0/0", "203.0.113.7/32"]) == "any IPv4 address, 203.0.113.7/32"


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (
            {
                "kind": "status",
                "method": "POST",
                "path": "/servers$",
                "nth": 3,
                "status": 412,
                "code": "no_room",
            },
            "Requests POST /servers$ are answered with 412 no_room, from the 3rd on, once.",
        ),
        ({"kind": "hang", "times": 2}, "All requests are carried out after 5 s, 2 times."),
        (
            {"kind": "drop", "name": "agent-1", "times": None},
            "All requests for agent-1 lose their connection",
        ),
        ({"kind": "hang", "carriedOut": True}, "All requests are carried out at once and answered after 5 s"),
        ({"kind": "restart", "create": "volume_attachment"}, "create a volume attachment kill the server"),
        ({"kind": "status", "delete": "server"}, "Requests that delete a server are answered with 500"),
        (
            {"kind": "action", "command": "create_server"},
            "Actions create_server end with the error action_failed",
        ),
        (
            {"kind": "release", "what": "private_ip"},
            "A private address that is given back stays busy for 3 s",
        ),
        ({"kind": "late_account"}, "A new service account is unknown to its first 2 questions"),
    ],
)
def test_faults_in_words(
    cloud: RunningCloud, http: httpx.Client, fault: dict[str, Any], sentence: str
) -> None:
    cloud.fault(**fault)
    assert sentence in http.get("/").text
    cloud.clear_faults()
    assert "Faults in force" not in http.get("/").text


def test_a_fault_that_is_used_up_is_not_in_force(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.fault("status", path="/servers$")
    cloud.fault("status", path="/volumes$", seconds=10)
    http.get("/hcloud/v1/servers")
    page = http.get("/").text
    assert "/servers$" not in page
    assert "/volumes$" in page
    cloud.advance(11)
    assert "Faults in force" not in http.get("/").text


def test_delegation(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.seed({"zones": [{"project": "raya-local", "name": "k8s", "dnsName": "k8s.example.org."}]})
    assert "Not delegated: example.org. has no NS records for it." in http.get("/").text
    (servers,) = [zone["nameServers"] for zone in cloud.zones() if zone["name"] == "k8s"]
    cloud.add_record("example.org.", "k8s.example.org.", "NS", servers)
    assert "Delegated from example.org." in http.get("/").text


def test_wrong_delegation(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.seed({"zones": [{"project": "raya-local", "name": "k8s", "dnsName": "k8s.example.org."}]})
    cloud.add_record("example.org.", "k8s.example.org.", "NS", ["ns-of.somebody-else.example."])
    assert "the NS records in example.org. name other servers" in http.get("/").text


def test_a_failed_action_says_why(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.fault("action", command="create_volume", code="server_error", message="no disk left")
    cloud.create_volume("state", size_gb=10, labels={})
    cloud.advance(1)
    assert "server_error: no disk left" in http.get("/").text


def test_a_request_that_a_fault_struck_says_so(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.fault("status", path="/servers$", status=412, code="resource_unavailable")
    http.get("/hcloud/v1/servers")
    assert "resource_unavailable, a fault on demand (status)" in http.get("/").text
