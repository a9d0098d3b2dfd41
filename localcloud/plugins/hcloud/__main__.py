"""Started by the engine: `python -m localcloud.plugins.hcloud <engine address>`."""

from __future__ import annotations

from ..servicer import main
from ..versions import sdk_version
from .provider import Hcloud

if __name__ == "__main__":
    main(Hcloud, "hcloud", sdk_version("hcloud"))
