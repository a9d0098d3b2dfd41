"""A stack's Hetzner account for commands that run without the engine: a client, and what things cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from hcloud import Client
from hcloud.servers import BoundServer

_TIMEOUT_S = 60.0
_PUBLIC_ENDPOINT = "https://api.hetzner.cloud/v1"
_CENT = Decimal("0.01")


@dataclass(frozen=True, kw_only=True)
class Price:
    """Per month, before and after VAT, in the currency of the account's price list."""

    net: Decimal
    gross: Decimal

    @classmethod
    def of_gb(cls, pricing: Mapping[str, Mapping[str, Mapping[str, str]]], kind: str) -> Price:
        """Of one GB of a ``volume`` or an ``image``; ``pricing`` is the price list."""
        per_gb = pricing[kind]["price_per_gb_month"]
        return cls(net=Decimal(per_gb["net"]), gross=Decimal(per_gb["gross"]))

    @classmethod
    def of_server(cls, server: BoundServer) -> Price:
        """Zero when its type has no price at its location any more."""
        for price in (server.server_type.prices or []) if server.server_type else []:
            if server.location and price["location"] == server.location.name:
                monthly = price["price_monthly"]
                return cls(net=Decimal(monthly["net"]), gross=Decimal(monthly["gross"])).times(Decimal(1))
        return cls(net=Decimal(0), gross=Decimal(0))

    def times(self, amount: Decimal) -> Price:
        """Rounded to cents."""
        return Price(net=(amount * self.net).quantize(_CENT), gross=(amount * self.gross).quantize(_CENT))


def client(config: Mapping[str, str], *, token: str) -> Client:
    """For the project that ``config``, a stack's configuration by full key, talks to."""
    endpoint = config.get("hcloud:endpoint", os.environ.get("HCLOUD_ENDPOINT", _PUBLIC_ENDPOINT))
    return Client(token=token, api_endpoint=endpoint, application_name="raya", timeout=_TIMEOUT_S)


def pricing(account: Client) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """The price list (GET /pricing)."""
    prices: Mapping[str, Mapping[str, Mapping[str, str]]] = account.request("GET", "/pricing")["pricing"]
    return prices
