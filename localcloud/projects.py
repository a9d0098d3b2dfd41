"""Hetzner's projects: a token opens one, and what lies in another one does not exist for it."""

import hashlib

from localcloud.store import Json, Store

DEFAULT_PROJECT = "default"
# What is kept for each project by itself. Sequences are not: an id is given once in all projects.
SEPARATE = frozenset(
    (
        "server",
        "network",
        "volume",
        "firewall",
        "image",
        "primary_ip",
        "placement_group",
        "ssh_key",
        "action",
        "bucket",
    )
)


class ProjectStore:
    """A store in which the things of one project are the only ones of their kind."""

    def __init__(self, base: Store, project: str) -> None:
        self._base = base
        self._project = project
        self.next_number = base.next_number
        self.log = base.log
        self.commit = base.commit

    def _table(self, kind: str) -> str:
        return f"{self._project}/{kind}" if kind in SEPARATE else kind

    def all(self, kind: str) -> list[Json]:
        """Every object of a kind, oldest first."""
        return self._base.all(self._table(kind))

    def get(self, kind: str, key: object) -> Json | None:
        """The live object; see `Store.get`."""
        return self._base.get(self._table(kind), key)

    def put(self, kind: str, key: object, value: Json) -> Json:
        """Keep an object, new or changed."""
        return self._base.put(self._table(kind), key, value)

    def delete(self, kind: str, key: object) -> None:
        """Forget an object; a missing one is fine."""
        self._base.delete(self._table(kind), key)

    def keys(self, kind: str) -> list[str]:
        """The keys of a kind, oldest first."""
        return self._base.keys(self._table(kind))

    def count(self, kind: str) -> int:
        """How many objects of a kind there are."""
        return self._base.count(self._table(kind))


def all_projects(store: Store) -> list[str]:
    """The default project, and those that a token opens."""
    return list(dict.fromkeys([DEFAULT_PROJECT, *(token["project"] for token in store.all("token"))]))


def add_token(store: Store, token: str, project: str, *, read_only: bool) -> None:
    """Let a token open a project. Only its digest is kept."""
    store.put("token", _digest(token), {"project": project, "readOnly": read_only})


def token_for(store: Store, token: str) -> Json | None:
    """What a token opens: {project, readOnly}. While none is named, each one opens the default project."""
    if not store.count("token"):
        return {"project": DEFAULT_PROJECT, "readOnly": False}
    return store.get("token", _digest(token))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
