# `make help` lists the targets. Everything runs in .venv, which the first target that needs it makes by itself.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
SCALE ?= laptop
JOBS ?= 2

VENV := .venv
BIN := $(VENV)/bin
UV := $(VENV)/uv/bin/uv
STAMP := $(VENV)/.made
HTML := book/_build/html
# jupyter-book, papermill and the kernels that they start must be those of the environment
export PATH := $(CURDIR)/$(BIN):$(PATH)
# where Python is told to keep no bytecode, each process would compile three thousand modules before it begins
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env lock book site pdf test lint typing test-package test-slow test-faults test-kills test-notebooks check-book reproduce clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  SCALE=smoke|laptop|paper (reproduce), JOBS=2 (notebooks and trials at a time), PYTHON=python3"

env: $(STAMP) ## make .venv from requirements.lock (Python >= 3.11)

$(STAMP): requirements.lock pyproject.toml .ci/uv.txt .ci/build.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "make env: $(PYTHON) is $$($(PYTHON) --version 2>&1); Python 3.11 or later is needed." \
	       "Name another one: make env PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV)
	@test -x $(VENV)/uv/bin/pip || $(PYTHON) -m venv $(VENV)/uv
	$(VENV)/uv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r .ci/uv.txt
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes --build-constraints .ci/build.txt -r requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --build-constraints .ci/build.txt -e .
	@touch $@

# build.txt is what builds this package, and seqeval, which is published as source alone
lock: $(STAMP) ## compute requirements.lock and the three small locks of .ci/ again
	$(UV) pip compile pyproject.toml --extra test --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --upgrade -o requirements.lock
	echo 'uv' | $(UV) pip compile - --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header -o .ci/uv.txt
	echo 'basedpyright' | $(UV) pip compile - --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header -o .ci/typing.txt
	printf 'hatchling>=1.27\neditables>=0.5\nsetuptools\nsetuptools-scm\n' | $(UV) pip compile - --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header -o .ci/build.txt

# one thread a notebook: two notebooks with two threads each on two cores would spend most of their time waiting
book: $(STAMP) ## render every notebook from the published results and compile the site
	OMP_NUM_THREADS=1 $(BIN)/inductive-bias render --jobs $(JOBS)
	@$(MAKE) --no-print-directory site

site: $(STAMP) ## compile the site from the notebooks as they are, from clean; a warning is an error
	rm -rf book/_build
	$(BIN)/jupyter-book build book/ --all --warningiserror --keep-going --quiet
	@wanted=$$(grep -cE '^root:|^ +- file:' _toc.yml); \
	built=$$(find $(HTML) -name '*.html' ! -path '*/_static/*' ! -name search.html ! -name genindex.html ! -name 404.html \
	  ! -exec grep -q 'http-equiv="refresh"' {} \; -print | wc -l); \
	if [ "$$wanted" != "$$built" ]; then \
	  echo "make site: the table of contents has $$wanted pages, but $$built were built" >&2; exit 1; fi; \
	echo "$$built pages: $(HTML)/index.html"

pdf: $(STAMP) ## print the built site into book/_build/book.pdf, with headless Chromium
	$(BIN)/inductive-bias pdf

test: lint test-package test-notebooks ## what finds a fault in minutes: style, package, notebooks

lint: $(STAMP) ## style, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/lint-imports

# a type checker is a tool apart, as large as the rest of the tests together: it has a folder and a lock of its own
typing: $(STAMP) ## check the examples of the pages with a type checker
	@test -d $(VENV)/typing || $(UV) pip install --quiet --python $(BIN)/python --target $(VENV)/typing \
	  --require-hashes -r .ci/typing.txt
	PYTHONPATH=$(CURDIR)/$(VENV)/typing $(BIN)/python -m pytest tests/test_typing.py --quiet

# one thread a worker: more of them would compete for the cores
test-package: $(STAMP) ## the tests of the package, without slow ones
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests -m "not site and not slow" -n $(JOBS) --dist worksteal --quiet

test-slow: $(STAMP) ## tests that train, compile, kill and recompute; CI runs them too
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests -m "slow and not site" -n $(JOBS) --dist worksteal --quiet --durations=12

test-faults: $(STAMP) ## put twenty faults into copies of the package; the fast tests must find each
	OMP_NUM_THREADS=1 $(BIN)/python tests/faults.py

test-kills: $(STAMP) ## kill a sweep KILLS=20 times at random moments; it must lose nothing
	KILLS=$${KILLS:-20} $(BIN)/python -m pytest tests/test_kills.py --quiet

# a notebook's cells share a kernel, so a file stays with one worker; its kernels are forks that have imported everything
test-notebooks: $(STAMP) ## run every notebook and compare its outputs with the stored ones
	OMP_NUM_THREADS=1 JUPYTER_DEFAULT_PROVISIONER_NAME=forked $(BIN)/python -m pytest \
	  --nbval --nbval-current-env --nbval-sanitize-with tests/nbval_sanitise.cfg book --ignore=book/_build \
	  -n $(JOBS) --dist loadfile --quiet

check-book: $(STAMP) ## open every page of the built site in headless Chromium
	$(BIN)/python -m pytest tests/site -m site -n $(JOBS) --dist loadgroup --quiet

reproduce: $(STAMP) ## train a whole scale again, publish it and render: make reproduce SCALE=paper
ifeq ($(SCALE),smoke)
	$(BIN)/inductive-bias run all --scale smoke
	# sample data is never published, and must not replace the outputs that are
	$(BIN)/inductive-bias render --scale smoke --output runs/smoke-book --jobs $(JOBS)
else
	# what cannot be trained here, such as a study whose files are published nowhere, keeps its published rows; so do the
	# searches for settings, whose results are in the repository
	status=0; \
	$(BIN)/inductive-bias run all --scale $(SCALE) || status=$$?; \
	$(BIN)/inductive-bias publish all --scale $(SCALE) --extend --mixed || status=$$?; \
	$(BIN)/inductive-bias render --scale $(SCALE) --jobs $(JOBS) || status=$$?; \
	exit $$status
endif

clean: ## remove the built site and caches (never .venv, runs/ or data/)
	rm -rf book/_build .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests book -name __pycache__ -type d -prune -exec rm -rf {} +
