# Needs Python 3.11 or later and nothing else. `make help` says what there is.
PYTHON ?= python3
PORT ?= 8000
WORKERS ?= 2
BIN := .venv/bin

.PHONY: help run test check bench lock clean

help: ## Show this
	@grep -hE '^[a-z]+:.*##' Makefile | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

run: .venv/run ## Install and start the server with a demo site on port 8000 (PORT=)
	$(BIN)/sitehive serve --demo --port $(PORT)

test: check ## Install and run every test
	$(BIN)/pytest -n $(WORKERS)

check: .venv/dev ## Lint, types, architecture
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy src tests bench
	$(BIN)/pytest -q tests/architecture

bench: .venv/dev ## Measure, and print ratios
	$(BIN)/python -m bench

lock: .venv/dev ## Renew the locked dependencies
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
	    --custom-compile-command 'make lock' pyproject.toml --group build -o requirements/run.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
	    --custom-compile-command 'make lock' pyproject.toml --group build --group dev -c requirements/run.txt -o requirements/dev.txt

clean: ## Remove what was installed and built
	rm -rf .venv dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/run: requirements/run.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/dev: requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
