# `make grade` and `make test` need Python 3.11 or later and nothing else; the first call fills .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PLATFORMS := .venv-platforms

.PHONY: grade test lint attacks audit sweep kill bench platforms lock diagnosis setup browser chromium screenshots

# Grade the sample class into results/.
grade: setup
	$(BIN)/autograder grade tests/submissions --out results

# Generated files are up to date, and the project's own tests pass.
test: setup
	$(BIN)/autograder build --check
	$(BIN)/python -m pytest -q

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Hostile files at each level, as root and as an ordinary user: what they gained, read and left.
attacks: setup
	$(BIN)/python -m tests.attacking

# The grader is graded: no wrong layer passes, no correct one fails. AUDIT=--full runs 10,000 seeds.
audit: setup
	$(BIN)/autograder audit self_attention $(AUDIT)
	$(BIN)/autograder audit linear --course tests/courses/layers $(AUDIT)
	$(BIN)/autograder audit layernorm --course tests/courses/layers $(AUDIT)

# The long runs over many seeds.
sweep: setup
	$(BIN)/python -m pytest -q -m sweep

# Kill the command, a grader, a zygote or a worker, or fill the disk, fifty times; nothing may be lost.
kill: setup
	$(BIN)/python -m pytest -q -m "sweep or not sweep" tests/test_kills.py

# What grading and the wall around it cost, as ratios on this machine.
bench: setup
	$(BIN)/python -m autograder.bench

# Other tools' real programs need an environment of their own (700 MB): nbgrader and otter, notebooks in a
# kernel, actionlint, Dask, a browser's driver. Chromium itself comes from the system, by apt if missing.
platforms: $(PLATFORMS)/.ready
	$(PLATFORMS)/bin/python -m pytest -q -o addopts=--strict-markers tests/platforms

# The reports in a real Chromium.
browser: $(PLATFORMS)/.ready chromium
	$(PLATFORMS)/bin/python -m pytest -q -m browser tests/browser

# The pictures in docs/.
screenshots: $(PLATFORMS)/.ready chromium
	$(PLATFORMS)/bin/python tests/browser/screenshots.py

chromium:
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null

$(PLATFORMS)/.ready: requirements-platforms.lock pyproject.toml
	$(PYTHON) -m venv $(PLATFORMS)
	$(PLATFORMS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-platforms.lock
	$(PLATFORMS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# How often the diagnosis names the mistake and finds the line: everything, in minutes.
diagnosis: setup
	$(BIN)/python tests/diagnosis_report.py

setup: $(READY)

# Only what the lock lists, by hash; then the project itself, built with the locked backend.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Python 3.11 or later is needed, but "$(PYTHON)" is not that. Name another: make PYTHON=python3.12 ...' >&2; \
	  exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Exact versions with hashes for every Python from 3.11 on. No address of an index goes into the files:
# where packages come from is the machine's own setting. Versions stay unless UPGRADE=--upgrade is given.
COMPILE = $(BIN)/uv pip compile pyproject.toml --extra test --extra report --group build \
	  --universal --python-version 3.11 --generate-hashes --no-config $(UPGRADE) \
	  --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --quiet
lock:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(COMPILE) --extra lint --output-file requirements.lock
	$(COMPILE) --extra notebook --extra workflows --extra nbgrader --extra otter --extra dask --extra browser \
	  --output-file requirements-platforms.lock
