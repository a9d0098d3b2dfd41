# The one list of commands; CI calls the same ones. `make` alone prints them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The stack that a verb works on; up, down and purge know the local one only.
STACK ?= local
# PLUGINS=official runs the local stack with the official plugins instead of the stand-ins.
PLUGINS ?=
export PLUGINS
# YES=1 lets recover do what it has shown without asking.
YES ?=
export YES

IN_VENV := export PATH="$(CURDIR)/.venv/bin:$(CURDIR)/.raya/bin:$$PATH";
IN_STACK = eval "$$(toolchain/stack_env.sh "$(STACK)" "$(PLUGINS)")";
IN_LOCAL_CLOUD = toolchain/in_local_cloud.sh "$(STACK)"
# tests/bench is none of them: it measures.
FAST_TESTS := tests/unit tests/golden tests/components tests/static tests/localcloud tests/conformance tests/e2e

# Variables that begin so name real clouds to the conformance suites. A run of all tests never costs anything.
WITHOUT_CLOUDS := unset $${!CONFORMANCE_@};

.PHONY: help setup env up preview recover down purge orphans render lint test test-kills test-boot test-kube conformance check bench docs only-local

help: ## print this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make the tools (.raya/bin) and the virtual environment (.venv); TOOLS=... adds tools made on demand
	@python="$$(toolchain/find_python.sh)"; "$$python" -m toolchain $(TOOLS)

env: ## print the shell's environment for a stack: eval "$(make -s env STACK=local)"
	@$(MAKE) setup >&2
	@toolchain/stack_env.sh "$(STACK)" "$(PLUGINS)"

up: only-local setup ## start the local cloud and create or update the local stack in it, with a real pulumi up
	@toolchain/local_stack.sh up

preview: setup ## show what an update of STACK would do
	@if $(IN_LOCAL_CLOUD); then toolchain/local_stack.sh preview "$(STACK)"; \
	  else $(IN_STACK) pulumi preview --diff --suppress-outputs --stack "$(STACK)"; fi

recover: setup ## after a run of STACK was killed: show what it left in the clouds, ask, and mend it; YES=1 does not ask
	@if $(IN_LOCAL_CLOUD); then toolchain/local_stack.sh recover "$(STACK)"; \
	  else $(IN_STACK) python -m toolchain.left_behind; python -m raya.recover --stack "$(STACK)" $(if $(YES),--yes); fi

down: only-local setup ## destroy the local stack except what is protected, say what stays and costs, stop the cloud
	@toolchain/local_stack.sh down

purge: only-local setup ## the second step after down: destroy what is protected too, forget the local stack
	@toolchain/local_stack.sh purge

orphans: setup ## list what STACK's cluster has at Hetzner that costs money: machines, addresses, volumes, snapshots
	@$(IN_STACK) python -m raya.orphans --stack "$(STACK)" $(if $(VOLUMES),--persistent-volumes "$(VOLUMES)")

render: setup ## write what each node of STACK would get to build/nodes (throw-away secrets, no network)
	@$(IN_VENV) python -m raya.render --stack "$(STACK)"

lint: setup ## ruff, mypy, import contracts, shellcheck, yamllint, gofmt, go vet
	@$(IN_VENV) toolchain/lint.sh

test: setup ## the fast suite
	@$(IN_VENV) $(WITHOUT_CLOUDS) python -m pytest -n 2 --dist loadfile $(FAST_TESTS)

test-kills: setup ## the kill lab: runs killed at 20 points each, and the way back (minutes)
	@$(IN_VENV) $(WITHOUT_CLOUDS) python -m pytest -n 2 --dist worksteal tests/kills

test-boot: ## the boot lab: what is rendered, booted by real Ignition and systemd in QEMU; as root (minutes)
	@$(MAKE) setup TOOLS=ignition
	@$(IN_VENV) python -m pytest -n 3 --dist worksteal tests/boot

test-kube: ## the kube lab: manifests, charts, deploy/ and the reaper on a real API server (minutes)
	@$(MAKE) setup TOOLS="kube-apiserver helm"
	@$(IN_VENV) python -m pytest -n 2 --dist loadfile tests/kube

conformance: setup ## the conformance suites: against a local cloud, or real ones that CONFORMANCE_... names
	@$(IN_VENV) python -m pytest tests/conformance

# Not test-boot yet: it has not been seen to pass as a whole twice in a row.
check: lint test test-kills test-kube ## all that CI runs: everything but test-boot

bench: setup ## print a table of measurements and write it to build/bench.json
	@$(IN_VENV) python -m tests.bench

docs: setup ## check the handbook: its links, anchors and boot graphs, and the make verbs that it names
	@$(IN_VENV) python -m toolchain.handbook

only-local:
	@[[ "$(STACK)" == local ]] || { echo "make $(MAKECMDGOALS) works on the local stack only; for $(STACK) run pulumi up or pulumi destroy yourself, as the README says." >&2; exit 2; }
