"""A cluster of lab machines: settings rendered by the program's own code, served as user data, powered on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from raya import machine_config, throwaway_keys
from raya.machine_config import NodeSpec
from raya.machine_specs import MachineSpecs, device_path
from raya.pins import Pins
from raya.settings import Settings
from raya.throwaway import ThrowawaySecrets
from tests.boot.lab.hardware import Volume
from tests.boot.lab.image import Image
from tests.boot.lab.machine import Machine
from tests.boot.lab.metadata import Metadata
from tests.boot.lab.network import Network
from tests.unit import example_stack

ROOT = Path(__file__).resolve().parents[3]
VOLUME_NUMBER = "4711"


class Cluster:
    """One set of secrets, and the machines that were made from it."""

    def __init__(self, lab: Lab, changes: Mapping[str, Any], authorized_key: str) -> None:
        self._lab = lab
        self._changes = changes
        self._keys = [authorized_key]
        self.pki = throwaway_keys.pki()
        self.volume_number = VOLUME_NUMBER
        self._secrets = ThrowawaySecrets(self.settings(), self.pki)

    def settings(self, **changes: Any) -> Settings:
        """The example stack's settings as the case has them; `changes` are keys of the section raya."""
        wanted = {**self._changes, **{f"raya:{key}": value for key, value in changes.items()}}
        return example_stack.load(wanted, root=ROOT)

    def specs(self, **changes: Any) -> dict[str, NodeSpec]:
        """Node name -> what the program would tell that machine."""
        settings = self.settings(**changes)
        maker = MachineSpecs(
            settings=settings, pins=Pins.load(ROOT / "image"), authorized_keys=self._keys, project_root=ROOT
        )
        control_plane = maker.control_plane(
            self._secrets.control_plane(), volume_device=device_path(self.volume_number)
        )
        agents = [maker.agent(agent, self._secrets.agent(agent)) for agent in settings.fleet.agents]
        return {spec.name: spec for spec in (control_plane, *agents)}

    def machine(self, spec: NodeSpec, *, volume: Volume | None = None, private: bool = True) -> Machine:
        """A server with this spec's user data, switched off."""
        user_data = machine_config.render(spec, project_root=ROOT).user_data
        return self._lab.machine(spec.name, user_data, volumes=[volume] if volume else [], private=private)

    def server(
        self, name: str, *, volume: Volume | None = None, private: bool = True, **changes: Any
    ) -> Machine:
        """The server called `name` in the settings, switched off."""
        return self.machine(self.specs(**changes)[name], volume=volume, private=private)

    def volume(self, *, size_mib: int = 64) -> Volume:
        """A blank state volume."""
        return Volume.blank(self._lab.folder, self.volume_number, size_mib=size_mib)


class Lab:
    """What one case has: a network, a metadata service, and its machines, all gone when the case is."""

    def __init__(self, folder: Path, image: Image, network: Network, metadata: Metadata) -> None:
        self.folder, self.image, self.network, self.metadata = folder, image, network, metadata
        self.machines: list[Machine] = []

    def machine(
        self, name: str, user_data: str, *, volumes: list[Volume] | None = None, private: bool = True
    ) -> Machine:
        """A new server: a fresh disk, ports in the network, its user data at the metadata service."""
        addresses = self.network.new_port()
        made = Machine(f"{name}-{addresses.port}", self.folder, self.image, addresses, private=private)
        made.volumes += volumes or []
        self.metadata.user_data[addresses.public_ip] = user_data
        self.machines.append(made)
        return made

    def close(self, *, failed: bool) -> None:
        for machine in self.machines:
            if failed:
                machine.save_journal()
            machine.cut_power()
