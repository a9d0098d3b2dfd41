"""Lists: pages, sorting, label selectors; what is offered."""

from __future__ import annotations

import hcloud
import httpx
import pytest
from hcloud.placement_groups import BoundPlacementGroup
from hcloud.servers import BoundServer

from tests.conformance.hetzner_offer import Offer
from tests.conformance.hetzner_things import HetznerThings
from tests.conformance.refusals import refused


@pytest.fixture
def groups(things: HetznerThings) -> dict[str, BoundPlacementGroup]:
    """Four things that cost nothing, told apart by their labels."""
    labels = {
        "a": {"role": "agent", "zone": "x"},
        "b": {"role": "agent", "zone": "y"},
        "c": {"role": "cp"},
        "d": {},
    }
    return {letter: things.placement_group(labels=own) for letter, own in labels.items()}


def test_pages(hetzner: hcloud.Client, groups: dict[str, BoundPlacementGroup], things: HetznerThings) -> None:
    first, second = (
        hetzner.placement_groups.get_list(label_selector=things.run.selector, per_page=3, page=page)
        for page in (1, 2)
    )
    assert (len(first.placement_groups), len(second.placement_groups)) == (3, 1)
    pages = first.meta.pagination
    assert (pages.page, pages.per_page, pages.last_page, pages.total_entries) == (1, 3, 2, 4)
    assert (pages.previous_page, pages.next_page) == (None, 2)
    pages = second.meta.pagination
    assert (pages.previous_page, pages.next_page) == (1, None)
    whole = hetzner.placement_groups.get_list(label_selector=things.run.selector)
    assert whole.meta.pagination.per_page == 25


def test_sorting(
    hetzner: hcloud.Client, groups: dict[str, BoundPlacementGroup], things: HetznerThings
) -> None:
    ids = [group.id for group in groups.values()]
    for order, expected in (("id:asc", ids), ("id:desc", ids[::-1])):
        found = hetzner.placement_groups.get_all(label_selector=things.run.selector, sort=[order])
        assert [group.id for group in found] == expected


@pytest.mark.parametrize("query", ["per_page=51", "per_page=0", "page=0", "page=x", "sort=colour"])
def test_bad_list_query(wire: httpx.Client, query: str) -> None:
    answer = wire.get(f"/servers?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")


@pytest.mark.parametrize(
    ("selector", "letters"),
    [
        ("role=agent", "ab"),
        ("role==agent,zone=x", "a"),
        ("role!=agent", "cd"),
        ("role", "abc"),
        ("!role", "d"),
        ("zone in (x, y)", "ab"),
        ("zone notin (x)", "bcd"),
    ],
)
def test_label_selectors(
    hetzner: hcloud.Client,
    groups: dict[str, BoundPlacementGroup],
    things: HetznerThings,
    selector: str,
    letters: str,
) -> None:
    found = hetzner.placement_groups.get_all(label_selector=f"{things.run.selector},{selector}")
    assert {group.id for group in found} == {groups[letter].id for letter in letters}


def test_a_selector_with_a_bad_value(hetzner: hcloud.Client) -> None:
    with refused("invalid_input"):
        hetzner.placement_groups.get_all(label_selector="version=v1+k3s1")


@pytest.mark.parametrize(
    "labels", [{"version": "v1+k3s1"}, {"-x": "y"}, {"a": "b" * 64}, {"hetzner.cloud/x": "y"}]
)
def test_bad_labels(things: HetznerThings, labels: dict[str, str]) -> None:
    with refused("invalid_input"):
        things.placement_group(labels=labels)


def test_labels_with_everything_that_is_allowed(things: HetznerThings) -> None:
    labels = {"k3s_version": "v1.36.3-k3s1", "example.org/a": "", "x" * 63: "y" * 63}
    group = things.placement_group(labels=labels)
    assert group.labels == labels | things.run.labels


def test_names_are_unique_and_found(
    hetzner: hcloud.Client, things: HetznerThings, groups: dict[str, BoundPlacementGroup]
) -> None:
    taken = groups["a"]
    with refused("uniqueness_error"):
        things.placement_group(taken.name)
    found = hetzner.placement_groups.get_by_name(taken.name)
    assert found is not None
    assert found.id == taken.id
    assert hetzner.placement_groups.get_by_name(things.run.name("none")) is None


def test_actions_are_asked_for_by_id(wire: httpx.Client, server: BoundServer) -> None:
    assert wire.get("/actions").status_code == 422
    ids = sorted(action.id for action in server.get_actions())[:25]
    assert len(ids) >= 2
    query = "&".join(f"id={number}" for number in ids)
    answer = wire.get(f"/actions?{query}&sort=status&sort=id&page=1&per_page=50").json()["actions"]
    assert [(action["id"], action["status"]) for action in answer] == [(each, "success") for each in ids]
    assert "create_server" in {action["command"] for action in answer}
    for path in (f"/servers/actions/{ids[0]}", f"/servers/{server.id}/actions/{ids[0]}"):
        assert wire.get(path).json()["action"]["id"] == ids[0]


def test_images_have_the_architecture_that_was_asked_for(hetzner: hcloud.Client, offer: Offer) -> None:
    architecture = str(offer.server_type.architecture)
    images = hetzner.images.get_all(type=["system"], architecture=[architecture], sort=["created:desc"])
    assert {image.architecture for image in images} == {architecture}
    assert [image.created for image in images] == sorted((image.created for image in images), reverse=True)
    named = hetzner.images.get_by_name_and_architecture(str(offer.image.name), architecture)
    assert named is not None
    assert (named.name, named.architecture) == (offer.image.name, architecture)


def test_images_are_found_by_their_labels(hetzner: hcloud.Client, things: HetznerThings) -> None:
    assert hetzner.images.get_all(label_selector=things.run.selector) == []
    labelled = [image for image in hetzner.images.get_all(type=["snapshot"]) if image.labels]
    if not labelled:
        pytest.skip("the account has no snapshot with labels, and making one costs money")
    image = labelled[0]
    selector = ",".join(f"{key}={value}" for key, value in image.labels.items())
    found = hetzner.images.get_all(label_selector=selector, architecture=[str(image.architecture)])
    assert image.id in [each.id for each in found]
    assert all(image.labels.items() <= each.labels.items() for each in found)


def test_every_type_has_a_price_wherever_it_is_offered(hetzner: hcloud.Client) -> None:
    kinds = hetzner.server_types.get_all()
    assert kinds
    for kind in kinds:
        priced = {entry["location"] for entry in kind.prices}
        assert {place.location.name for place in kind.locations} <= priced
        for entry in kind.prices:
            assert float(entry["price_monthly"]["gross"]) >= float(entry["price_monthly"]["net"]) > 0


def test_every_location_has_a_network_zone(hetzner: hcloud.Client) -> None:
    locations = hetzner.locations.get_all()
    assert all(location.network_zone for location in locations)
    assert len({location.name for location in locations}) == len(locations)
