#!/usr/bin/env bash
# Every linter over every file that git knows or would take. Says how many files each sweep saw: none is a failure.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

step() { printf 'lint: %s\n' "$*"; }

# Shell by suffix or by its first line: scripts that go onto machines have no suffix.
shell_files() {
  git ls-files -co --exclude-standard | while IFS= read -r file; do
    [[ -f "$file" && ! -L "$file" ]] || continue
    if [[ "$file" == *.sh ]] || LC_ALL=C head -c 64 "$file" | LC_ALL=C sed -n '1p' | LC_ALL=C grep -qaE '^#! ?/[^ ]*[/ ](ba|da)?sh( |$)'; then
      printf '%s\n' "$file"
    fi
  done
}

# Templates are no YAML before they are rendered, and end in .j2.
yaml_files() {
  git ls-files -co --exclude-standard -- '*.yaml' '*.yml' '.yamllint.yaml' | sort -u
}

# A machine that has the tools on its PATH was set up without Go. What was not looked at is not green.
lint_go() {
  local go gofmt files module
  go="$(PATH="$PATH:/usr/local/go/bin" command -v go || true)"
  if [[ -z "$go" ]]; then
    step "Go is not installed, so its files were not looked at; all else is green. Install it (see README.md) and run this again." >&2
    return 1
  fi
  mapfile -t files < <(git ls-files -co --exclude-standard -- '*.go')
  step "gofmt and go vet, ${#files[@]} files"
  gofmt="$("$go" env GOROOT)/bin/gofmt"
  if [[ -n "$("$gofmt" -l "${files[@]:?no Go file was found}")" ]]; then
    "$gofmt" -d "${files[@]}"
    return 1
  fi
  for module in tests/conformance/go tests/boot/k3s_stand_in tests/kube/flux_build; do
    (cd "$module" && GOWORK=off GOTOOLCHAIN=auto "$go" vet ./...)
  done
}

main() {
  cd "$ROOT"
  local scripts yaml
  step "ruff"
  ruff check .
  ruff format --check .
  step "mypy"
  mypy
  step "import contracts"
  lint-imports
  mapfile -t scripts < <(shell_files)
  step "shellcheck, ${#scripts[@]} scripts"
  shellcheck --external-sources "${scripts[@]:?no shell script was found}"
  mapfile -t yaml < <(yaml_files)
  step "yamllint, ${#yaml[@]} files"
  yamllint --strict "${yaml[@]:?no YAML file was found}"
  lint_go
  step "all green"
}

main "$@"
