# Lectern: `make run` opens the app, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help
.PHONY: help install install-dev run test lint unit browser lock screenshots clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(VENV)/installed: requirements.txt constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	sh scripts/install-chromium.sh
	touch $@

install: $(VENV)/installed ## make .venv with what the app needs

install-dev: $(VENV)/installed-dev ## and what the tests need

run: $(VENV)/installed ## index the bundled book if the library is empty, and open the app
	$(BIN)/python -m rag ingest --if-empty
	$(BIN)/python -m streamlit run server.py

test: lint unit browser ## check everything: style, types, contracts, tests in a real browser

lint: $(VENV)/installed-dev ## style, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/installed-dev ## every test that needs no browser, with coverage
	$(BIN)/python -m pytest -m "not browser" -n 2 --dist loadfile --cov --cov-report=term

browser: $(VENV)/installed-dev ## what a person does, in Chromium
	$(BIN)/python -m pytest -m browser -n 2 --dist loadfile

lock: $(VENV)/installed-dev ## write down every installed version
	{ echo "# Every package that an install may bring, pinned. Made by: make lock"; $(BIN)/python -m pip freeze; } > constraints.txt

screenshots: $(VENV)/installed-dev ## take the pictures in docs/screenshots
	$(BIN)/python scripts/screenshots.py

clean: ## remove the environment and the caches, not the library
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
