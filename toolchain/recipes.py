"""What this project builds with Go, and how. The versions stand in each folder's go.mod, nowhere else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


class ToolchainError(Exception):
    """Something a person must change before the tools can be made: one sentence that says what and how."""


@dataclass(frozen=True, kw_only=True)
class Binary:
    """One Go program: `package` (relative to `module`) built in the tool module toolchain/`folder`."""

    name: str
    folder: str
    module: str
    package: str
    version_variable: str = ""
    """Full name of the Go variable that the linker sets to the version; empty: the program needs none."""


@dataclass(frozen=True, kw_only=True)
class ModuleFile:
    """A file of the module `module` (as pinned in toolchain/`folder`) that must lie beside the binaries."""

    folder: str
    module: str
    path: str


@dataclass(frozen=True, kw_only=True)
class Header:
    """A C header that a build includes, as in "blkid/blkid.h", and the Debian package that brings it."""

    file: str
    package: str


@dataclass(frozen=True, kw_only=True)
class Tool:
    """What is built, cached and linked together; the first binary gives the tool its name and its version."""

    binaries: tuple[Binary, ...]
    files: tuple[ModuleFile, ...] = ()
    headers: tuple[Header, ...] = ()
    linker_variables: tuple[str, ...] = ()
    """`variable=value` that the linker sets besides the version. Such a tool is never taken from PATH:
    nothing tells how another build of it was made."""
    version_arguments: tuple[str, ...] = ("--version",)
    exact: bool = False
    """Only the pinned release will do: such a tool is never taken from PATH either."""
    on_demand: bool = False
    """Made only when it is named (`make setup TOOLS=...`): for labs that not everybody runs."""
    first_build: str
    """How long the build takes with a cold Go build cache on two cores, for the progress line."""

    @property
    def name(self) -> str:
        return self.binaries[0].name

    @property
    def version(self) -> str:
        """The pinned version without its "v", as in "3.274.1"."""
        return module_version(self.binaries[0].folder, self.binaries[0].module)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders below toolchain/ that decide what is built, each once."""
        folders = [binary.folder for binary in self.binaries] + [file.folder for file in self.files]
        return tuple(dict.fromkeys(folders))


PULUMI = "github.com/pulumi/pulumi"
BUTANE = "github.com/coreos/butane"
IGNITION = "github.com/coreos/ignition/v2"
KUBERNETES = "k8s.io/kubernetes"
KUBERNETES_VERSION = "k8s.io/component-base/version.gitVersion"
HELM = "helm.sh/helm/v3"

TOOLS: tuple[Tool, ...] = (
    Tool(
        binaries=(
            Binary(
                name="pulumi",
                folder="pulumi",
                module=f"{PULUMI}/pkg/v3",
                package="cmd/pulumi",
                version_variable=f"{PULUMI}/sdk/v3/go/common/version.Version",
            ),
            # The engine wants its language host beside itself: found elsewhere on PATH it warns at every run.
            # Later releases moved the host to a module of its own that no module proxy serves.
            Binary(
                name="pulumi-language-python",
                folder="pulumi-language-python",
                module=f"{PULUMI}/sdk/v3",
                package="python/cmd/pulumi-language-python",
                version_variable=f"{PULUMI}/sdk/v3/go/common/version.Version",
            ),
        ),
        # The script that runs a program belongs to the engine's release, not to the old host's.
        files=(
            ModuleFile(
                folder="pulumi", module=f"{PULUMI}/sdk/v3", path="python/cmd/pulumi-language-python-exec"
            ),
        ),
        version_arguments=("version",),
        first_build="about 4 minutes",
    ),
    Tool(
        binaries=(
            Binary(
                name="butane",
                folder="butane",
                module=BUTANE,
                package="internal",
                version_variable=f"{BUTANE}/internal/version.Raw",
            ),
        ),
        first_build="about 10 seconds",
    ),
    # Says what the machines' own reader of a config thinks of it; the fast suite asks it.
    Tool(
        binaries=(
            Binary(
                name="ignition-validate",
                folder="ignition",
                module=IGNITION,
                package="validate",
                version_variable=f"{IGNITION}/internal/version.Raw",
            ),
        ),
        first_build="about 15 seconds",
    ),
    # What turns a config into files at a machine's first start; the boot lab runs it.
    Tool(
        binaries=(
            Binary(
                name="ignition",
                folder="ignition",
                module=IGNITION,
                package="internal",
                version_variable=f"{IGNITION}/internal/version.Raw",
            ),
        ),
        headers=(Header(file="blkid/blkid.h", package="libblkid-dev"),),
        # The lab's disks are made without an SELinux policy to take labels from.
        linker_variables=(f"{IGNITION}/internal/distro.selinuxRelabel=false",),
        on_demand=True,
        first_build="about 30 seconds",
    ),
    # What the manifests are applied to, in the release that k3s is made of; the kube lab runs them.
    Tool(
        binaries=(
            Binary(
                name="kube-apiserver",
                folder="kubernetes",
                module=KUBERNETES,
                package="cmd/kube-apiserver",
                version_variable=KUBERNETES_VERSION,
            ),
            Binary(
                name="kubectl",
                folder="kubernetes",
                module=KUBERNETES,
                package="cmd/kubectl",
                version_variable=KUBERNETES_VERSION,
            ),
        ),
        exact=True,
        on_demand=True,
        first_build="about 6 minutes",
    ),
    # Renders charts as k3s' own controller would; the kube lab looks at the result.
    Tool(
        binaries=(
            Binary(
                name="helm",
                folder="helm",
                module=HELM,
                package="cmd/helm",
                version_variable=f"{HELM}/internal/version.version",
            ),
        ),
        version_arguments=("version", "--short"),
        on_demand=True,
        first_build="about 2 minutes",
    ),
)


def module_version(folder: str, module: str) -> str:
    """The version of `module` in toolchain/`folder`/go.mod, without its "v"; ToolchainError without one."""
    text = (FOLDER / folder / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require\s+)?{re.escape(module)} v(\S+)", text, re.MULTILINE)
    if found is None:
        raise ToolchainError(
            f"toolchain/{folder}/go.mod does not require {module}: run `go get -tool` there."
        )
    return found.group(1)


def go_directive(folder: str) -> str:
    """The oldest Go release that can build toolchain/`folder`, as in "1.26.6"."""
    found = re.search(r"^go (\S+)", (FOLDER / folder / "go.mod").read_text(), re.MULTILINE)
    if found is None:
        raise ToolchainError(
            f"toolchain/{folder}/go.mod has no go line: add the release it needs, as in `go 1.26.6`."
        )
    return found.group(1)


def version_tuple(text: str) -> tuple[int, ...] | None:
    """The first version number in `text` ("v3.274.1-dev" -> (3, 274, 1)); None when there is none."""
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(int(part) for part in found.group().split(".")) if found else None
