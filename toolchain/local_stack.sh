#!/usr/bin/env bash
# The verbs of the local stack: a real pulumi against the local cloud. Usage: local_stack.sh up|preview|recover|down|purge,
# or preview|recover STACK for another stack that lives in the local cloud.
# Every verb may be repeated and may be run after another one was killed. PLUGINS=official takes the official plugins.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
LOCAL="$ROOT/.raya/local"
STACK="${2:-local}"
# The signal that came, if one did.
STOPPED=""
# What to do when the state or the cloud is not as a verb needs it.
MEND="\`make recover\` shows what a killed run left and mends it; \`make purge\` starts afresh."

say() { printf '%s: %s\n' "${VERB:?}" "$*"; }

die() {
  say "$*" >&2
  exit 1
}

# The port stands in the stack's file and nowhere else.
port() {
  local found
  found="$(sed -nE 's#^ *"?hcloud:endpoint"?: *["'\'']?http://127\.0\.0\.1:([0-9]+)/.*#\1#p' "Pulumi.$STACK.yaml")"
  [[ "$found" =~ ^[0-9]+$ ]] || die "Pulumi.$STACK.yaml must name the local cloud in hcloud:endpoint, as in http://127.0.0.1:18470/hcloud/v1."
  printf '%s' "$found"
}

cloud() { # start|stop
  local port
  port="$(port)"
  python -m localcloud "$1" --port "$port" --state "$LOCAL/cloud.sqlite" --pid-file "$LOCAL/cloud.pid" --log "$LOCAL/cloud.log" "${@:2}"
}

# After this, pulumi finds the stack's environment and its backend.
backend() {
  case "${PLUGINS:-standin}" in
    standin | official) ;;
    *) die "PLUGINS=$PLUGINS is not known: leave it out for the stand-in plugins, or say PLUGINS=official." ;;
  esac
  eval "$(toolchain/stack_env.sh "$STACK" "${PLUGINS:-}")"
  mkdir -p "$LOCAL/state" "$PULUMI_HOME"
}

# After this, pulumi finds a running cloud and its plugins too.
start_cloud() {
  local port
  port="$(port)" || return
  cloud start --pins image || {
    say "the local cloud did not start. Its port, $port, stands in Pulumi.$STACK.yaml: all URLs of 127.0.0.1:$port there." >&2
    return 1
  }
  if [[ "${PLUGINS:-}" != official ]]; then
    python -m localcloud install-plugins --pulumi-home "$PULUMI_HOME" >/dev/null
  fi
}

# What a killed engine left locked is freed; a living engine is named.
free_stack() {
  python -m toolchain.stack_lock "$LOCAL/state" "$STACK"
}

prepare() {
  free_stack
  start_cloud
}

# Runs pulumi in the background, where a shell hears signals while it waits, and waits for its end in any case.
engine() {
  local pid status=0
  python -m toolchain.own_group pulumi "$@" <&0 &
  pid=$!
  wait "$pid" || status=$?
  while kill -0 "$pid" 2>/dev/null; do
    status=0
    wait "$pid" || status=$?
  done
  [[ -z "$STOPPED" ]] || stopped
  return "$status"
}

# The engine finishes its running step, saves the state and frees the stack. It hears of one signal only: a second one
# means "at once" to it. Ctrl-C on a terminal reaches it without us (see toolchain/own_group.py).
pass_on() { # TERM|INT
  local running first="${STOPPED:-none}"
  STOPPED="$1"
  running="$(jobs -pr)"
  [[ -n "$running" ]] || stopped
  if [[ "$first" == none && ! ("$1" == INT && -t 0 && -t 1) ]]; then
    kill -s "$1" "$running" 2>/dev/null || true
  fi
}

stopped() {
  say "stopped by SIG$STOPPED. What was done is saved; run it again to go on." >&2
  trap - ERR
  [[ "$STOPPED" == INT ]] && exit 130
  exit 143
}

stack_exists() { # 1: no, 2: the state cannot be read
  local stacks
  stacks="$(pulumi stack ls --json)" || return 2
  python -c 'import json, sys; sys.exit(not any(s["name"] == sys.argv[1] for s in json.load(sys.stdin)))' "$STACK" <<<"$stacks"
}

