# Every command a person needs. `make run` and `make test` do all the set-up themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help run test check format gate bench chaos clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

run: $(VENV)/.run  ## install what is missing, prove the verifier, run the bundled campaign, show the board
	@$(BIN)/gradefarm demo $(ARGS)

test: $(VENV)/.dev  ## the whole test suite with real services
	@$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/.dev  ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## rewrite the code in the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

gate: $(VENV)/.dev  ## prove the verifier of every bundled task in every language, with figures
	$(BIN)/python -m tests.benchmarks catalogue_proof $(ARGS)

bench: $(VENV)/.dev  ## measure, as ratios side by side, into tests/benchmarks/
	$(BIN)/python -m tests.benchmarks $(ARGS)

chaos: $(VENV)/.dev  ## break everything, for half an hour: 5,000 runs, 200 faults, nothing lost or doubled
	$(BIN)/python -m tests.chaos $(ARGS)

clean:  ## remove the project environment (never results)
	rm -rf $(VENV)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "gradefarm needs Python 3.11 or newer; say which with: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "this Python has no venv module: install it (Debian: python3-venv) or choose another with PYTHON=" >&2; exit 1; }

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	@echo "installing gradefarm into $(VENV) (wheels only) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --editable '.[farm]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "installing gradefarm and its test tools into $(VENV) (wheels only) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --editable '.[dev]'
	@touch $@ $(VENV)/.run
