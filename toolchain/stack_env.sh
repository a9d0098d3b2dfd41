#!/usr/bin/env bash
# Prints the shell lines that make `pulumi` work for a stack: eval "$(make -s env STACK=local)".
# Usage: stack_env.sh STACK [official]; "official" is a stack in the local cloud without the stand-in plugins.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
LOCAL="$ROOT/.raya/local"

quoted() { # 'text', safe in every POSIX shell
  printf "'%s'" "${1//\'/\'\\\'\'}"
}

# The stand-ins live in a PULUMI_HOME of their own, where no other stack can find them, and start with the marker only.
stack_in_local_cloud() { # [official]
  local home="$LOCAL/pulumi-home"
  if [[ "${1:-}" == official ]]; then
    home="$LOCAL/pulumi-home-official"
    echo "unset RAYA_LOCALCLOUD"
  else
    echo "export RAYA_LOCALCLOUD=1"
  fi
  echo "export PULUMI_HOME=$(quoted "$home")"
  echo "export PULUMI_BACKEND_URL=$(quoted "file://$LOCAL/state")"
  echo "export PULUMI_CONFIG_PASSPHRASE=local"
}

# In a shell that was set up for the local cloud, another stack must not meet its plugins, its state or its passphrase.
other_stack() {
  echo "unset RAYA_LOCALCLOUD"
  echo "case \"\${PULUMI_HOME:-}\" in $(quoted "$LOCAL/")*) unset PULUMI_HOME ;; esac"
  echo "case \"\${PULUMI_BACKEND_URL:-}\" in $(quoted "file://$LOCAL/")*) unset PULUMI_BACKEND_URL PULUMI_CONFIG_PASSPHRASE ;; esac"
}

main() {
  if "$ROOT/toolchain/in_local_cloud.sh" "${1:?stack_env.sh needs the name of a stack}"; then
    stack_in_local_cloud "${2:-}"
  else
    other_stack
  fi
  echo "export PULUMI_SKIP_UPDATE_CHECK=true"
  # The virtual environment comes first: the pinned language host takes the python3 that it finds on PATH.
  echo "export PATH=$(quoted "$ROOT/.venv/bin:$ROOT/.raya/bin"):\"\$PATH\""
}

main "$@"
