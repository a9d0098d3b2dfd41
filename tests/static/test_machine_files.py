"""The files a machine gets: who may read them, and whether their readers will take them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from raya import manifests
from raya.machine_config import NodeSpec
from rendering.ignition import IgnitionEntry
from tests import machines
from tests.static.overlay import BOTH, SPECS

# What the reader of each folder takes; it passes over anything else without a word.
EXTENSIONS = {
    "/etc/NetworkManager/conf.d": ".conf",
    "/etc/NetworkManager/system-connections": ".nmconnection",
    "/etc/modules-load.d": ".conf",
    "/etc/rancher/k3s/config.yaml.d": ".yaml",
    "/etc/raya/manifests": ".yaml",
    "/etc/ssh/sshd_config.d": ".conf",
    "/etc/sysctl.d": ".conf",
    "/etc/systemd/journald.conf.d": ".conf",
    "/etc/systemd/system/*.d": ".conf",
    "/etc/tmpfiles.d": ".conf",
    "/etc/zincati/config.d": ".toml",
}
MANIFEST_SECRETS = ("gitops_token", "hcloud_csi_token", "external_dns_key", "cert_manager_key")


def files(spec: NodeSpec) -> list[IgnitionEntry]:
    return [entry for entry in machines.entries(spec).values() if entry.kind == "file"]


def full_control_plane() -> NodeSpec:
    """With every manifest that the project has, and the secrets in them."""
    rendered = manifests.render(machines.manifest_values(), project_root=machines.PROJECT_ROOT)
    return machines.control_plane(manifests=rendered)


def reader(path: str) -> str:
    """The folder of a file, as `EXTENSIONS` spells it."""
    folder = PurePosixPath(path).parent
    return str(folder.with_name("*.d")) if str(folder.parent) == "/etc/systemd/system" else str(folder)


@BOTH
def test_files_have_the_extension_that_their_reader_looks_for(role: str) -> None:
    seen = [entry.path for entry in files(SPECS[role]) if reader(entry.path) in EXTENSIONS]
    assert len(seen) >= 9
    for path in seen:
        assert PurePosixPath(path).suffix == EXTENSIONS[reader(path)], path


def test_no_folder_of_drop_ins_is_unknown_here() -> None:
    folders = {reader(entry.path) for spec in SPECS.values() for entry in files(spec)}
    assert {folder for folder in folders if folder.endswith(".d")} <= set(EXTENSIONS)
    assert set(EXTENSIONS) <= folders


def test_modes_are_of_an_allowed_set() -> None:
    for spec in (full_control_plane(), machines.agent()):
        found = machines.entries(spec).values()
        assert {entry.mode for entry in found if entry.kind == "file"} == {0o600, 0o644, 0o755}
        assert {entry.mode for entry in found if entry.kind == "directory"} == {0o700}
        programs = {entry.path for entry in files(spec) if entry.mode == 0o755}
        assert programs == {entry.path for entry in files(spec) if entry.path.startswith("/usr/local/bin/")}


def test_nobody_but_root_reads_what_holds_a_secret() -> None:
    for spec, least in ((full_control_plane(), 11), (machines.agent(), 2)):
        holding = [entry for entry in files(spec) if any(each in entry.contents for each in secrets(spec))]
        assert len(holding) >= least
        assert {entry.path: entry.mode for entry in holding if entry.mode != 0o600} == {}


def secrets(spec: NodeSpec) -> Iterator[bytes]:
    """Every secret of a machine, in each form in which a file may hold it."""
    plain = [spec.token, spec.token.rpartition(":")[2], spec.node_password]
    plain += spec.pki.files.values() if spec.pki else []
    values = machines.manifest_values()
    plain += [str(getattr(values, name)) for name in MANIFEST_SECRETS] if spec.manifests else []
    for text in plain:
        yield from forms(text)


def forms(secret: str) -> list[bytes]:
    """Plain, quoted, and as the data of a Kubernetes Secret."""
    plain = secret.strip()
    return [plain.encode(), json.dumps(plain)[1:-1].encode(), base64.b64encode(plain.encode())]


def test_the_full_control_plane_holds_each_secret_of_its_manifests() -> None:
    everything = b"".join(entry.contents for entry in files(full_control_plane()))
    values = machines.manifest_values()
    for name in MANIFEST_SECRETS:
        assert any(form in everything for form in forms(str(getattr(values, name)))), name


def test_f1_the_k3s_binary_is_relabelled_on_its_real_path() -> None:
    lines = (machines.OVERLAY / "common/etc/tmpfiles.d/k3s.conf").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["Z /var/usrlocal/bin - - - -"]


def test_templates_hold_no_unit_and_no_shell_and_quote_every_value() -> None:
    templates = sorted((machines.PROJECT_ROOT / "butane").glob("*.j2"))
    templates += sorted((machines.PROJECT_ROOT / "manifests").glob("*.j2"))
    assert len(templates) == 13
    expressions = 0
    for template in templates:
        text = template.read_text()
        assert not re.search(r"^\s*(\[Unit\]|\[Service\]|#!/)", text, re.MULTILINE), template
        for expression in re.findall(r"\{\{(.*?)\}\}", text, re.DOTALL):
            expressions += 1
            assert re.search(r"\| (tojson|keyfile|envvalue) $", expression), (template, expression)
    assert expressions > 60
