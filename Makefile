# make demo     resolve a sample text, or another: make demo TEXT="Ann said she left."
# make test     build the sdist, install it and run its tests
# make lint     check style and types
# They install what they need into $(VENV): they need Python, make and a network.
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
TRANSFORMERS ?= transformers>=4.53,<6
EXTRA ?=
# A text from the command line is used as it is, with every $ in it.
SAMPLE := Alice Walker is a lawyer in Boston. She met Tom Baker last week, and he asked her about the new contract.
export DEMO_TEXT := $(if $(filter undefined,$(origin TEXT)),$(SAMPLE),$(value TEXT))
# The same folder from wherever a command runs.
ENV := $(abspath $(VENV))
BIN := $(ENV)/bin
# It is there once everything in the environment is.
READY := $(ENV)/.ready

.PHONY: demo test lint install sdist wheel clean

demo: install
	@$(BIN)/python -m spacy coref resolve "$$DEMO_TEXT"

# The tests that are in the sdist, against the package that was built from it. One thread
# for each process: the tests run side by side, one a core.
test: install
	$(BIN)/python -m pip install --quiet "pytest>=8.0" "pytest-xdist>=3.6" "hypothesis>=6.100"
	rm -rf build/sdist
	mkdir -p build/sdist
	tar -xzf dist/*.tar.gz -C build/sdist --strip-components=1
	rm -rf build/sdist/spacy_fastcoref build/sdist/*.egg-info
	cd build/sdist/tests && OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal $(PYTEST_ARGS)

lint: install
	$(BIN)/python -m pip install --quiet "ruff>=0.15" "mypy>=1.15"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

install: sdist
	$(BIN)/python -m pip install --quiet "$(TRANSFORMERS)" $(EXTRA) dist/*.tar.gz
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall dist/*.tar.gz

sdist wheel: $(READY)
	rm -rf build dist
	@mkdir -p build
	$(BIN)/python -m build --$@ --outdir dist . >build/$@.log 2>&1 || (cat build/$@.log; false)

# torch first: without it, other packages would bring its largest build. A run that fails
# leaves no stamp, so the next one repairs the environment; both commands can be repeated.
$(READY):
	$(PYTHON) -m venv "$(ENV)"
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet build
	touch "$@"

clean:
	rm -rf build dist *.egg-info
	if [ -f "$(READY)" ] || [ -f "$(ENV)/pyvenv.cfg" ]; then rm -rf "$(ENV)"; fi
