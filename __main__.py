"""raya: settings -> checks -> Cluster -> outputs."""

from pathlib import Path

import pulumi

from raya import preflight, stack
from raya.cluster import Cluster, ClusterArgs
from raya.settings import Settings

ROOT = Path(__file__).parent

with stack.sentences():
    config, secret_keys = stack.config()
    settings = Settings.load(config, secret_keys=secret_keys, root=ROOT)
    last_digests = stack.last_digests()
    checked = preflight.check(settings, ROOT, running=last_digests.keys())

cluster = Cluster("raya", ClusterArgs(settings=settings, preflight=checked, project_root=ROOT))
stack.announce_rebuilds(last_digests, cluster.nodes)
for warning in checked.warnings:
    pulumi.log.warn(warning)

for name, value in cluster.outputs.items():
    pulumi.export(name, value)
