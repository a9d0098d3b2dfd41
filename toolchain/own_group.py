"""`python -m toolchain.own_group COMMAND...`: becomes the command, in a process group of its own.

The engine takes a second signal as "give up at once". A signal to a whole process group would reach it twice:
by itself, and passed on by local_stack.sh. On a terminal it stays in the group, or it could not draw there;
local_stack.sh leaves Ctrl-C to the terminal then.
"""

from __future__ import annotations

import os
import signal
import sys


def become(command: list[str]) -> None:
    """Replace this process by the command."""
    if not (os.isatty(0) and os.isatty(1)):
        os.setpgid(0, 0)
    # The shell ignores SIGINT for what it starts in the background, and that would be inherited.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execvp(command[0], command)


if __name__ == "__main__":
    become(sys.argv[1:])
