#!/usr/bin/env bash
# The verbs of the local stack: a real pulumi against the local cloud. Usage: local_stack.sh up|preview|down|purge.
# Every verb may be repeated and may be run after another one was killed. PLUGINS=official takes the official plugins.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
LOCAL="$ROOT/.raya/local"
STACK=local

say() { printf '%s: %s\n' "${VERB:?}" "$*"; }

die() {
  say "$*" >&2
  exit 1
}

# The port stands in Pulumi.local.yaml and nowhere else.
port() {
  local found
  found="$(sed -nE 's#^ *"?hcloud:endpoint"?: *["'\'']?http://127\.0\.0\.1:([0-9]+)/.*#\1#p' Pulumi.local.yaml)"
  [[ "$found" =~ ^[0-9]+$ ]] || die "Pulumi.local.yaml must name the local cloud in hcloud:endpoint, as in http://127.0.0.1:18470/hcloud/v1."
  printf '%s' "$found"
}

cloud() { # start|stop
  local port
  port="$(port)"
  python -m localcloud "$1" --port "$port" --state "$LOCAL/cloud.sqlite" --pid-file "$LOCAL/cloud.pid" --log "$LOCAL/cloud.log" "${@:2}"
}

# After this, pulumi finds a running cloud, its plugins, a backend and the stack's environment.
prepare() {
  case "${PLUGINS:-standin}" in
    standin | official) ;;
    *) die "PLUGINS=$PLUGINS is not known: leave it out for the stand-in plugins, or say PLUGINS=official." ;;
  esac
  eval "$(toolchain/stack_env.sh "$STACK" "${PLUGINS:-}")"
  mkdir -p "$LOCAL/state" "$PULUMI_HOME"
  cloud start --pins image
  if [[ "${PLUGINS:-}" != official ]]; then
    python -m localcloud install-plugins --pulumi-home "$PULUMI_HOME" >/dev/null
  fi
}

stack_exists() {
  local stacks
  stacks="$(pulumi stack ls --json)" || exit 1
  python -c 'import json, sys; sys.exit(not any(s["name"] == sys.argv[1] for s in json.load(sys.stdin)))' "$STACK" <<<"$stacks"
}

up() {
  prepare
  pulumi stack select --create "$STACK"
  # The engine would print every output, changed or not.
  pulumi up --yes --stack "$STACK" --suppress-outputs
  say "the outputs:"
  pulumi stack output --json --stack "$STACK" | python -m toolchain.outputs
  say "these are API objects only, nothing boots; see them at http://127.0.0.1:$(port)/"
  say "pulumi works on this stack in a shell that ran: eval \"\$(make -s env STACK=local)\""
}

preview() {
  prepare
  pulumi stack select --create "$STACK"
  pulumi preview --diff --stack "$STACK"
}

# Removes all that is not protected, names what stays and what it costs, and stops the cloud.
down() {
  prepare
  if stack_exists; then
    trap 'say "failed; the local cloud keeps running, so that this can be repeated" >&2' ERR
    # Its preview is never skipped: without one, what depends on a protected resource is deleted before the refusal.
    pulumi destroy --yes --suppress-outputs --stack "$STACK" --exclude-protected
    pulumi stack export --stack "$STACK" | python -m toolchain.kept
    python -m raya.orphans --stack "$STACK"
  else
    say "there is no local stack"
  fi
  cloud stop
}

# The second step after down: what was protected goes too, and what the CSI driver left, and the stack is forgotten.
purge() {
  prepare
  if stack_exists; then
    trap 'say "failed; the local cloud keeps running, so that this can be repeated" >&2' ERR
    pulumi state unprotect --all --yes --stack "$STACK"
    pulumi destroy --yes --suppress-outputs --stack "$STACK"
    python -m raya.orphans --stack "$STACK" --delete
    # The configuration file is the repository's, not the stack's.
    pulumi stack rm --yes --preserve-config "$STACK"
  else
    say "there is no local stack"
  fi
  cloud stop
}

main() {
  VERB="${1:?local_stack.sh needs a verb: up, preview, down or purge}"
  cd "$ROOT"
  case "$VERB" in
    up | preview | down | purge) "$VERB" ;;
    *) die "not a verb of the local stack; there are up, preview, down and purge." ;;
  esac
}

main "$@"
