"""The administrator's kubeconfig, minted here so that nobody has to fetch it from a machine. Pure."""

from __future__ import annotations

import base64

import yaml

API_PORT = 6443
# Through `ssh -L 6443:<control plane>:6443`: the API listens on the private address only, and its serving
# certificate is valid for 127.0.0.1 too.
TUNNEL_SERVER = f"https://127.0.0.1:{API_PORT}"


def render(cluster_name: str, *, server_ca_cert: str, client_cert: str, client_key: str) -> str:
    """A kubeconfig (YAML) for :data:`TUNNEL_SERVER` with the given PEM texts embedded; it is a secret."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": cluster_name,
                "cluster": {"server": TUNNEL_SERVER, "certificate-authority-data": _base64(server_ca_cert)},
            }
        ],
        "users": [
            {
                "name": f"{cluster_name}-admin",
                "user": {
                    "client-certificate-data": _base64(client_cert),
                    "client-key-data": _base64(client_key),
                },
            }
        ],
        "contexts": [
            {"name": cluster_name, "context": {"cluster": cluster_name, "user": f"{cluster_name}-admin"}}
        ],
        "current-context": cluster_name,
    }
    return yaml.safe_dump(config, sort_keys=False)


def _base64(pem: str) -> str:
    return base64.b64encode(pem.encode()).decode()
