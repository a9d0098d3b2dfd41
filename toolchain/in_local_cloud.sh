#!/usr/bin/env bash
# Usage: in_local_cloud.sh STACK. Ends with 0 when the stack lives in the local cloud: its file says so, by an address of
# this machine as hcloud:endpoint.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
STACK="${1:?in_local_cloud.sh needs the name of a stack}"

[[ "$STACK" == local ]] ||
  grep -Eqs '^ *["'\'']?hcloud:endpoint["'\'']?: *["'\'']?http://127\.0\.0\.1:[0-9]+/' "$ROOT/Pulumi.$STACK.yaml"
