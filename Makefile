# make demo     resolve a sample text, or another: make demo TEXT="Ann said she left."
#               of another language: make demo LANG=de
# make test     build the sdist, install it and run its tests; the slow ones, too:
#               make test PYTEST_ARGS=--slow
# make fuzz     try 10,000 hostile inputs of each kind; again: make fuzz SEED=…
# make lint     check style and types
# make docs     build the documentation site in build/site
# They install what they need into $(VENV): they need Python, make and a network.
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
TRANSFORMERS ?= transformers>=4.53,<6
EXTRA ?=
FUZZ_EXAMPLES ?= 10000
# Another one each time, and one for the whole run.
ifndef SEED
SEED := $(shell $(PYTHON) -c "import random; print(random.randrange(2**32))")
endif
# LANG of the environment is the locale, which is none of ours.
DEMO_LANG := $(if $(filter command,$(firstword $(origin LANG))),$(LANG),en)
SAMPLE_en := Alice Walker is a lawyer in Boston. She met Tom Baker last week, and he asked her about the new contract.
SAMPLE_de := Anna Weber ist Anwältin in Bremen. Sie traf letzte Woche Tom Becker, und er fragte sie nach dem neuen Vertrag.
SAMPLE_fr := Anne Martin est avocate à Lyon. Elle a rencontré Paul Durand la semaine dernière, et il lui a parlé du nouveau contrat.
SAMPLE_pl := Anna Nowak jest prawniczką w Krakowie. W zeszłym tygodniu spotkała Tomasza Zielińskiego, a on zapytał ją o nową umowę.
SAMPLE_nl := Anna de Vries is advocate in Utrecht. Zij sprak vorige week met Tom Bakker, en hij vroeg haar naar het nieuwe contract.
# A text from the command line is used as it is, with every $ in it.
export DEMO_TEXT := $(if $(filter undefined,$(origin TEXT)),$(SAMPLE_$(DEMO_LANG)),$(value TEXT))
# The same folder from wherever a command runs.
ENV := $(abspath $(VENV))
BIN := $(ENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# Python compiles what is imported; to compile all would take longer than to install it.
PIP := $(BIN)/python -m pip install --quiet --no-compile
unexport PYTHONDONTWRITEBYTECODE
# It is there once everything in the environment is.
READY := $(ENV)/.ready

# It is there once the package in the environment is that of these files.
INSTALLED := $(ENV)/.installed
FILES = $(foreach one,$(wildcard $(1)/*),$(call FILES,$(one)) $(filter %.py %.cfg %.json %.txt %.md %.safetensors %.js %.css %.html,$(one)))
SOURCES := $(call FILES,spacy_fastcoref) setup.cfg setup.py

.PHONY: demo test fuzz lint docs install sdist wheel clean

# Nothing is built again that is as it was.
demo: $(INSTALLED)
	@$(BIN)/python -m spacy coref resolve --lang $(DEMO_LANG) "$$DEMO_TEXT"

# The tests that are in the sdist, against the package that was built from it. One thread
# for each process: the tests run side by side, one a core.
test: build/sdist
	cd build/sdist/tests && OMP_NUM_THREADS=1 $(PYTEST) $(PYTEST_ARGS)

# What is drawn depends on the seed alone. Output is not captured: it says what hangs.
fuzz: build/sdist
	@echo "make fuzz SEED=$(SEED) FUZZ_EXAMPLES=$(FUZZ_EXAMPLES)"
	cd build/sdist/tests && env -u CI OMP_NUM_THREADS=1 FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) \
		$(PYTEST) -s --slow fuzz --hypothesis-seed=$(SEED) $(PYTEST_ARGS)

# What the tests need is listed once, in setup.cfg.
define LIST_EXTRAS
import configparser
config = configparser.ConfigParser()
config.read("setup.cfg")
extras = config["options.extras_require"]
print(extras["ray"], extras["server"], extras["test"], sep="\n")
endef
export LIST_EXTRAS

PYTEST = $(BIN)/pytest -n auto --dist worksteal

.PHONY: build/sdist
build/sdist: install
	@mkdir -p build
	$(BIN)/python -c "$$LIST_EXTRAS" >build/extras.txt
	$(PIP) -r build/extras.txt
	rm -rf build/sdist
	mkdir -p build/sdist
	tar -xzf dist/*.tar.gz -C build/sdist --strip-components=1
	rm -rf build/sdist/spacy_fastcoref build/sdist/*.egg-info

lint: install
	$(PIP) "ruff>=0.15" "mypy>=1.15"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# A broken link is an error. The pictures are drawn with the installed package.
docs: install
	$(PIP) "mkdocs>=1.6,<2" "mkdocs-material>=9.5,<10" "mkdocstrings[python]>=0.27"
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

install: sdist
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel dist/*.tar.gz
	$(PIP) "$(TRANSFORMERS)" $(EXTRA) build/wheel/*.whl
	$(PIP) --no-deps --force-reinstall build/wheel/*.whl
	touch "$(INSTALLED)"

$(INSTALLED): $(SOURCES) | $(READY)
	$(MAKE) install

sdist wheel: $(READY)
	rm -rf build dist
	@mkdir -p build
	$(BIN)/python -m build --$@ --outdir dist . >build/$@.log 2>&1 || (cat build/$@.log; false)

# torch first: without it, other packages would bring its largest build. A run that fails
# leaves no stamp, so the next one repairs the environment; both commands can be repeated.
$(READY):
	$(PYTHON) -m venv "$(ENV)"
	$(PIP) "$(TORCH)"
	$(PIP) build
	touch "$@"

clean:
	rm -rf build dist *.egg-info
	if [ -f "$(READY)" ] || [ -f "$(ENV)/pyvenv.cfg" ]; then rm -rf "$(ENV)"; fi
