"""The bill: what all of it would cost in a month, as lines of the price list."""

from collections import defaultdict
from dataclasses import dataclass

from localcloud.page.costs import Cost, with_vat


@dataclass(frozen=True, kw_only=True)
class Amount:
    """EUR a month, without and with VAT."""

    net_eur: float
    gross_eur: float


@dataclass(frozen=True, kw_only=True)
class Line:
    """All things at one price of the list."""

    item: str
    quantity: float
    unit: str
    unit_eur: float
    amount: Amount


@dataclass(frozen=True)
class Bill:
    """The lines in the order of the things, and their sum."""

    lines: tuple[Line, ...]
    total: Amount


def amount(costs: list[Cost]) -> Amount:
    """What some things cost together."""
    net_eur = sum(cost.net_eur for cost in costs)
    return Amount(net_eur=net_eur, gross_eur=with_vat(net_eur))


def bill(costs: list[Cost]) -> Bill:
    """One line for each price of the list that counts."""
    alike: defaultdict[tuple[str, str, float], list[Cost]] = defaultdict(list)
    for cost in costs:
        alike[cost.item, cost.unit, cost.unit_eur].append(cost)
    lines = [
        Line(
            item=item,
            quantity=sum(cost.quantity for cost in group),
            unit=unit,
            unit_eur=unit_eur,
            amount=amount(group),
        )
        for (item, unit, unit_eur), group in alike.items()
    ]
    return Bill(tuple(lines), amount(costs))
