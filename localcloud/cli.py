"""The commands of the local cloud: serve, start, stop, install-plugins, coverage."""

import argparse
import sys
from pathlib import Path

from localcloud import daemon
from localcloud.coverage import coverage_page
from localcloud.server import serve
from localcloud.store import StoreError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except (daemon.DaemonError, StoreError, OSError, ValueError) as error:
        print(f"localcloud: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m localcloud", description=__doc__)
    commands = parser.add_subparsers(required=True)

    one = commands.add_parser("serve", help="serve in the foreground until SIGTERM")
    _add_serving(one)
    one.set_defaults(run=lambda o: serve(port=o.port, state=o.state, seed=o.seed, pins=o.pins))

    one = commands.add_parser("start", help="serve in the background; fine when it already does")
    _add_serving(one)
    one.add_argument("--pid-file", type=Path, required=True)
    one.add_argument("--log", type=Path, required=True)
    one.set_defaults(
        run=lambda o: daemon.start(
            port=o.port, state=o.state, pid_file=o.pid_file, log=o.log, seed=o.seed, pins=o.pins
        )
    )

    one = commands.add_parser("stop", help="stop what `start` started; fine when nothing runs")
    one.add_argument("--pid-file", type=Path, required=True)
    one.add_argument("--port", type=int, help="accepted for symmetry with start")
    one.add_argument("--state", type=Path, help="accepted for symmetry with start")
    one.add_argument("--log", type=Path, help="accepted for symmetry with start")
    one.set_defaults(run=lambda o: daemon.stop(pid_file=o.pid_file))

    one = commands.add_parser("install-plugins", help="put the stand-in Pulumi plugins into a PULUMI_HOME")
    one.add_argument("--pulumi-home", type=Path, required=True)
    one.set_defaults(run=lambda o: _install_plugins(o.pulumi_home))

    one = commands.add_parser("coverage", help="write COVERAGE.md from the table of endpoints")
    one.add_argument("--output", type=Path, default=Path(__file__).with_name("COVERAGE.md"))
    one.set_defaults(run=lambda o: _write_coverage(o.output))
    return parser


def _add_serving(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, required=True, help="0 picks a free one")
    parser.add_argument("--state", type=Path, required=True, help="SQLite file; made when missing")
    parser.add_argument("--seed", type=Path, help="JSON file instead of the default seed")
    parser.add_argument("--pins", type=Path, help="folder with fcos.pin and k3s.pin: their snapshots exist")


def _install_plugins(pulumi_home: Path) -> int:
    # Imported here: the plugins bring Pulumi's SDK, which the server does not need.
    from localcloud.plugins.install import install

    for script in install(pulumi_home):
        print(script)
    return 0


def _write_coverage(output: Path) -> int:
    output.write_text(coverage_page())
    print(output)
    return 0
