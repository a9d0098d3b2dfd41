"""The price list."""

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.routing import Call, Reply, Routes

routes = Routes()


@routes.get("/pricing")
def get_pricing(cloud: Cloud, call: Call) -> Reply:
    """All prices, net and gross"""
    names = [row["name"] for row in catalog.LOCATIONS]
    ipv4_monthly = catalog.PRIMARY_IPV4_MONTHLY_EUR
    pricing = {
        "currency": "EUR",
        "vat_rate": f"{catalog.VAT_PERCENT:.6f}",
        "image": {"price_per_gb_month": catalog.price(catalog.IMAGE_EUR_PER_GB_MONTH)},
        "volume": {"price_per_gb_month": catalog.price(catalog.VOLUME_EUR_PER_GB_MONTH)},
        "server_backup": {"percentage": "20.0000000000"},
        # There are no floating IPs here, but Hetzner's Go client ends in a panic without their prices.
        "floating_ips": [
            {
                "type": kind,
                "prices": [{"location": name, "price_monthly": catalog.price(monthly)} for name in names],
            }
            for kind, monthly in catalog.FLOATING_IP_MONTHLY_EUR.items()
        ],
        "load_balancer_types": [],
        "primary_ips": [
            {
                "type": kind,
                "prices": [
                    {
                        "location": name,
                        "price_hourly": catalog.price(round(monthly / catalog.HOURS_PER_MONTH, 4)),
                        "price_monthly": catalog.price(monthly),
                    }
                    for name in names
                ],
            }
            for kind, monthly in (("ipv4", ipv4_monthly), ("ipv6", 0.0))
        ],
        "server_types": [
            {"id": row.id, "name": row.name, "prices": catalog.type_prices(row)}
            for row in catalog.SERVER_TYPES
        ],
    }
    return Reply(200, {"pricing": pricing})
