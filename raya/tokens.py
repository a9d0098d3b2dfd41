"""Values that k3s derives from, or checks against, the cluster's secrets. Pure."""

from __future__ import annotations

import hashlib
import hmac


def agent_token(server_ca_cert: str, secret: str) -> str:
    """The token an agent joins with, in k3s's full form ``K10<hash>::server:<secret>``.

    The hash is the SHA-256 of the literal bytes of the file that k3s serves at ``/cacerts``: the
    one-certificate PEM of the server CA, final newline included (k3s docs, "token"; k3s-io/k3s
    pkg/clientaccess).
    """
    digest = hashlib.sha256(server_ca_cert.encode()).hexdigest()
    return f"K10{digest}::server:{secret}"


def node_password(seed: str, node_name: str) -> str:
    """The password with which a node claims its name: 32 hex digits, the same for every machine of that name.

    k3s stores a hash of it at the first join and refuses the name to anybody else, so a rebuilt machine must
    know it.
    """
    return _derive(seed, f"node-password/{node_name}")[:32]


def digest_key(seed: str) -> bytes:
    """Key of the published digests: without one, a guessable secret could be found by its digest."""
    return bytes.fromhex(_derive(seed, "machine-config-digests"))


def _derive(seed: str, purpose: str) -> str:
    return hmac.new(seed.encode(), purpose.encode(), hashlib.sha256).hexdigest()
