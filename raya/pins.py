"""Which versions the cluster is made of: the image's pins as values, and the pinned charts.

The operating system and k3s are pinned in `image/*.pin`, which the image's build scripts read as well.
The charts that k3s deploys at its first start are pinned here and nowhere else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from raya.errors import RayaError
from raya.wording import one_line, shortened, show

_LINE = re.compile(r"(?P<key>[a-z][a-z0-9_]*)=(?P<value>\S+)")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FCOS_STREAMS = ("stable", "testing", "next")
_FCOS_VERSION = re.compile(r"\d+\.\d{8}\.\d+\.\d+", re.ASCII)
_K3S_VERSION = re.compile(r"v\d+\.\d+\.\d+(-rc\d+)?\+k3s\d+", re.ASCII)
# Hetzner's names of the architectures, against those of the artifacts.
_ARTIFACT_ARCHITECTURE = MappingProxyType({"x86": "x86_64", "arm": "aarch64"})


class PinError(RayaError):
    """A pin is missing or malformed; the message names file, key and what is allowed."""

    def __init__(self, sentence: str) -> None:
        super().__init__(one_line(sentence))


@dataclass(frozen=True, kw_only=True)
class FcosPin:
    """Fedora CoreOS: stream, version, and the checksum of the Hetzner artifact per architecture."""

    stream: str
    version: str
    sha256: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class K3sPin:
    """k3s: version as its release is tagged, and the checksum of the binary per architecture."""

    version: str
    sha256: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Pins:
    """Everything `image/*.pin` decides."""

    fcos: FcosPin
    k3s: K3sPin

    @classmethod
    def load(cls, image_dir: Path) -> "Pins":
        """Read `fcos.pin` and `k3s.pin`.

        Raises:
            PinError: a file or key is missing, or a value has the wrong form.
        """
        fcos_file, k3s_file = image_dir / "fcos.pin", image_dir / "k3s.pin"
        fcos = _read(fcos_file, known=("stream", "version"))
        k3s = _read(k3s_file, known=("version",))
        if fcos["stream"] not in _FCOS_STREAMS:
            raise PinError(
                f"{fcos_file}: stream is {show(fcos['stream'])}; Fedora CoreOS has "
                f"{', '.join(_FCOS_STREAMS)}."
            )
        _check(fcos_file, fcos["version"], _FCOS_VERSION, "44.20260720.3.1")
        _check(k3s_file, k3s["version"], _K3S_VERSION, "v1.36.3+k3s1")
        return cls(
            fcos=FcosPin(stream=fcos["stream"], version=fcos["version"], sha256=_checksums(fcos)),
            k3s=K3sPin(version=k3s["version"], sha256=_checksums(k3s)),
        )

    @property
    def snapshot_labels(self) -> dict[str, str]:
        """The labels of the snapshot made from these pins ("+" is not allowed in a label's value)."""
        return {
            "managed_by": "raya",
            "os": "fcos",
            "fcos_version": self.fcos.version,
            "k3s_version": self.k3s.version.replace("+", "-"),
        }

    @property
    def label_selector(self) -> str:
        """The same labels in the form of Hetzner's `label_selector`."""
        return ",".join(f"{key}={value}" for key, value in self.snapshot_labels.items())

    def require_architecture(self, architecture: str) -> None:
        """Check that both pins have a checksum for an architecture as Hetzner names it (x86, arm).

        Raises:
            PinError: says which file lacks it and what to do.
        """
        artifact = _ARTIFACT_ARCHITECTURE.get(architecture, architecture)
        for file, pin in (("image/fcos.pin", self.fcos), ("image/k3s.pin", self.k3s)):
            if artifact not in pin.sha256:
                raise PinError(
                    f"{file} has no checksum for {artifact}, so no image can be built for {architecture} "
                    f"servers. Verify that artifact of {pin.version} and add sha256_{artifact}=<checksum>."
                )


@dataclass(frozen=True, kw_only=True)
class ChartPin:
    """One Helm chart: repository URL, name there, version of the chart."""

    repo: str
    name: str
    version: str


# The repositories are those that each project's own instructions name.
CHARTS: Mapping[str, ChartPin] = MappingProxyType(
    {
        # Chart 1.22.0 is the one in the Go module sigs.k8s.io/external-dns v0.23.0 (charts/external-dns).
        "external-dns": ChartPin(
            repo="https://kubernetes-sigs.github.io/external-dns/", name="external-dns", version="1.22.0"
        ),
        # The chart carries the version of the release, as the Go module github.com/cert-manager/cert-manager.
        "cert-manager": ChartPin(repo="https://charts.jetstack.io", name="cert-manager", version="v1.21.2"),
        "hcloud-csi": ChartPin(repo="https://charts.hetzner.cloud", name="hcloud-csi", version="2.22.1"),
        "flux": ChartPin(
            repo="https://fluxcd-community.github.io/helm-charts", name="flux2", version="2.18.3"
        ),
    }
)
"""Component -> its chart. Traefik has none here: its chart comes with k3s."""


def _read(file: Path, *, known: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in enumerate(_text(file).splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.rstrip())
        if not match:
            raise PinError(f"{file}, line {number}: not of the form key=value without spaces.")
        key, value = match["key"], match["value"]
        if key not in known and not key.startswith("sha256_"):
            raise PinError(
                f"{file}, line {number}: unknown key {shortened(key)}; known are {', '.join(known)} and "
                "sha256_<arch>."
            )
        if key in values:
            raise PinError(f"{file}, line {number}: {shortened(key)} is given twice.")
        if key.startswith("sha256_") and not _SHA256.fullmatch(value):
            raise PinError(
                f"{file}, line {number}: {shortened(key)} must be 64 hexadecimal digits in lower case."
            )
        values[key] = value
    missing = [key for key in known if key not in values]
    if missing:
        raise PinError(f"{file} lacks {', '.join(missing)}.")
    return values


def _text(file: Path) -> str:
    try:
        content = file.read_bytes()
        return content.decode("utf-8")
    except OSError as error:
        raise PinError(f"{file} cannot be read: {error.strerror}. It decides which image is used.") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PinError(
            f"{file}, line {line}: not UTF-8 text (byte {error.start} of the file); a pin holds comments and "
            "key=value lines, so save it as UTF-8."
        ) from None


def _check(file: Path, version: str, form: re.Pattern[str], example: str) -> None:
    if not form.fullmatch(version):
        raise PinError(f"{file}: version is {show(version)}; it must have the form {example}.")


def _checksums(values: Mapping[str, str]) -> Mapping[str, str]:
    prefix = "sha256_"
    sums = {key[len(prefix) :]: value for key, value in values.items() if key.startswith(prefix)}
    return MappingProxyType(sums)
