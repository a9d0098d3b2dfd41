"""What can be ordered at this moment: the suite assumes no server type, no location and no image."""

from __future__ import annotations

from dataclasses import dataclass

import hcloud
from hcloud.images import BoundImage
from hcloud.locations import BoundLocation
from hcloud.server_types import BoundServerType


@dataclass(frozen=True, kw_only=True)
class Offer:
    """The cheapest server that can be had, or one of the wanted type, and what the tests need beside it."""

    server_type: BoundServerType
    larger: BoundServerType
    """What a server of `server_type` can be changed into."""
    location: BoundLocation
    elsewhere: BoundLocation
    """Another location, in the same network zone where there is one."""
    image: BoundImage


def find_offer(client: hcloud.Client, wanted: str = "") -> Offer:
    """Look it up, for a server type of this name if one is wanted.

    AssertionError with a sentence when the account can order nothing that fits.
    """
    locations = client.locations.get_all()
    types = client.server_types.get_all()
    offers = sorted(
        (
            (monthly_eur(kind, place), kind, place)
            for kind in types
            for place in available_in(kind, locations)
        ),
        key=lambda offer: (offer[0], offer[1].id, offer[2].id),
    )
    for price, kind, place in offers:
        larger = [
            other
            for other_price, other, there in offers
            if there.id == place.id and other_price > price and fits_into(kind, other)
        ]
        if larger and wanted in ("", kind.name):
            others = [other for other in locations if other.id != place.id]
            others.sort(key=lambda other: other.network_zone != place.network_zone)
            image = _image(client, kind)
            return Offer(server_type=kind, larger=larger[0], location=place, elsewhere=others[0], image=image)
    what = f"server type {wanted}" if wanted else "any server type"
    raise AssertionError(f"{what} cannot be ordered at this moment, or there is no larger one beside it")


def available_in(kind: BoundServerType, locations: list[BoundLocation]) -> list[BoundLocation]:
    """Where a server type can be ordered now and is not on its way out."""
    names = {
        offer.location.name for offer in kind.locations or [] if offer.available and offer.deprecation is None
    }
    return [place for place in locations if place.name in names]


def monthly_eur(kind: BoundServerType, place: BoundLocation) -> float:
    """The net price of a server type in a location."""
    prices = [entry for entry in kind.prices or [] if entry["location"] == place.name]
    return float(prices[0]["price_monthly"]["net"])


def fits_into(small: BoundServerType, large: BoundServerType) -> bool:
    """Whether a server of the one type can become one of the other."""
    return small.architecture == large.architecture and (small.disk or 0) <= (large.disk or 0)


def _image(client: hcloud.Client, kind: BoundServerType) -> BoundImage:
    images = client.images.get_all(
        type=["system"], architecture=[str(kind.architecture)], sort=["created:desc"]
    )
    # Not asked of the API: the client sends its filter for the status with another argument's value.
    ready = [image for image in images if image.status == "available"]
    fitting = [image for image in ready if (image.disk_size or 0) <= (kind.disk or 0)]
    assert fitting, f"there is no system image for {kind.architecture}"
    return next((image for image in fitting if image.os_flavor == "debian"), fitting[0])
