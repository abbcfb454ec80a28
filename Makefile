# make reproduce   everything from nothing: environment, data, runs, MLflow, report
# make test        the tests; make lint: ruff and mypy
# make mlflow-ui, make prefect-ui: the two UIs, on this machine only

TESTED_PYTHONS := 3.11
PYTHON ?= $(shell for p in $(addprefix python,$(TESTED_PYTHONS)) python3 python; do \
            $$p -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] not in "$(TESTED_PYTHONS)".split())' \
            >/dev/null 2>&1 && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
export MLFLOW_DISABLE_TELEMETRY = true
export DO_NOT_TRACK = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PREFECT_SERVER_ANALYTICS_ENABLED = false

.DEFAULT_GOAL := help
.PHONY: help install reproduce test test-heavy lint mlflow-ui prefect-ui bench

help:
	@sed -n '1,/^$$/s/^# //p' Makefile

$(INSTALLED): constraints.txt pyproject.toml
	@test -n "$(PYTHON)" && "$(PYTHON)" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] not in "$(TESTED_PYTHONS)".split())' 2>/dev/null || { \
	  echo "pearl is tested on Python $(TESTED_PYTHONS): $(if $(PYTHON),'$(PYTHON)' is no such Python,none was found)."; \
	  echo "  Install one of them, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Installing pinned packages into $(VENV): about 5 minutes and 2.3 GB, once."
	"$(PYTHON)" -m venv $(VENV)
	$(if $(TORCH_INDEX),$(BIN)/python -m pip install --quiet --constraint constraints.txt --index-url "$(TORCH_INDEX)" torch)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

install: $(INSTALLED)

reproduce: $(INSTALLED)
	@$(BIN)/python -m flows.reproduce

test: $(INSTALLED)
	$(BIN)/python -m pytest

test-heavy: $(INSTALLED)
	$(BIN)/python -m pytest -m heavy

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

mlflow-ui: $(INSTALLED)
	@echo "MLflow UI: http://127.0.0.1:$(or $(PORT),5000)/#/experiments?workflowType=machine_learning  (Ctrl-C stops it)"
	@MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false PYTHONWARNINGS=ignore::DeprecationWarning \
	  $(BIN)/mlflow server --workers 1 --host 127.0.0.1 --port $(or $(PORT),5000) \
	  --backend-store-uri sqlite:///mlruns/mlflow.db --artifacts-destination mlruns/artifacts

prefect-ui: $(INSTALLED)
	@$(BIN)/python -m flows.server --port $(or $(PORT),4200)
