"""The pins: what they say, what they refuse, and the labels made from them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from raya.pins import CHARTS, PinError, Pins
from tests import machines

SUM = "a" * 64
FCOS = f"# comment\nstream=stable\nversion=44.20260720.3.1\n\nsha256_x86_64={SUM}\n"
K3S = f"version=v1.36.3+k3s1\nsha256_x86_64={SUM}\n"


def load(folder: Path, fcos: str = FCOS, k3s: str = K3S) -> Pins:
    (folder / "fcos.pin").write_text(fcos)
    (folder / "k3s.pin").write_text(k3s)
    return Pins.load(folder)


def test_the_projects_own_pins_load_and_can_build_x86() -> None:
    pins = Pins.load(machines.PROJECT_ROOT / "image")
    pins.require_architecture("x86")
    assert pins.fcos.stream == "stable"


def test_k3_the_pinned_k3s_has_the_fix_for_tokens_that_only_a_file_carries() -> None:
    # k3s-io/k3s#12388, fixed in the releases of mid-2025.
    version = Pins.load(machines.PROJECT_ROOT / "image").k3s.version
    assert tuple(int(part) for part in re.findall(r"\d+", version)[:3]) >= (1, 33, 2)


def test_values_and_labels(tmp_path: Path) -> None:
    pins = load(tmp_path)
    assert (pins.fcos.stream, pins.fcos.version) == ("stable", "44.20260720.3.1")
    assert pins.k3s.version == "v1.36.3+k3s1"
    assert dict(pins.fcos.sha256) == {"x86_64": SUM}
    assert pins.label_selector == (
        "managed_by=raya,os=fcos,fcos_version=44.20260720.3.1,k3s_version=v1.36.3-k3s1"
    )
    for value in pins.snapshot_labels.values():
        # Hetzner's rule for the value of a label.
        assert re.fullmatch(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", value)


def test_an_architecture_without_a_checksum_says_how_to_pin_it(tmp_path: Path) -> None:
    load(tmp_path).require_architecture("x86")
    with pytest.raises(PinError, match=r"image/fcos\.pin has no checksum for aarch64.*add sha256_aarch64="):
        load(tmp_path).require_architecture("arm")


@pytest.mark.parametrize(
    ("fcos", "reason"),
    [
        (FCOS.replace("stable", "rawhide"), 'stream is "rawhide"; Fedora CoreOS has stable, testing, next'),
        (FCOS.replace("44.20260720.3.1", "44"), "must have the form 44.20260720.3.1"),
        (FCOS.replace("version=44.20260720.3.1\n", ""), "lacks version"),
        (FCOS + "version=44.20260720.3.1\n", "line 6: version is given twice"),
        (FCOS + "sha256_aarch64=abc\n", "line 6: sha256_aarch64 must be 64 hexadecimal digits"),
        (FCOS + "sha256_aarch64 = abc\n", "line 6: not of the form key=value"),
        (FCOS.replace("44.2026", "\u0664\u0664.2026"), "must have the form 44.20260720.3.1"),
        (FCOS + "x" * 100_000 + "=1\n", r"line 6: unknown key x{80}… \(100000 characters\)"),
        (FCOS + "arch=x86\n", "line 6: unknown key arch"),
    ],
)
def test_a_malformed_pin_is_refused_with_file_and_line(tmp_path: Path, fcos: str, reason: str) -> None:
    with pytest.raises(PinError, match=reason) as caught:
        load(tmp_path, fcos)
    assert "fcos.pin" in str(caught.value)


def test_a_k3s_version_without_its_build_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PinError, match=r'k3s\.pin: version is "v1\.36\.3"'):
        load(tmp_path, k3s=K3S.replace("+k3s1", ""))


@pytest.mark.parametrize("name", ["fcos.pin", "k3s.pin"])
def test_a_pin_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    load(tmp_path)
    (tmp_path / name).write_bytes(b"# built on a Caf\xc3\xa9\n# Caf\xe9\n")
    with pytest.raises(PinError, match=rf"{re.escape(name)}, line 2: not UTF-8 text .* save it as UTF-8"):
        Pins.load(tmp_path)


def test_a_missing_pin_is_named(tmp_path: Path) -> None:
    with pytest.raises(PinError, match=r"fcos\.pin cannot be read"):
        Pins.load(tmp_path)


def test_every_chart_is_pinned_to_one_version() -> None:
    assert set(CHARTS) == {"external-dns", "cert-manager", "hcloud-csi", "flux"}
    for chart in CHARTS.values():
        assert chart.repo.startswith("https://")
        assert re.fullmatch(r"v?\d+\.\d+\.\d+", chart.version)
