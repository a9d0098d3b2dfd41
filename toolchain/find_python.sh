#!/usr/bin/env bash
# Prints the path of a Python that can run this project (3.11 or newer), never one of a virtual environment.
# RAYA_PYTHON names one by hand. Called by the Makefile before .venv exists.
set -euo pipefail

# The base interpreter: a .venv that is on PATH must not be what makes the next .venv.
question='
import sys
if sys.version_info < (3, 11):
    sys.exit(1)
print(getattr(sys, "_base_executable", None) or sys.executable)'

main() {
  local name answer
  for name in ${RAYA_PYTHON:+"$RAYA_PYTHON"} python3 python3.13 python3.12 python3.11; do
    # Running it is the only proof: pyenv and the like put a name on PATH that then runs nothing.
    if answer="$("$name" -c "$question" 2>/dev/null)" && [[ -x "$answer" ]]; then
      printf '%s\n' "$answer"
      return 0
    fi
  done
  echo "raya needs Python 3.11 or newer and none is on PATH: install one (Debian 12, Ubuntu 24.04: apt install python3 python3-venv; macOS: brew install python@3.13) or name one in RAYA_PYTHON, then run make setup again." >&2
  return 1
}

main
