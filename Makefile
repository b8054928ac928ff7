# Every task of the project. `make demo` and `make test` work on a fresh machine with Python 3.11 and make.
PYTHON ?= python3.11
BIN := .venv/bin

.PHONY: setup demo browser test quick check format wheel bench soak docs clean

setup: .venv/.ready

# The package as a person has it: enough for the demo and the wheel.
.venv/.installed: pyproject.toml $(wildcard hatch_build.py)
	$(PYTHON) -m venv .venv || python3 -m venv .venv
	$(BIN)/python -m pip install --quiet -e .
	touch $@

# What tests and checks need besides. The package is there already, so its name adds only what `dev` lists.
.venv/.ready: .venv/.installed benchmarks/pyproject.toml
	$(BIN)/python -m pip install --quiet 'vademecum[dev]' -e ./benchmarks
	touch $@

demo: .venv/.installed
	$(BIN)/vade demo

# Chromium, for the test that lets a hostile page at the HTTP door; a machine that cannot have it skips that test.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium; } \
		|| echo "Chromium cannot be installed here; the test of a page in a browser is skipped."

test: setup
	$(BIN)/python -m pytest -n 2

quick: setup
	$(BIN)/python -m pytest -n 2 -m 'not slow'

check: setup
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy --platform linux
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32

format: setup
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/ruff check --fix src tests benchmarks

# The file that a person installs, in dist/.
wheel: .venv/.installed
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

bench: setup
	$(BIN)/python -m vademecum_bench

soak: setup
	$(BIN)/python -m pytest -m soak tests

docs: setup
	$(BIN)/python tools/write_docs.py

clean:
	rm -rf .venv .build dist
