"""Started by the engine: `python -m localcloud.plugins.tls <engine address>`."""

from __future__ import annotations

from ..servicer import main
from ..versions import sdk_version
from .provider import Tls

if __name__ == "__main__":
    main(Tls, "tls", sdk_version("tls"))
