"""Whatever is known to be wrong ends in its sentence, before the first call that changes anything."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from tests.cloud import RunningCloud
from tests.e2e.engine import Engine

TRACEBACK = "Traceback (most recent call last)"


@pytest.fixture
def refused(engine: Engine, cloud: RunningCloud) -> Iterator[list[str]]:
    """The sentences that an update must end in; nothing may have been changed by then."""
    expected: list[str] = []
    yield expected
    assert expected
    mark = len(cloud.events())
    ran = engine.up(check=False)
    shown = ran.stdout + ran.stderr
    assert ran.returncode != 0
    assert TRACEBACK not in shown
    for sentence in expected:
        assert sentence in " ".join(shown.split()), shown
    assert cloud.events()[mark:] == []


@pytest.fixture(autouse=True)
def _undo(engine: Engine, cloud: RunningCloud) -> Iterator[None]:
    config = engine.config_file.read_text()
    engine.fleet({}, {})
    yield
    engine.config_file.write_text(config)
    engine.copy_program()
    cloud.reset()


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("raya:network.range", "8.8.0.0/16", "RFC 1918"),
        ("raya:location", "mars1", "mars1"),
        ("raya:controlPlane.volumeSizeGb", "5", "10240"),
        ("raya:clusterNam", "home", "clusterName"),
        (
            "raya:controlPlane.serverType",
            "cx99",
            "control-plane: Hetzner has no server type cx99; in hel1 there are",
        ),
        ("raya:controlPlane.serverType", "cx21", "enp7s0"),
        ("raya:dnsParentZone", "absent.example", "has no public zone for absent.example"),
    ],
)
def test_bad_setting(engine: Engine, refused: list[str], path: str, value: str, sentence: str) -> None:
    engine.configure(path, value)
    refused.append(sentence)


def test_malformed_fleet_names_file_position_and_reason(engine: Engine, refused: list[str]) -> None:
    engine.fleet({}, {"serverTyp": "cx33"})
    refused += ["agents.json", "serverTyp"]


def test_setting_errors_come_before_the_first_api_call(engine: Engine, cloud: RunningCloud) -> None:
    engine.configure("raya:location", "mars1")
    mark = len(cloud.requests())
    engine.preview(check=False)
    assert cloud.requests()[mark:] == []


def test_user_without_keys(engine: Engine, refused: list[str]) -> None:
    engine.configure("raya:authorizedUsers[0]", "nobody-here")
    refused.append("nobody-here")


def test_no_snapshot_of_the_pins(engine: Engine, refused: list[str]) -> None:
    pin = engine.folder / "image" / "fcos.pin"
    text = pin.read_text()
    pin.write_text(text.replace("44.20260720.3.1", "44.20990101.3.0"))
    refused += ["no x86 snapshot of Fedora CoreOS 44.20990101.3.0", "image/fcos.pin", "docs/image.md"]


def test_no_snapshot_of_the_fleets_other_architecture(engine: Engine, refused: list[str]) -> None:
    engine.fleet({}, {"serverType": "cax21"})
    refused += ["agent-1 (", "agents.json: agents[1].serverType): no arm snapshot"]


def test_a_snapshot_larger_than_a_machines_disk(
    cloud: RunningCloud, engine: Engine, refused: list[str]
) -> None:
    (pinned,) = [each for each in cloud.hetzner("images") if each["labels"].get("os") == "fcos"]
    cloud.seed({"snapshots": [{"labels": pinned["labels"], "description": "large", "diskGb": 80}]})
    engine.fleet({}, {"serverType": "cx33"})
    refused += [
        "control-plane, agent-0 (raya:controlPlane.serverType, raya:agents.serverType): the snapshot",
        "has a disk of 80 GB, and the server type cx23 has one of 40 GB",
    ]


def test_dns_api_that_is_not_enabled(cloud: RunningCloud, engine: Engine, refused: list[str]) -> None:
    cloud.seed({"projects": [{"id": "raya-local", "disabledApis": ["dns.googleapis.com"]}]})
    refused.append("gcloud services enable dns.googleapis.com")


def test_ambiguous_parent_zone(cloud: RunningCloud, refused: list[str]) -> None:
    cloud.seed({"zones": [{"project": "raya-local", "name": "again", "dnsName": "example.org."}]})
    refused.append("2 public zones for example.org")


def test_a_delegation_to_another_place_is_not_taken_over(
    cloud: RunningCloud, engine: Engine, refused: list[str]
) -> None:
    cloud.add_record("example.org.", "k8s.example.org.", "NS", ["ns1.example.net."])
    refused.append("delegates k8s.example.org to ns1.example.net. already")


def test_a_delegation_that_cannot_be_looked_up_is_not_taken_for_none(
    cloud: RunningCloud, engine: Engine, refused: list[str]
) -> None:
    cloud.add_record("example.org.", "k8s.example.org.", "NS", ["ns1.example.net."])
    cloud.fault("status", method="GET", path="/rrsets$", status=403, code="rateLimitExceeded", times=None)
    refused.append("did not say whether k8s.example.org is delegated already")


def test_a_zone_of_that_name_that_somebody_made_is_not_taken_over(
    cloud: RunningCloud, engine: Engine, refused: list[str]
) -> None:
    cloud.seed({"zones": [{"project": "raya-local", "name": "k8s", "dnsName": "k8s.example.org."}]})
    refused.append("already has the zone k8s.example.org (k8s), which no raya cluster made")


def test_a_fleet_beyond_what_a_network_takes(engine: Engine, refused: list[str]) -> None:
    engine.fleet(*[{}] * 100)
    refused.append("fleet has 100 agents: a Hetzner network takes 100 resources, control plane included")


def test_user_data_above_the_limit_names_the_largest_contributors(engine: Engine, refused: list[str]) -> None:
    noise = engine.folder / "butane" / "overlay" / "common" / "etc" / "noise"
    noise.write_text(secrets.token_hex(40_000))
    refused += ["control-plane", "32,768 bytes", "/etc/noise (80,000 bytes)"]
