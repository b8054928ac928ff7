# Every task of the project. `make demo` and `make test` work on a fresh machine with Python 3.11 and make.
PYTHON ?= python3.11
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: setup demo browser test quick check format wheel bench soak docs site lock newest clean types-linux types-darwin types-win32

setup: .venv/.ready

# The package as a person has it: enough for the demo and the wheel. Exact versions and their hashes are in requirements/.
.venv/.installed: pyproject.toml hatch_build.py requirements/build.txt requirements/run.txt
	$(PYTHON) -m venv .venv || python3 -m venv .venv
	$(PIP) --require-hashes -r requirements/build.txt
	$(PIP) --require-hashes -r requirements/run.txt
	$(PIP) --no-deps --no-build-isolation -e .
	touch $@

# What tests and checks need besides.
.venv/.ready: .venv/.installed benchmarks/pyproject.toml requirements/dev.txt
	$(PIP) --require-hashes -r requirements/dev.txt
	$(PIP) --no-deps --no-build-isolation -e ./benchmarks
	touch $@

demo: .venv/.installed
	$(BIN)/vade demo

# Chromium, for the tests of pages in a browser; a machine that cannot have it skips that test.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium; } \
		|| echo "Chromium cannot be installed here; the tests of pages in a browser are skipped."

test: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal

quick: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow'

check: setup
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/ruff check src tests benchmarks tools
	$(MAKE) --no-print-directory --keep-going -j2 $(TYPES)

# The types as each system has them, two systems at a time.
TYPES := types-linux types-darwin types-win32
$(TYPES): types-%:
	$(BIN)/mypy --platform $* --cache-dir .mypy_cache/$*

format: setup
	$(BIN)/ruff format src tests benchmarks tools
	$(BIN)/ruff check --fix src tests benchmarks tools

# The file that a person installs, in dist/.
wheel: .venv/.installed
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

bench: setup
	$(BIN)/python -m vademecum_bench

# What takes minutes, and every property with many examples.
soak: setup
	$(BIN)/python -m pytest -m soak tests
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=many tests

docs: setup
	$(BIN)/python tools/write_docs.py

# The documentation as a site, in .build/site; a dead link or anchor fails it. Its packages lie apart from those of the product.
site: .build/site-env/.ready
	.build/site-env/bin/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going --nitpicky docs .build/site
	@echo "Open .build/site/index.html"

.build/site-env/.ready: requirements/site.txt
	$(PYTHON) -m venv .build/site-env || python3 -m venv .build/site-env
	.build/site-env/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/site.txt
	touch $@

# The exact versions again: the newest that pyproject.toml allows, for every Python and system.
lock:
	PYTHON=$(PYTHON) tools/lock.sh

# Fast tests with the newest versions and with the lowest that pyproject.toml allows, each in a folder of its own.
newest:
	PYTHON=$(PYTHON) tools/newest.sh

clean:
	rm -rf .venv .build dist
