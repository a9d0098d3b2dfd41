"""All that the page shows, in the order of the page."""

from dataclasses import dataclass

from localcloud.cloud import Cloud
from localcloud.page import activity
from localcloud.page.bill import Amount, Bill, amount, bill
from localcloud.page.costs import Cost, monthly_costs
from localcloud.page.faults import faults
from localcloud.page.machines import Machine, Volume, machine, volume
from localcloud.page.networks import Firewall, Network, firewall, network
from localcloud.page.wording import Cut, cluster_of, cut
from localcloud.page.zones import Zone, zone
from localcloud.projects import DEFAULT_PROJECT, all_projects
from localcloud.store import Json

MACHINES_AT_ONCE = 12
VOLUMES_AT_ONCE = 6
KINDS = ("server", "network", "volume", "firewall", "primary_ip")


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What carries the same label `cluster` in one Hetzner project; `name` is None for what carries none."""

    id: str
    """Its place on the page."""
    name: str | None
    project: str
    """Empty for the default project."""
    machines: Cut[Machine]
    networks: tuple[Network, ...]
    volumes: Cut[Volume]
    firewalls: tuple[Firewall, ...]
    free_ips: tuple[str, ...]
    """Primary IPs that no machine has; they cost all the same."""
    cost: Amount


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The figures at the top."""

    machines: int
    machines_running: int
    cost: Amount
    actions_running: int
    actions: int
    requests: int
    requests_refused: int


@dataclass(frozen=True, kw_only=True)
class View:
    """The whole page."""

    summary: Summary
    faults: tuple[str, ...]
    clusters: tuple[Cluster, ...]
    zones: tuple[Zone, ...]
    bill: Bill
    actions: Cut[activity.Action]
    events: Cut[activity.Event]
    requests: Cut[activity.Request]


def view(cloud: Cloud) -> View:
    """The cloud as the page shows it, with the things of all its Hetzner projects."""
    projects = [cloud.of(name) for name in all_projects(cloud.base)]
    costs = bill([cost for project in projects for cost in monthly_costs(project)])
    return View(
        summary=_summary(cloud, projects, costs.total),
        faults=faults(cloud),
        clusters=tuple(cluster for project in projects for cluster in _clusters(project)),
        zones=tuple(zone(cloud, thing) for thing in cloud.base.all("zone")),
        bill=costs,
        actions=activity.actions(projects),
        events=activity.events(cloud),
        requests=activity.requests(cloud),
    )


def _summary(cloud: Cloud, projects: list[Cloud], cost: Amount) -> Summary:
    servers = [server for project in projects for server in project.store.all("server")]
    return Summary(
        machines=len(servers),
        machines_running=sum(server["status"] == "running" for server in servers),
        cost=cost,
        actions_running=activity.running(projects),
        actions=sum(project.store.count("action") for project in projects),
        requests=activity.logged(cloud, "requests"),
        requests_refused=activity.refused(cloud),
    )


def _clusters(cloud: Cloud) -> list[Cluster]:
    """Those of one project by name; what has none comes last."""
    names = {cluster_of(thing) for kind in KINDS for thing in _own(cloud, kind)}
    costs = monthly_costs(cloud)
    return [_cluster(cloud, name, costs) for name in sorted(names, key=lambda name: (name is None, name))]


def _own(cloud: Cloud, kind: str) -> list[Json]:
    """What belongs to a cluster by its own label. An address that a machine has belongs to that."""
    return [thing for thing in cloud.store.all(kind) if thing.get("assignee_id") is None]


def _cluster(cloud: Cloud, name: str | None, costs: list[Cost]) -> Cluster:
    def of(kind: str) -> list[Json]:
        return [thing for thing in _own(cloud, kind) if cluster_of(thing) == name]

    project = "" if cloud.project == DEFAULT_PROJECT else cloud.project
    return Cluster(
        # No label has a colon, so no two places have the same name.
        id=":".join(["cluster", name or "", *([project] if project else [])]),
        name=name,
        project=project,
        machines=cut([machine(cloud, thing) for thing in of("server")], MACHINES_AT_ONCE),
        networks=tuple(network(cloud, thing) for thing in of("network")),
        volumes=cut([volume(cloud, thing) for thing in of("volume")], VOLUMES_AT_ONCE),
        firewalls=tuple(firewall(cloud, thing) for thing in of("firewall")),
        free_ips=tuple(address["ip"] for address in of("primary_ip")),
        cost=amount([cost for cost in costs if cost.cluster == name]),
    )