up() {
  prepare
  pulumi stack select --create "$STACK" || die "the stack's state cannot be read. $MEND"
  pulumi stack export --stack "$STACK" | python -m toolchain.pending "$STACK" || exit 1
  # The engine would print every output, changed or not.
  engine up --yes --stack "$STACK" --suppress-outputs || die "failed. If an earlier run was killed: $MEND"
  say "the outputs:"
  pulumi stack output --json --stack "$STACK" | python -m toolchain.outputs
  say "these are API objects only, nothing boots; see them at http://127.0.0.1:$(port)/"
  say "pulumi works on this stack in a shell that ran: eval \"\$(make -s env STACK=local)\""
}

preview() {
  prepare
  pulumi stack select --create "$STACK"
  # As with up: the outputs would all be printed, and what a machine would be told shows at the machine.
  engine preview --diff --suppress-outputs --stack "$STACK"
}

# Mends what a killed run left. It shows what it will do and asks; YES=1 answers for whom there is no terminal.
recover() {
  local exists=0
  stack_exists || exists=$?
  [[ "$exists" != 1 ]] || { say "there is no stack $STACK in the local cloud"; return; }
  start_cloud
  python -m raya.recover --stack "$STACK" ${YES:+--yes} || return
  [[ "$STACK" != local ]] || say "next: \`make up\`, or \`make down\`"
}

# Removes all that is not protected, names what stays and what it costs, and stops the cloud.
down() {
  local port exists=0
  stack_exists || exists=$?
  [[ "$exists" != 2 ]] || die "the stacks in $LOCAL/state cannot be listed. $MEND"
  if [[ "$exists" == 0 ]]; then
    prepare
    port="$(port)"
    trap 'say "failed; the local cloud keeps running, so that this can be repeated" >&2' ERR
    # Its preview is never skipped: without one, what depends on a protected resource is deleted before the refusal.
    engine destroy --yes --suppress-outputs --stack "$STACK" --exclude-protected
    pulumi stack export --stack "$STACK" | python -m toolchain.kept
    python -m raya.orphans --stack "$STACK"
    python -m toolchain.strays "$port"
  else
    say "there is no local stack"
  fi
  cloud stop
}

# The second step after down: what was protected goes too, and what the CSI driver left. In the end the stack and the
# local cloud's memory are gone, whatever state they were in: nothing there is worth a repair.
purge() {
  local status=0 exists=0
  free_stack || status=$?
  # Status 3: an engine works on it.
  [[ "$status" != 3 ]] || exit 1
  stack_exists || exists=$?
  if [[ "$exists" != 1 ]]; then
    if [[ "$status$exists" != 00 ]] || ! start_cloud || ! destroy_all; then
      say "the stack could not be destroyed in order; forgetting it and the local cloud as they are" >&2
    fi
    # The configuration file is the repository's, not the stack's.
    pulumi stack rm --force --yes --preserve-config "$STACK" || rm -rf "$LOCAL/state"
  else
    say "there is no local stack"
  fi
  cloud stop
  rm -f "$LOCAL/cloud.sqlite" "$LOCAL/cloud.sqlite-wal" "$LOCAL/cloud.sqlite-shm"
}

destroy_all() {
  pulumi state unprotect --all --yes --stack "$STACK" &&
    engine destroy --yes --suppress-outputs --stack "$STACK" &&
    python -m raya.orphans --stack "$STACK" --delete
}

main() {
  VERB="${1:?local_stack.sh needs a verb: up, preview, recover, down or purge}"
  cd "$ROOT"
  case "$VERB" in
    preview | recover) ;;
    up | down | purge) [[ "$STACK" == local ]] || die "works on the local stack only." ;;
    *) die "not a verb of the local stack; there are up, preview, recover, down and purge." ;;
  esac
  backend
  trap 'pass_on TERM' TERM
  trap 'pass_on INT' INT
  exec 9>>"$LOCAL/lock"
  python -m toolchain.turn 9 "$LOCAL/lock" "$$" "make $VERB"
  python -m toolchain.left_behind
  # What the verb starts does not inherit the lock: the cloud stays, and an engine may outlive a killed shell.
  "$VERB" 9>&-
}

main "$@"
