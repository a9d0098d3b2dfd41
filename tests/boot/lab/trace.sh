#!/usr/bin/bash
# Sourced by every bash of a machine that was told so (BASH_ENV, on the kernel's command line): before each command the
# scripts that work on the state volume ask the lab for leave, and the lab looks at the volume meanwhile.
case $0 in
  /usr/local/bin/mkfs-k3s-volume | /usr/local/bin/k3s-seed-pki | /usr/local/bin/k3s-sync-manifests)
    raya_lab_ask() {
      printf '%s:%s %s\n' "${0##*/}" "$1" "${2%%$'\n'*}" >&"$raya_lab"
      read -r -u "$raya_lab" _
    }
    until [[ -c /dev/virtio-ports/lab ]]; do sleep 0.1; done
    exec {raya_lab}<>/dev/virtio-ports/lab
    set -o functrace
    trap 'raya_lab_ask "$LINENO" "$BASH_COMMAND"' DEBUG
    trap 'trap - DEBUG; raya_lab_ask end ""' EXIT
    ;;
esac
