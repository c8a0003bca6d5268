# Everything is made here: virtual environment, jars, warehouse. Needs Python 3.10+ and Java 17+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MINUTES ?= 20
TRANSACTIONS ?= 1000
FILES ?=
HARD ?=
PYTEST ?=
CASES ?=
CHANGES ?= 20000
ROWS ?= 200000
REPEATS ?= 1
MEMORY ?= 6g

.DEFAULT_GOAL := help
.PHONY: help check venv jars demo demo-postgres test test-postgres cluster scenarios soak mutants bench docs lint \
	requirements clean

help:  ## this text
	@echo "make demo       two made-up publications, conflicts and all, in SQLite databases that stay for a look"
	@echo "make demo-postgres  the same in databases of a PostgreSQL server of its own"
	@echo "make test       all tests (PYTEST='-k name' for some of them)"
	@echo "make test-postgres  real databases as nodes, on a PostgreSQL server of its own"
	@echo "make cluster    the demo on a Spark cluster of this machine, compared with local: TRANSACTIONS=$(TRANSACTIONS)"
	@echo "make scenarios  suite files: FILES=\"a.yml b.yml\" (default: the documented ones), HARD=1 for the hard pass"
	@echo "make soak       random workloads against the sequential reader: MINUTES=$(MINUTES)"
	@echo "make mutants    break rules on purpose; each must be noticed by a test"
	@echo "make bench      how fast it is beside other ways: CASES=\"queued double\" (default: all),"
	@echo "                CHANGES=$(CHANGES) ROWS=$(ROWS) REPEATS=$(REPEATS) MEMORY=$(MEMORY)"
	@echo "make docs       dbt's pages about models and lineage, as one file"
	@echo "make lint       every check of .pre-commit-config.yaml on every file"
	@echo "make venv jars  only the virtual environment, only the Delta jars"
	@echo "make clean      remove what was made, except $(VENV) and jars"

check:
	@scripts/check.sh "$(PYTHON)"

$(VENV)/.packages: requirements.txt
	@scripts/check.sh "$(PYTHON)"
	@echo "Making $(VENV), once (a few minutes) ..."
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

$(VENV)/.project: $(VENV)/.packages pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

venv: check $(VENV)/.project

jars: venv
	@$(BIN)/replication-conflicts jars

demo: jars
	@$(BIN)/replication-conflicts demo

# starts a server of its own, as make test-postgres does; installs nothing
demo-postgres: jars
	@$(BIN)/replication-conflicts demo --databases postgres

# in two processes; tests that share a Spark session stay together, and long ones do not come last
test: jars
	$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --no-loadscope-reorder $(PYTEST)

# starts a server of its own, in a folder and not as root, and stops it; installs nothing
test-postgres: venv
	TEST_POSTGRES=1 $(BIN)/python -m pytest tests/python/nodes_loop -k postgres $(PYTEST)

# a master and two workers on loopback, started for it and stopped at the end
cluster: jars
	@$(BIN)/replication-conflicts cluster --transactions $(TRANSACTIONS)

scenarios: jars
	@$(BIN)/replication-conflicts scenarios $(if $(HARD),--hard) \
		--expected-failures tests/scenarios/expected_failures.yml $(if $(FILES),,--every) \
		$(or $(FILES),$(wildcard tests/scenarios/documented/*.yml))

soak: jars
	@$(BIN)/python -m tests.python.soak --minutes $(MINUTES)

mutants: jars
	@$(BIN)/python -m tests.python.mutants

# .local/bench keeps the data of the last run, and the figures of every case that was measured
bench: jars
	@$(BIN)/python -m tests.python.bench $(CASES) --changes $(CHANGES) --rows $(ROWS) \
		--repeats $(REPEATS) --memory $(MEMORY)

docs: jars
	@$(BIN)/dbt --quiet docs generate --static --profiles-dir profiles
	@echo "Open target/static_index.html in a browser; the lineage is behind the button at the lower right."

lint: jars
	@$(BIN)/pre-commit run --all-files

requirements:  # resolve requirements.in anew, for every Python from 3.10 and every platform; needs uv
	uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.10 \
		--no-emit-index-url --no-emit-find-links --no-header --no-strip-extras requirements.in -o requirements.txt

clean:
	rm -rf target logs dbt_packages .local/warehouse .local/metastore_db .local/hive_resources .local/logs \
		.local/demo .local/demo.lock .local/cluster .local/bench .local/soak .local/class_archive.log \
		.mypy_cache .ruff_cache .pytest_cache .hypothesis
