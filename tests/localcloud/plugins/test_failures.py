"""What goes wrong is one sentence that names the resource, and nothing half made is forgotten."""

from __future__ import annotations

import pytest

from tests.cloud import RunningCloud
from tests.localcloud.plugins.conftest import Stack

HEAD = "import pulumi_hcloud as hcloud\n"
GOOGLE = "import pulumi_gcp as gcp\n"
SERVER = 'hcloud.Server("{0}", name="{1}", server_type="cx23", image="debian-12", location="hel1")\n'


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (
            'hcloud.Network("net", name="net", ip_range="8.8.8.0/24")',
            "hcloud Network 'net' could not be created: invalid_input: ",
        ),
        (
            'hcloud.FloatingIp("f", type="ipv4", home_location="hel1")',
            "the stand-in for hcloud has no resource type 'hcloud:index/floatingIp:FloatingIp'",
        ),
        (
            'hcloud.get_image(with_selector="a=b")',
            "invoke of hcloud:index/getImage:getImage failed: no image found for selector 'a=b'",
        ),
        (
            'import pulumi_gcp\npulumi_gcp.dns.get_managed_zones(project="nobody-here")',
            "403 PERMISSION_DENIED",
        ),
        (
            'p = hcloud.Provider("p", token="t" * 64, endpoint="https://api.hetzner.cloud/v1")',
            "is not on this machine's loopback interface",
        ),
    ],
)
def test_refusals_are_sentences(stack: Stack, program: str, sentence: str) -> None:
    stack.program(HEAD + program + "\n")
    printed = stack.up(check=False)
    assert sentence in printed
    assert "site-packages/pulumi/provider" not in printed
    assert "localcloud/plugins" not in printed


def test_a_taken_name(stack: Stack, cloud: RunningCloud) -> None:
    stack.program(HEAD + SERVER.format("one", "same"))
    stack.up()
    stack.program(HEAD + SERVER.format("one", "same") + SERVER.format("two", "same"))
    assert "hcloud Server 'two' could not be created: uniqueness_error: " in stack.up(check=False)
    stack.pulumi("destroy", "--yes", "--skip-preview")
    assert cloud.hetzner("servers") == []


def test_what_is_half_made_is_not_forgotten(stack: Stack, cloud: RunningCloud) -> None:
    cloud.fault("action", command="start_server", code="server_error", message="no luck")
    stack.program(HEAD + SERVER.format("half", "half"))
    printed = stack.up(check=False)
    assert (
        "hcloud Server 'half' could not be created: action start_server failed: server_error: no luck"
        in printed
    )
    (server,) = cloud.hetzner("servers")
    assert stack.state()["Server::half"]["id"] == str(server["id"])
    stack.pulumi("destroy", "--yes", "--skip-preview")
    assert cloud.hetzner("servers") == []


def test_a_late_account_is_waited_for(stack: Stack, cloud: RunningCloud) -> None:
    cloud.fault("late_account", misses=3)
    stack.program(
        GOOGLE
        + 'account = gcp.serviceaccount.Account("late", account_id="late-account")\n'
        + 'gcp.serviceaccount.Key("late", service_account_id=account.name)\n'
    )
    assert "+ 3 created" in stack.up()
    stack.pulumi("destroy", "--yes", "--skip-preview")


def test_a_lost_race_for_the_policy_is_run_again(stack: Stack, cloud: RunningCloud) -> None:
    cloud.fault(
        "status", method="POST", path=":setIamPolicy$", status=409, code="ABORTED", message="race", times=3
    )
    members = "".join(
        f'gcp.projects.IAMMember("m{i}", project="raya-local", role="roles/dns.admin", '
        f'member="user:{i}@example.org")\n'
        for i in range(10)
    )
    stack.program(GOOGLE + members)
    assert "+ 11 created" in stack.up()
    stack.pulumi("preview", "--expect-no-changes")
    stack.pulumi("destroy", "--yes", "--skip-preview")
