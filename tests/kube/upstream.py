"""What other projects publish and the lab validates against. This project carries none of it.

Single files are taken from the folder `shared` beside the checkout, or else fetched once; charts that are in
Go modules come from there. Either way the bytes are those of a pinned release: a checksum says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.commands import LabError
from toolchain import cache

ROOT = Path(__file__).resolve().parents[2]
BESIDE = ROOT.parent / "shared"
FETCHED = ROOT / "build" / "upstream"
_GITHUB = "https://raw.githubusercontent.com"
_HELM_CONTROLLER = f"{_GITHUB}/k3s-io/helm-controller/v0.16.27/pkg/crds/yaml/generated"
_CSI_DRIVER = f"{_GITHUB}/hetznercloud/csi-driver/v2.22.1/chart"
_TRAEFIK = f"{_GITHUB}/traefik/traefik-helm-chart"


@dataclass(frozen=True, kw_only=True)
class UpstreamFile:
    """`name` is its path in the folder beside the checkout."""

    name: str
    url: str
    sha256: str

    def path(self, *, beside: Path = BESIDE, fetched: Path = FETCHED) -> Path:
        """The file, checked; LabError with one sentence when it cannot be had or is another one."""
        file = beside / self.name
        if not file.exists():
            file = fetched / self.sha256 / Path(self.name).name
            if not file.exists():
                self._fetch(file)
        found = hashlib.sha256(file.read_bytes()).hexdigest()
        if found != self.sha256:
            raise LabError(f"{file} is not the file that is pinned: its sha256 is {found}, not {self.sha256}")
        return file

    def _fetch(self, file: Path) -> None:
        try:
            answer = httpx.get(self.url, timeout=60, follow_redirects=True).raise_for_status()
        except httpx.HTTPError as error:
            raise LabError(
                f"there is no {self.name} in {BESIDE}, and {self.url} cannot be had: {error}"
            ) from None
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(f".{file.name}.{os.getpid()}")
        partial.write_bytes(answer.content)
        partial.replace(file)


# The CRDs of the kinds that the manifests use.
CRDS = (
    UpstreamFile(
        name="crds/helm.cattle.io_helmcharts.yaml",
        url=f"{_HELM_CONTROLLER}/helm.cattle.io_helmcharts.yaml",
        sha256="7027751a0e57272a24efe0cda3c9f4579d38bd3a9f1f79b97437ae16e849d62b",
    ),
    UpstreamFile(
        name="crds/helm.cattle.io_helmchartconfigs.yaml",
        url=f"{_HELM_CONTROLLER}/helm.cattle.io_helmchartconfigs.yaml",
        sha256="1dbc3601e166895d8c1c9a5b38ab3ce42f971eaf7bac12bf31402ce3e2f9ff78",
    ),
    UpstreamFile(
        name="crds/source.toolkit.fluxcd.io_gitrepositories.yaml",
        url=f"{_GITHUB}/fluxcd/source-controller/v1.9.5/config/crd/bases/source.toolkit.fluxcd.io_gitrepositories.yaml",
        sha256="bd0c08183287b2eea0d885751fc686bc4b2b583e919de6bd57859170b8d1727f",
    ),
    UpstreamFile(
        name="crds/kustomize.toolkit.fluxcd.io_kustomizations.yaml",
        url=f"{_GITHUB}/fluxcd/kustomize-controller/v1.9.5/config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml",
        sha256="da23ca0e6b4c80d3d26a91583137491e147ef4ef1e2208aece0d0af4ef851974",
    ),
)
# k3s 1.36 brings a chart of the lines 39 to 41; values must fit the first and the last of them.
TRAEFIK_SCHEMAS = (
    UpstreamFile(
        name="charts/traefik-39.0.9.values.schema.json",
        url=f"{_TRAEFIK}/v39.0.9/traefik/values.schema.json",
        sha256="f04dcb25f1c3c903634bf012ea1a95af00efa6dd285880220c3e4fc45efc61e9",
    ),
    UpstreamFile(
        name="charts/traefik-41.3.0.values.schema.json",
        url=f"{_TRAEFIK}/v41.3.0/traefik/values.schema.json",
        sha256="45362283794fc3f31ada70c3943c5e5f387dac2c3bb733339c168b8ac1d94174",
    ),
)
CSI_SCHEMA = UpstreamFile(
    name="charts/hcloud-csi-2.22.1.values.schema.json",
    url=f"{_CSI_DRIVER}/values.schema.json",
    sha256="30e1605f85a0f76455acd98e1a9eaeb488fe55fc88788cf9596a9f411f499d45",
)
CSI_VALUES = UpstreamFile(
    name="charts/hcloud-csi-2.22.1.values.yaml",
    url=f"{_CSI_DRIVER}/values.yaml",
    sha256="aeb90b8783027bf349e951fa5767aa4bdbf744ea007edbb0cd3352c3b1b77e3e",
)
FLUX_VALUES = UpstreamFile(
    name="charts/flux2-2.18.3.values.yaml",
    url=f"{_GITHUB}/fluxcd-community/helm-charts/flux2-2.18.3/charts/flux2/values.yaml",
    sha256="ddac3d471d8c94180d50327aeca3c6a5f25b7fc119b985bf1d0a572f46fbcfa1",
)


@dataclass(frozen=True, kw_only=True)
class UpstreamModule:
    """A Go module of which a folder is read. `sum` is its checksum in the form that go.sum has."""

    name: str
    version: str
    sum: str
    part: str

    def folder(self, fetched: Path = FETCHED) -> Path:
        """The part, unpacked; the module is fetched when it is not there. LabError when it cannot be had."""
        where = fetched / f"{self.name}@{self.version}/{self.part}".replace("/", "-")
        return cache.kept(where, self._unpack, lambda: None) / self.part

    def _unpack(self, target: Path) -> None:
        prefix = f"{self.name}@{self.version}/"
        with zipfile.ZipFile(self._zip()) as archive:
            for member in archive.namelist():
                if member.startswith(f"{prefix}{self.part}/"):
                    file = target / member.removeprefix(prefix)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(archive.read(member))

    def _zip(self) -> Path:
        go = shutil.which("go", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/go/bin"]))
        if go is None:
            raise LabError(f"{self.name} is fetched with Go, which is not on PATH: see https://go.dev/dl/")
        done = subprocess.run(
            [go, "mod", "download", "-json", f"{self.name}@{self.version}"],
            # Outside of any module: nothing is compiled. An older Go than the module asks for ends with a
            # failure and leaves the archive packed, but has checked it all the same.
            cwd=os.sep,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        answer = json.loads(done.stdout or "{}")
        if not {"Zip", "Sum"} <= answer.keys():
            why = answer.get("Error") or done.stderr.strip()
            raise LabError(f"the Go module {self.name} {self.version} cannot be had: {why}")
        if answer["Sum"] != self.sum:
            raise LabError(
                f"the Go module {self.name} {self.version} is another one: its sum is {answer['Sum']}"
            )
        return Path(answer["Zip"])


CERT_MANAGER = UpstreamModule(
    name="github.com/cert-manager/cert-manager",
    version="v1.21.2",
    sum="h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68=",
    part="deploy",
)
EXTERNAL_DNS = UpstreamModule(
    name="sigs.k8s.io/external-dns",
    version="v0.23.0",
    sum="h1:35KyAZtLN8o5nIE0aPKfyhILbf5HHkKPJby/4FowPJM=",
    part="charts/external-dns",
)


def external_dns_chart() -> Path:
    """The chart's sources."""
    return EXTERNAL_DNS.folder()


def cert_manager_chart() -> Path:
    """The chart's sources, which carry no version of their own."""
    return CERT_MANAGER.folder() / "charts" / "cert-manager"


def crds() -> list[Path]:
    """The CRDs of all that the manifests use and Kubernetes does not bring."""
    return [*(file.path() for file in CRDS), *cert_manager_crds()]


def cert_manager_crds() -> list[Path]:
    """The CRDs of the pinned cert-manager."""
    found = sorted((CERT_MANAGER.folder() / "crds").glob("*.yaml"))
    assert len(found) >= 6
    return found
