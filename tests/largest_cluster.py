"""The cluster that asks the most of a machine's user data: everything on, every name at its longest.

Names are noise, which no compression makes shorter.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Sequence

from raya import throwaway_keys
from raya.machine_specs import MachineSpecs
from raya.pins import Pins
from raya.rehearsal import every_machine
from raya.settings import Settings
from raya.throwaway import ThrowawaySecrets
from tests import machines
from tests.unit import example_stack

# What is left for a record below the managed zone: raya refuses a longer zone.
_ZONE_LENGTH = 253 - len("_acme-challenge.cp.")


def user_data_bytes(authorized_keys: Sequence[str]) -> int:
    """How much of it the control plane is told, in bytes."""
    specs = MachineSpecs(
        settings=settings(),
        pins=Pins.load(machines.PROJECT_ROOT / "image"),
        authorized_keys=authorized_keys,
        project_root=machines.PROJECT_ROOT,
    )
    _, config = next(every_machine(specs, ThrowawaySecrets(specs.settings, throwaway_keys.pki())))
    return len(config.user_data.encode())


def settings() -> Settings:
    """Accepted, so none of its names is longer than allowed."""
    subdomain, parent = _noise(32), _domain(_ZONE_LENGTH - 33)
    return example_stack.load(
        {
            "raya:clusterName": _noise(64 - len("-state")),
            "gcp:project": _noise(30),
            "raya:dnsParentZone": parent,
            "raya:clusterManagedSubdomain": subdomain,
            "raya:dnsZones": [f"{subdomain}.{parent}", _domain(_ZONE_LENGTH)],
            "raya:acme": {"email": f"{_noise(64)}@{_domain(100)}"},
            "raya:gitops": {
                "url": f"https://git.example.org/{_noise(39)}/{_noise(100)}.git",
                "branch": _noise(100),
                "path": f"./{_noise(100)}",
                "token": _noise(93),
            },
            "raya:fleet": [{}],
        },
        secret_keys=example_stack.SECRET_KEYS | {"raya:gitops"},
    )


def ed25519_keys(count: int) -> tuple[str, ...]:
    """Public keys of the kind that `ssh-keygen` makes when it is not told otherwise."""
    return tuple(throwaway_keys.authorized_key() for _ in range(count))


def rsa_keys(count: int) -> tuple[str, ...]:
    """Public keys of 4096 bits, as long and as incompressible as real ones."""
    source = random.Random(count)
    blobs = (b"\0\0\0\7ssh-rsa\0\0\0\3\1\0\1\0\0\2\1\0" + source.randbytes(512) for _ in range(count))
    return tuple(f"ssh-rsa {base64.b64encode(blob).decode()}" for blob in blobs)


def _noise(length: int) -> str:
    source = random.Random(length)
    return "x" + "".join(source.choices(string.ascii_lowercase + string.digits, k=length - 1))


def _domain(length: int) -> str:
    """Labels of up to 60 characters, ending in one that a registry could have."""
    labels = []
    left = length - len(".example")
    while left > 0:
        labels.append(_noise(min(left, 60)))
        left -= len(labels[-1]) + 1
    return ".".join([*labels, "example"])
