"""`make render`: what would each node get? No engine, no network, throw-away secrets.

python -m raya.render --stack NAME [--out build/nodes]
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from raya import stack_file, throwaway_keys
from raya.errors import SENTENCES
from raya.machine_specs import MachineSpecs
from raya.pins import Pins
from raya.rehearsal import every_machine
from raya.settings import Settings
from raya.throwaway import ThrowawaySecrets

PROJECT_ROOT = Path(__file__).parent.parent


def write_nodes(stack: str, out: Path) -> list[str]:
    """Writes ``<out>/<node>/{butane.yaml,ignition.json,user_data}`` for every node of ``stack``; returns the
    names.

    The folder is made anew with mode 0700.
    """
    config, secret_keys = stack_file.load(PROJECT_ROOT, stack)
    settings = Settings.load(config, secret_keys=secret_keys, root=PROJECT_ROOT)
    specs = MachineSpecs(
        settings=settings,
        pins=Pins.load(PROJECT_ROOT / "image"),
        authorized_keys=[throwaway_keys.authorized_key() for _ in settings.authorized_users],
        project_root=PROJECT_ROOT,
    )
    rendered = list(every_machine(specs, ThrowawaySecrets(settings, throwaway_keys.pki())))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(mode=0o700, parents=True)
    for spec, config_ in rendered:
        folder = out / spec.name
        folder.mkdir(mode=0o700)
        (folder / "butane.yaml").write_text(config_.butane)
        (folder / "ignition.json").write_text(config_.ignition)
        (folder / "user_data").write_text(config_.user_data)
    return [spec.name for spec, _ in rendered]


def main() -> None:
    parser = argparse.ArgumentParser(description="Render every node of a stack with throw-away secrets.")
    parser.add_argument("--stack", required=True)
    parser.add_argument("--out", type=Path, default=PROJECT_ROOT / "build" / "nodes")
    arguments = parser.parse_args()
    try:
        nodes = write_nodes(arguments.stack, arguments.out)
    except SENTENCES as error:
        sys.exit(f"raya: {error}")
    print(f"{len(nodes)} nodes rendered with throw-away secrets to {arguments.out}: {', '.join(nodes)}")


if __name__ == "__main__":
    main()
