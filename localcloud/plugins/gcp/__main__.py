"""Started by the engine: `python -m localcloud.plugins.gcp <engine address>`."""

from __future__ import annotations

from ..servicer import main
from ..versions import sdk_version
from .provider import Gcp

if __name__ == "__main__":
    main(Gcp, "gcp", sdk_version("gcp"))
