# Each target sets up what it needs: a clone, Python 3.11 and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test test-borders test-page test-scram test-charts lint fuzz fuzz-readers batch-test table1 bench bounds compiled clean docs docs-site

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,bench]'
	touch $@

# Where Python is told to write no bytecode, every start would compile all modules: a
# fifth of the time of a small model.
compiled: $(VENV)/.ready
	$(BIN)/python -m compileall -q symrob

run: compiled  ## The main job on a real case: the safety envelope of the Therac-25
	mkdir -p out
	$(BIN)/symrob compute models/therac25/therac25.toml
	$(BIN)/symrob draw models/therac25/therac25.toml --out out/therac25.svg

# A process for each core; benchmarks are in bench/ and their plugin warns beside others.
test: compiled  ## All tests
	$(BIN)/python -m pytest -n logical --maxprocesses 8 -p no:benchmark

# Versions of Python beside the usual one; one that is absent is left out, and named.
OTHERS := 3.12 3.13

test-borders:  ## What is relied on inside dd and python-sat, with each version of Python
	set -e; for version in $(OTHERS); do \
		export PYENV_VERSION=$$version; bin=$(VENV)-$$version/bin; \
		python$$version --version || { echo "Python $$version is absent"; continue; }; \
		test -x $$bin/pytest || { python$$version -m venv $(VENV)-$$version; \
			$$bin/python -m pip install --quiet --disable-pip-version-check \
			--editable . hypothesis pytest; }; \
		$$bin/python -m pytest tests/borders tests/unit/test_lifetime.py; done

$(VENV)/.page: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[page]'
	touch $@

test-page: compiled $(VENV)/.page  ## Tests of the page in a real browser
	tests/browser/chromium.sh
	$(BIN)/python -m pytest -n logical --maxprocesses 4 tests/browser

test-scram: compiled  ## Our fault trees in the hands of SCRAM, of a Debian package
	@command -v scram >/dev/null || apt-get install -qq scram >/dev/null || { \
		echo "SCRAM is absent and cannot be installed here: apt-get install scram"; exit 1; }
	$(BIN)/python -m pytest -rs tests/risk/test_other_tools.py

tests/charts/node_modules: tests/charts/package-lock.json
	@command -v npm >/dev/null || { echo "npm is absent: install Node.js"; exit 1; }
	cd tests/charts && npm ci --no-audit --no-fund
	touch $@

test-charts: compiled tests/charts/node_modules  ## Random statecharts beside their own libraries
	$(BIN)/python -m pytest -rs tests/charts

lint: $(VENV)/.ready  ## Style, types, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fuzz: compiled  ## Random problems against independent references, for MINUTES or until stopped
	$(BIN)/python -m tests.fuzz $(if $(MINUTES),--minutes $(MINUTES))

fuzz-readers: $(VENV)/.ready  ## Hours of damaged and generated input for every reader
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest tests/fsp/test_fuzz.py tests/formats/test_fuzz.py

batch-test: compiled  ## A thousand cases, killed five times and resumed
	$(BIN)/python -m tests.batch.kills 1000 5

table1: compiled  ## Table 1 of the paper beside ours
	$(BIN)/python -m bench.table1

bench: compiled  ## All benchmarks, in less than ten minutes; results in bench/results
	$(BIN)/python -m bench

bounds: compiled  ## How late each command ends after its bounds, half an hour; results in bench/results
	$(BIN)/python -m bench.bench_bounds

docs: $(VENV)/.ready  ## Run the commands of docs/case-studies.md and write it anew
	$(BIN)/python -m docs.case_studies

$(VENV)/.docs: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

docs-site: $(VENV)/.docs  ## The pages as a site, in out/site; fails for a link that leads nowhere
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

clean:
	rm -rf $(VENV) $(OTHERS:%=$(VENV)-%) tests/charts/node_modules out .pytest_cache .mypy_cache .ruff_cache .hypothesis
