# make demo     resolve a sample text, or another: make demo TEXT="Ann said she left."
# make test     run the tests against the wheel, installed
# make lint     check the style
# Both set up what they need in $(VENV), from nothing but Python and make.
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
TRANSFORMERS ?= transformers>=4.53,<6
EXTRA ?=
TEXT ?= Alice Walker is a lawyer in Boston. She met Tom Baker last week, and he asked her about the new contract.
BIN := $(VENV)/bin
export TEXT

.PHONY: demo test lint install wheel clean

demo: install
	@$(BIN)/python -m spacy coref resolve "$$TEXT"

# One thread each: the tests run side by side, one a core.
test: install
	$(BIN)/python -m pip install --quiet "pytest>=8.0" "pytest-xdist>=3.6" "hypothesis>=6.100"
	cd tests && OMP_NUM_THREADS=1 ../$(BIN)/pytest -n auto --dist worksteal $(PYTEST_ARGS)

lint: $(BIN)/python
	$(BIN)/python -m pip install --quiet "ruff>=0.15"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

install: wheel
	$(BIN)/python -m pip install --quiet "$(TRANSFORMERS)" $(EXTRA) dist/*.whl
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall dist/*.whl

wheel: $(BIN)/python
	rm -rf build dist
	@mkdir -p build
	$(BIN)/python -m build --outdir dist . >build/wheel.log 2>&1 || (cat build/wheel.log; false)

# torch first: without it, other packages would bring its largest build.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet build

clean:
	rm -rf build dist $(VENV) *.egg-info
