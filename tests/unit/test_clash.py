"""All that is in a second cluster's way is told in one run."""

from __future__ import annotations

from raya import clash
from raya.clash import CLUSTER_NAME, DNS_ZONES, SERVER_NAME_PREFIX, SUBDOMAIN, Clash
from tests.machines import PROJECT_ROOT

NAMES = Clash("the names are taken.", frozenset({SERVER_NAME_PREFIX, CLUSTER_NAME}))
ZONE = Clash("the zone is taken.", frozenset({DNS_ZONES, SUBDOMAIN}))


def test_nothing_in_the_way_is_nothing_to_say() -> None:
    assert list(clash.told([])) == []


def test_what_one_setting_puts_right_needs_no_introduction() -> None:
    alone = Clash("the prefix is taken.", frozenset({SERVER_NAME_PREFIX}))
    assert list(clash.told([alone, alone])) == ["the prefix is taken."] * 2


def test_the_first_sentence_names_every_setting_once_and_in_order() -> None:
    first, *rest = clash.told([ZONE, NAMES, ZONE])
    assert first.startswith(
        "a cluster beside others needs its own raya:clusterName, raya:serverNamePrefix, "
        "raya:clusterManagedSubdomain and raya:dnsZones: change them together (docs/runbooks/second-"
    )
    assert rest == [ZONE.sentence, NAMES.sentence, ZONE.sentence]


def test_the_page_that_it_names_lists_them_all() -> None:
    page = (PROJECT_ROOT / "docs" / "runbooks" / "second-cluster.md").read_text()
    for key in (CLUSTER_NAME, SERVER_NAME_PREFIX, SUBDOMAIN, DNS_ZONES):
        assert f"`{key}`" in page
