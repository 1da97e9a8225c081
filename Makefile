# make run     install what is needed, load a sample conversation at the first start, serve on this machine
# make test    all tests on Neo4j 2026.x, and those of the database on 5.26
# make check   format, lint, types, import rules
# make soak    the long tests
#
# Options:  PYTHON=python3.12        the interpreter to make .venv with
#           TORCH_BACKEND=cpu        the small CPU build of torch instead of the usual one of your platform
#           HOST=… PORT=…            where `make run` listens (127.0.0.1, 8000)

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run test check soak format clean
.NOTPARALLEL:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python $(if $(TORCH_BACKEND),--torch-backend $(TORCH_BACKEND))

help: ## this text
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.installed ## install, load a sample conversation at the first start, and serve on this machine
	@$(BIN)/memoryos serve --demo $(if $(HOST),--host $(HOST)) $(if $(PORT),--port $(PORT))

test: $(VENV)/.installed-dev ## all tests on Neo4j 2026.x, and those of the database on 5.26
	$(BIN)/pytest -n 2 --dist loadfile -m "not soak"
	$(BIN)/pytest -n 2 --dist loadfile -m "engine and not soak" --neo4j-line 5

check: $(VENV)/.installed-dev ## format, lint, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy memoryos_graph api
	$(BIN)/lint-imports

soak: $(VENV)/.installed-dev ## the long tests
	$(BIN)/pytest -m soak --timeout 3600

format: $(VENV)/.installed-dev ## format the code, mend what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove .venv and what tools left; data stays
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.installed: pyproject.toml | $(BIN)/uv
	@echo "installing memoryos-graph; with torch this takes a minute or two at the first time"
	@$(INSTALL) --editable '.[all]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/uv
	@echo "installing memoryos-graph and the tools of its developers"
	@$(INSTALL) --editable '.[all,dev]'
	@touch $(VENV)/.installed $@

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or later is needed, and $(PYTHON) is not: try make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Python's venv module is missing: install it (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
