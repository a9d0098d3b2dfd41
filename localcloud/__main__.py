"""`python -m localcloud`: see `localcloud.cli`."""

import sys

from localcloud.cli import main

sys.exit(main())
