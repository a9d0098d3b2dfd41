"""The program, built once, and machines that end with their test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from raya import tokens
from tests.boot.lab import k3s_stand_in
from tests.unit.k3s_stand_in.machine import SECRET, Machine


class Make(Protocol):
    def __call__(self, name: str, *, password: str = "", **config: Any) -> Machine: ...


@pytest.fixture(scope="session")
def program() -> Path:
    return k3s_stand_in.build()


@pytest.fixture
def make(program: Path, tmp_path: Path) -> Iterator[Make]:
    """Makes a machine; keywords are its config, with dashes for underscores."""
    made: list[Machine] = []

    def machine(name: str, *, password: str = "", **config: Any) -> Machine:
        settings = {key.replace("_", "-"): value for key, value in config.items()}
        made.append(Machine(program, tmp_path / name, settings, password=password))
        return made[-1]

    yield machine
    for machine_made in made:
        machine_made.close()


@pytest.fixture
def server(make: Make) -> Machine:
    """A machine for a server, which is not started."""
    return make(
        "control-plane",
        node_name="control-plane",
        node_ip="127.0.0.1",
        bind_address="127.0.0.1",
        token=SECRET,
    )


@pytest.fixture
def agent(server: Machine, make: Make) -> Machine:
    """A machine for an agent of the server, which is started; the agent is not."""
    server.serve()
    return make(
        "agent-1", node_name="agent-1", node_ip="127.0.0.2", server=server.url, token=full_token(server)
    )


def full_token(server: Machine, secret: str = SECRET) -> str:
    return tokens.agent_token((server.server / "tls/server-ca.crt").read_text(), secret)
