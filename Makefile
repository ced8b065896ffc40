# Each target sets up what it needs; python3, make and a package index are enough.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help pictures demo test check format mutants bench coverage many-scores judges votes headroom claims features annotators weights ratings feebee first-minute paper follow-up findings scale docs generated clean people confusion models atlas dist dist-check lowest newest schema

help:
	@echo "make demo      every method on built-in data, beside the true floor"
	@echo "make test      the tests; set ERRORFLOOR_DATA to include the real sets"
	@echo "make check     lint, types, formatting"
	@echo "make mutants   small faults in the core, and whether the tests notice them"
	@echo "make bench     speed against the reference stack -> benchmarks/RESULTS.md, DOOR.md"
	@echo "make coverage  coverage of the intervals -> benchmarks/results/coverage.md"
	@echo "make many-scores coverage of floors from scores of many classes -> benchmarks/results/many_scores.md"
	@echo "make judges    coverage where some items have labels and all have scores -> benchmarks/results/judges.md"
	@echo "make votes     error and coverage of floors from few votes -> benchmarks/results/votes.md"
	@echo "make headroom  false verdicts and power of headroom -> benchmarks/results/headroom.md"
	@echo "make claims    how often what answers claim is true -> benchmarks/results/claims.md"
	@echo "make features  the record of answers from features -> benchmarks/results/features.md"
	@echo "make people    coverage of worth in people and of differences -> benchmarks/results/people.md"
	@echo "make confusion confusion of classes from few votes -> benchmarks/results/confusion.md"
	@echo "make models    coverage of the difference of two models -> benchmarks/results/models.md"
	@echo "make atlas     real sets with votes, and models as worth in people -> docs/atlas.md"
	@echo "make annotators coverage where annotators are a sample -> benchmarks/results/annotators.md"
	@echo "make ratings   coverage of ceilings from ratings -> benchmarks/results/ratings.md"
	@echo "make weights   coverage with weights and clusters -> benchmarks/results/weights.md"
	@echo "make feebee    the paper's FeeBee tables -> benchmarks/results/feebee.md; needs ERRORFLOOR_DATA"
	@echo "make scale     files of up to 10^8 rows beside scikit-learn -> benchmarks/results/scale.md"
	@echo "make findings  what changes with our better parts -> benchmarks/results/findings.md; needs ERRORFLOOR_DATA"
	@echo "make first-minute what a new user types, timed on a clean clone -> benchmarks/results/first_minute.md"
	@echo "make pictures  pictures of the documentation -> docs/figures; needs Chromium"
	@echo "make docs      the documentation, examples run -> docs/_build/html"
	@echo "make schema    the JSON Schema of every --json answer -> src/errorfloor/schema/"
	@echo "make generated parts of the documents that are made from the source"
	@echo "make dist      the wheel and the sdist of a release -> dist/, with their sizes"
	@echo "make dist-check the same, then installed by every line of README from the package index"
	@echo "make lowest    tests with the lowest allowed version of every dependency; VERSIONS=--full for all"
	@echo "make newest    the same with the newest, on the newest Python that is found"
	@echo "make paper     the paper's figures and tables -> paper/, docs/paper.md; resumes"
	@echo "make follow-up the next paper's, for balanced error and AUC -> docs/follow_up.md"

demo: .venv/core
	@$(BIN)/python -m errorfloor.apps.demo

# A worker for each core and one more, with one thread of linear algebra each; tests/conftest.py says
# why, and which tests one worker runs together. A worker that dies ends the run, as it does with one process. Some of them, one after the other: make test TESTS="-n 0 tests/test_cli.py"
# Compiled modules are kept, also where the environment says otherwise: each program that a test
# starts would compile them all again.
test: .venv/dev
	PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --max-worker-restart 0 $(TESTS)

check: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: .venv/dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Some of it: MUTANTS="--modules intervals --per-module 10 --seed 3"
mutants: .venv/dev
	$(BIN)/python -m tools.mutants $(MUTANTS)

# Written aside first, so that a run that is stopped leaves the old results alone.
bench: .venv/dev
	$(BIN)/python -m benchmarks.speed > .venv/results.md
	cp .venv/results.md benchmarks/RESULTS.md
	cat benchmarks/RESULTS.md
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.door

coverage: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.coverage

many-scores: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.many_scores

judges: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.judges

findings: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.findings

votes: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.votes

headroom: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.headroom

claims: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.claims

# With ends by DataEval: FEATURES="--dataeval PATH", an interpreter that has it.
features: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.features $(FEATURES)

ratings: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.ratings
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.ratings --speed

weights: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.weights

models: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.models

people: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.people

confusion: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.confusion

atlas: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.atlas

annotators: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.annotators

feebee: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.feebee

# Needs Chromium for the pictures.
first-minute: .venv/dev
	$(BIN)/python -m benchmarks.first_minute

pictures: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.pictures

scale: .venv/dev
	$(BIN)/python -m benchmarks.scale

# Takes the real sets from ERRORFLOOR_DATA where it is set, and else fetches and caches them.
paper: .venv/paper
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m papers --out paper --docs docs

follow-up: .venv/paper
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m papers --out paper --docs docs follow-up

# The pages' examples run as doctests, the gallery's while the pages are built: all of them, because
# what is left from the last time may come from other code or data.
docs: .venv/dev
	$(BIN)/python -m pytest -q docs
	rm -rf docs/api docs/auto_*
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m sphinx -n -W --keep-going -q \
		-d docs/_build/doctrees docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# The folders in CONTRIBUTING.md, and the tables of methods, intervals, layouts and formats.
generated: .venv/dev
	$(BIN)/python -m tools.generated

dist: .venv/dev
	$(BIN)/python -m tools.dist

dist-check: .venv/dev
	$(BIN)/python -m tools.dist --check

# A few minutes each without VERSIONS=--full, and a download.
lowest newest: .venv/dev
	$(BIN)/python -m tools.versions $@ $(VERSIONS)

# Where an answer has a new key. A changed or missing key is a new version of the schema: SCHEMA.
schema: .venv/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.schema

clean:
	rm -rf .venv dist .mypy_cache .pytest_cache .ruff_cache .hypothesis docs/_build docs/api docs/auto_*

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/core: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/paper: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[data,paper]"
	@touch $@ .venv/core

.venv/dev: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[app,cli,data,docs,paper,spark,test,dev]"
	@touch $@ .venv/core .venv/paper
