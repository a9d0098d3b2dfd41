"""What Hetzner offers: locations, server types and their prices.

Public figures of summer 2026, in EUR without VAT; approximate, good for showing what a cluster costs. A price
is the same in all locations of a row.
"""

from dataclasses import dataclass

from localcloud.store import Json

VAT_PERCENT = 19
EU = ("fsn1", "nbg1", "hel1")
US = ("ash", "hil")
SIN = ("sin",)

LOCATIONS: tuple[Json, ...] = tuple(
    {
        "id": number,
        "name": name,
        "description": f"{city} DC Park 1" if zone == "eu-central" else city,
        "country": country,
        "city": city,
        "latitude": latitude,
        "longitude": longitude,
        "network_zone": zone,
    }
    for number, name, city, country, latitude, longitude, zone in (
        (1, "fsn1", "Falkenstein", "DE", 50.47612, 12.370071, "eu-central"),
        (2, "nbg1", "Nuremberg", "DE", 49.452102, 11.076665, "eu-central"),
        (3, "hel1", "Helsinki", "FI", 60.169855, 24.938379, "eu-central"),
        (4, "ash", "Ashburn, VA", "US", 39.045821, -77.487073, "us-east"),
        (5, "hil", "Hillsboro, OR", "US", 45.54222, -122.951924, "us-west"),
        (6, "sin", "Singapore", "SG", 1.283333, 103.833333, "ap-southeast"),
    )
)


@dataclass(frozen=True)
class TypeRow:
    """One server type. `gone` lists the locations where it is deprecated and can no longer be ordered."""

    id: int
    name: str
    cores: int
    memory_gb: float
    disk_gb: int
    monthly_eur: float
    locations: tuple[str, ...]
    gone: tuple[str, ...] = ()

    @property
    def architecture(self) -> str:
        """`arm` for the Ampere line, else `x86`."""
        return "arm" if self.name.startswith("cax") else "x86"

    @property
    def dedicated(self) -> bool:
        """Whether its cores are nobody else's."""
        return self.name.startswith("ccx")

    @property
    def category(self) -> str:
        """The line's name in the console."""
        return {
            "cx": "cost_optimized",
            "cax": "cost_optimized",
            "cpx": "regular_purpose",
            "ccx": "general_purpose",
        }[self.name.rstrip("0123456789")]


SERVER_TYPES: tuple[TypeRow, ...] = (
    TypeRow(104, "cx22", 2, 4, 40, 3.79, EU, gone=EU),
    TypeRow(114, "cx23", 2, 4, 40, 3.49, EU),
    TypeRow(115, "cx33", 4, 8, 80, 5.49, EU),
    TypeRow(116, "cx43", 8, 16, 160, 9.49, EU),
    TypeRow(117, "cx53", 16, 32, 320, 17.49, EU),
    TypeRow(45, "cax11", 2, 4, 40, 3.79, EU),
    TypeRow(93, "cax21", 4, 8, 80, 6.49, EU),
    TypeRow(94, "cax31", 8, 16, 160, 12.49, EU),
    TypeRow(95, "cax41", 16, 32, 320, 24.49, EU),
    TypeRow(22, "cpx11", 2, 2, 40, 4.49, EU + US, gone=EU),
    TypeRow(23, "cpx21", 3, 4, 80, 8.49, EU + US, gone=EU),
    TypeRow(24, "cpx31", 4, 8, 160, 15.99, EU + US, gone=EU),
    TypeRow(109, "cpx22", 2, 4, 80, 6.49, EU + SIN),
    TypeRow(110, "cpx32", 4, 8, 160, 10.99, EU + SIN),
    TypeRow(111, "cpx42", 8, 16, 320, 19.99, EU + SIN),
    TypeRow(112, "cpx52", 12, 24, 480, 28.49, EU + SIN),
    TypeRow(96, "ccx13", 2, 8, 80, 12.49, EU + US + SIN),
    TypeRow(97, "ccx23", 4, 16, 160, 24.49, EU + US + SIN),
    TypeRow(98, "ccx33", 8, 32, 240, 48.49, EU + US + SIN),
)

VOLUME_EUR_PER_GB_MONTH = 0.044
IMAGE_EUR_PER_GB_MONTH = 0.011
PRIMARY_IPV4_MONTHLY_EUR = 0.5
FLOATING_IP_MONTHLY_EUR = {"ipv4": 3.0, "ipv6": 1.0}
HOURS_PER_MONTH = 624  # Hetzner's monthly cap is reached after this many hours


def location(name: object) -> Json | None:
    """A location by name or id."""
    if isinstance(name, bool):  # True is 1 to Python, and 1 is Falkenstein
        return None
    return next((row for row in LOCATIONS if name in (row["name"], row["id"], str(row["id"]))), None)


def server_type(key: object) -> TypeRow | None:
    """A server type by name or id."""
    return next((row for row in SERVER_TYPES if key in (row.name, row.id, str(row.id))), None)


def price(net_eur: float) -> Json:
    """`{"net", "gross"}` as the API writes them: decimal strings."""
    return {"net": f"{net_eur:.10f}", "gross": f"{net_eur * (100 + VAT_PERCENT) / 100:.16f}"}


def type_prices(row: TypeRow) -> list[Json]:
    """The prices of a server type, one entry per location."""
    return [
        {
            "location": name,
            "price_hourly": price(round(row.monthly_eur / HOURS_PER_MONTH, 4)),
            "price_monthly": price(row.monthly_eur),
            "included_traffic": (20 if name in EU else 1) * 1024**4,
            "price_per_tb_traffic": price(1.0),
        }
        for name in row.locations
    ]
