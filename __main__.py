"""raya: settings -> checks -> Cluster -> outputs."""

import os
from pathlib import Path

import pulumi

from raya import preflight, stack
from raya.cluster import Cluster, ClusterArgs
from raya.settings import Settings

ROOT = Path(__file__).parent

with stack.sentences():
    config, secret_keys = stack.config()
    stack.refuse_local_shell(config, os.environ)
    settings = Settings.load(config, secret_keys=secret_keys, root=ROOT)
    last_update = stack.last_update()
    own = stack.ownership(last_update)
    checked = preflight.check(settings, ROOT, config=config, last=last_update, own=own)
stack.warn(checked.warnings)

cluster = Cluster(
    "raya",
    ClusterArgs(settings=settings, preflight=checked, project_root=ROOT, last_update=last_update),
)
stack.announce_rebuilds(last_update, cluster.nodes, checked.irreplaceable)

for name, value in cluster.outputs.items():
    pulumi.export(name, value)
