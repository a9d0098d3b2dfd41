"""`python -m tests.conformance.sweep [--run ID] [--delete]`: what runs that were killed have left behind.

It looks into the clouds that the environment names, as the suite does, and lists what carries the suite's
mark. With --delete it removes that, and nothing else.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping

import hcloud

from tests.conformance import targets
from tests.conformance.google_things import marked_accounts, marked_zones, remove_marked_google
from tests.conformance.hetzner_removal import marked, remove_marked
from tests.conformance.run import LABEL, Run
from tests.conformance.targets import GoogleTarget, HetznerTarget, TargetError
from tests.discovery import Google


def main(arguments: list[str] | None = None, environment: Mapping[str, str] = os.environ) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.sweep", description=__doc__)
    parser.add_argument("--run", type=Run, help="one run only: the part of the names behind conf-")
    parser.add_argument("--delete", action="store_true", help="remove what is found")
    options = parser.parse_args(arguments)
    try:
        found = list(_found(environment, options.run, delete=options.delete))
    except TargetError as error:
        print(f"sweep: {error}", file=sys.stderr)
        return 1
    for line in found:
        print(("removed " if options.delete else "found ") + line)
    print(f"{len(found)} things" + ("" if options.delete or not found else "; --delete removes them"))
    return 0


def _found(environment: Mapping[str, str], run: Run | None, *, delete: bool) -> Iterator[str]:
    hetzner, google = targets.hetzner_named_by(environment), targets.google_named_by(environment)
    if hetzner is None and google is None:
        raise TargetError(f"set {targets.HCLOUD_ENDPOINT} or {targets.GOOGLE_PROJECT}: no cloud is named.")
    if hetzner is not None:
        yield from _at_hetzner(hetzner, run, delete=delete)
    if google is not None:
        yield from _at_google(google, run, delete=delete)


def _at_hetzner(target: HetznerTarget, run: Run | None, *, delete: bool) -> list[str]:
    client = hcloud.Client(target.token, target.endpoint, poll_interval=target.poll_s, timeout=60)
    selector = run.selector if run else LABEL
    if delete:
        return remove_marked(client, selector)
    return [f"{kind} {thing.name}" for kind, thing in marked(client, selector)]


def _at_google(target: GoogleTarget, run: Run | None, *, delete: bool) -> list[str]:
    with Google(target.endpoint, target.token) as google:
        if delete:
            return remove_marked_google(google, target, run)
        zones = [f"zone {zone['name']}" for zone in marked_zones(google, target, run)]
        accounts = marked_accounts(google, target, run)
        return zones + [f"service account {account['email']}" for account in accounts]


if __name__ == "__main__":
    sys.exit(main())
