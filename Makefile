# Every task of the project. `make demo` and `make test` work on a fresh machine with Python 3.11 and make.
PYTHON ?= python3.11
BIN := .venv/bin

.PHONY: setup demo test quick check format bench soak docs clean

setup: .venv/.ready

.venv/.ready: pyproject.toml $(wildcard hatch_build.py)
	$(PYTHON) -m venv .venv || python3 -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

demo: setup
	$(BIN)/vade demo

test: setup
	$(BIN)/python -m pytest -n 2

quick: setup
	$(BIN)/python -m pytest -n 2 -m 'not slow'

check: setup
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/ruff check --fix src tests benchmarks

bench: setup
	$(BIN)/python -m benchmarks

soak: setup
	$(BIN)/python -m pytest -m soak tests

docs: setup
	$(BIN)/python tools/write_docs.py

clean:
	rm -rf .venv .build dist
