"""A stack's Hetzner account for commands that run without the engine: a client, and what things cost."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from typing import Any

from hcloud import Client
from hcloud.servers import BoundServer

_TIMEOUT_S = 60.0
_PUBLIC_ENDPOINT = "https://api.hetzner.cloud/v1"
_CENT = Decimal("0.01")


@dataclass(frozen=True, kw_only=True)
class Price:
    """Per month, before and after VAT, in the currency of the account's price list; rounded to cents."""

    net: Decimal
    gross: Decimal
    currency: str

    def __add__(self, other: Price) -> Price:
        return Price(net=self.net + other.net, gross=self.gross + other.gross, currency=self.currency)

    def __str__(self) -> str:
        vat = "" if self.net == self.gross else f", {self.gross} with VAT"
        return f"{self.net} {self.currency} a month{vat}"


def total(prices: Iterable[Price]) -> Price:
    """Of at least one."""
    return reduce(operator.add, prices)


class PriceList:
    """What the account pays for things (GET /pricing). Of what has no price any more, it is zero."""

    def __init__(self, pricing: Mapping[str, Any]) -> None:
        self._pricing = pricing
        self.currency = str(pricing["currency"])

    @classmethod
    def of(cls, account: Client) -> PriceList:
        return cls(account.request("GET", "/pricing")["pricing"])

    def volume(self, size_gb: Decimal) -> Price:
        return self._price(self._pricing["volume"]["price_per_gb_month"], times=size_gb)

    def image(self, size_gb: Decimal) -> Price:
        return self._price(self._pricing["image"]["price_per_gb_month"], times=size_gb)

    def server(self, server: BoundServer) -> Price:
        """Of the machine alone. Its type has a price for each location."""
        prices = (server.server_type.prices or []) if server.server_type else []
        return self._monthly(prices, server.location.name if server.location else None)

    def address(self, type_: str | None, location: str | None) -> Price:
        """Of a primary IP, ``ipv4`` or ``ipv6``, used or not."""
        prices = [each["prices"] for each in self._pricing["primary_ips"] if each["type"] == type_]
        return self._monthly([row for rows in prices for row in rows], location)

    def machine(self, server: BoundServer) -> Price:
        """Of a server with its public IPv4 address, which is billed apart from it."""
        price = self.server(server)
        if server.public_net is None or server.public_net.ipv4 is None:
            return price
        return price + self.address("ipv4", server.location.name if server.location else None)

    def _monthly(self, prices: Sequence[Mapping[str, Any]], location: str | None) -> Price:
        there = [each["price_monthly"] for each in prices if each["location"] == location]
        return self._price(there[0] if there else {"net": "0", "gross": "0"})

    def _price(self, amounts: Mapping[str, str], *, times: Decimal = Decimal(1)) -> Price:
        net, gross = ((Decimal(amounts[name]) * times).quantize(_CENT) for name in ("net", "gross"))
        return Price(net=net, gross=gross, currency=self.currency)


def client(config: Mapping[str, str], *, token: str) -> Client:
    """For the project that ``config``, a stack's configuration by full key, talks to."""
    endpoint = config.get("hcloud:endpoint", os.environ.get("HCLOUD_ENDPOINT", _PUBLIC_ENDPOINT))
    return Client(token=token, api_endpoint=endpoint, application_name="raya", timeout=_TIMEOUT_S)
