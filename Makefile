# One gate for people and machines. Everything runs in .venv, which is made from nothing but Python and pip.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOG := $(VENV)/install.log
PIP := $(BIN)/python -m pip install --progress-bar off -c constraints.txt
PYTEST := $(BIN)/python -m pytest -q -n auto
ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup play test check test-nojit bench format clean

help: ## Say what each target does
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do \
	    printf '  %-12s %s\n' "$$name" "$$text"; done
	@echo "Options: PYTHON=python3.12 (at the first run) · ARGS='…' is handed to play, test and test-nojit"

setup: $(STAMP) ## Make .venv with the package and all tools (every other target does this first)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "Woodstock needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)." >&2; \
	    echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "==> Setting up $(VENV) with $$($(PYTHON) --version): the first time takes a minute"
	@test -x $(BIN)/python && $(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) hatchling editables >$(LOG) 2>&1 && $(PIP) --no-build-isolation -e '.[dev]' >>$(LOG) 2>&1 || { \
	    tail -n 25 $(LOG) >&2; echo "The installation failed; these were pip's last words, all are in $(LOG)" >&2; exit 1; }
	@touch $(STAMP)

play: $(STAMP) ## Play connect four against Woodstock on the terminal
	@echo "==> woodstock play connect_four $(ARGS)"
	@$(BIN)/python -m woodstock play connect_four $(ARGS)

test: check ## Check everything, then run the whole test suite
	@echo "==> Tests"
	@$(PYTEST) $(ARGS)

check: $(STAMP) ## Format, lint, types and layers, without changing a file
	@echo "==> Format (ruff)"
	@$(BIN)/python -m ruff format --quiet --check .
	@echo "==> Lint (ruff)"
	@$(BIN)/python -m ruff check --quiet .
	@echo "==> Types (mypy --strict)"
	@$(BIN)/python -m mypy --no-error-summary
	@echo "==> Layers (import-linter)"
	@$(BIN)/lint-imports --no-logo

test-nojit: $(STAMP) ## Run the test suite with the JIT compiler switched off
	@echo "==> Tests, NUMBA_DISABLE_JIT=1"
	@NUMBA_DISABLE_JIT=1 $(PYTEST) $(ARGS)

bench: $(STAMP) ## Run every benchmark on its quick setting
	@for file in benchmarks/*.py; do \
	    test -f "$$file" || { echo "There are no benchmarks yet."; break; }; \
	    echo "==> $$file"; $(BIN)/python "$$file" || exit 1; done

format: $(STAMP) ## Format the source and apply the safe lint fixes
	@$(BIN)/python -m ruff format . && $(BIN)/python -m ruff check --fix .

clean: ## Remove .venv and everything else that can be made again
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests benchmarks -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
