# One front door: `make help` lists every command. Each works from a fresh clone and repeats only what has changed.
#
# Variables: PYTHON (the interpreter of a new environment), VENV, CC, CXX, FILE (for demo), ARGS (for pytest);
# NUMPY=2.4.3 uses that NumPy, in a separate environment; CONSTRAINTS= uses the package index's current versions;
# COWARRAY_WERROR=1 makes warnings errors; COWARRAY_SANITIZE=address|undefined|thread instruments the code, in a
# separate environment and build directory; COWARRAY_YIELD=1 compiles yield points into the C tests.

include flags.mk

PYTHON ?= python3
ifeq ($(origin CXX),default)
CXX := $(notdir $(firstword $(shell command -v g++ clang++ c++ 2> /dev/null) c++))
endif
COMMA := ,
VARIANT := $(addprefix -,$(subst $(COMMA),+,$(COWARRAY_SANITIZE)))
VENV ?= .venv$(VARIANT)$(addprefix -numpy-,$(NUMPY))
IN_VENV := $(VENV)/bin/python
# Every package is installed in the version that was tested. Only NUMPY= replaces one: the file's NumPy.
CONSTRAINTS ?= constraints.txt
CONSTRAINED := $(if $(NUMPY),$(VENV)/constraints.txt,$(CONSTRAINTS))
# Modules are compiled to bytecode when they are imported: compiling everything would take half of pip's time.
PIP := $(IN_VENV) -m pip install -qq --no-compile $(addprefix --constraint ,$(CONSTRAINED))
PIP_NEEDED := pip>=25.1
# Reports a check that this machine cannot run; `make check` repeats it at its end.
SKIP = tools/skip.sh "$(1)"

export PIP_DISABLE_PIP_VERSION_CHECK := 1
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-20s %s\n", $$1, $$2 }' Makefile

# ---- environment and extensions --------------------------------------------------------------------------------------

# Excludes the headers that a build copies into the package.
EXTENSION_SOURCES := setup.py flags.mk $(shell find include src -path src/cowarray/include -prune -o -name '*.[ch]' -print \
    -o -name '*.p[xy][dx]' -print)
BUILT := $(VENV)/.built$(if $(filter 1,$(COWARRAY_WERROR)),-werror)
SUPPORTED := 3.11 3.12 3.13 3.14
GROUPS := test check site wheels comparison conformance conformance-scipy constraints
GROUP = $(PIP) '$(PIP_NEEDED)' && $(PIP) --group

$(VENV)/.python: pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) tools/needs.py $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(if $(NUMPY),{ echo 'numpy==$(NUMPY)'; $(if $(CONSTRAINTS),grep -v '^numpy==' $(CONSTRAINTS);) } > $(CONSTRAINED))
	@$(PIP) $$($(IN_VENV) tools/requires.py)
	@touch $@

# The plain build is an editable install; afterwards, changed extensions are compiled in place. A variant is a regular
# install: its extensions must not replace those in src/. A build without warnings also counts as one that allows
# them.
ifeq ($(VARIANT),)
$(VENV)/.installed: $(VENV)/.python setup.py pyproject.toml
	@echo "Building cowarray ..."
	@$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@ $(VENV)/.just-built

$(BUILT): $(VENV)/.installed $(EXTENSION_SOURCES)
	@if [ -e $(VENV)/.just-built ]; then rm $(VENV)/.just-built; \
	else echo "Building cowarray ..." && $(IN_VENV) setup.py --quiet build_ext --inplace; fi
	@touch $@ $(VENV)/.built
else
$(BUILT): $(VENV)/.python $(EXTENSION_SOURCES) $(shell find src/cowarray -name '*.py' -o -name '*.pyi')
	@echo "Building cowarray$(VARIANT) ..."
	@$(PIP) --no-build-isolation --no-deps --force-reinstall .
	@touch $@ $(VENV)/.built
endif

$(addprefix $(VENV)/.,$(GROUPS)): $(VENV)/.%: $(VENV)/.python
	@$(GROUP) $*
	@touch $@

# Only the packages that pyproject.toml's extras name: installing cowarray with its extras would compile it again.
$(VENV)/.producers $(VENV)/.bench $(VENV)/.clients $(VENV)/.engines: $(VENV)/.%: $(VENV)/.python
	@echo "Installing what $* needs ..."
	@$(PIP) $$($(IN_VENV) tools/requires.py $*)
	@touch $@

AT_HAND = $(shell tools/at_hand.sh $(1))

constraints: $(VENV)/.constraints ## Renew constraints.txt: the newest versions that pyproject.toml allows, for each Python and system
	@{ echo '$(PIP_NEEDED)'; $(IN_VENV) tools/requires.py | tr ' ' '\n'; } | $(VENV)/bin/uv pip compile --quiet --universal --upgrade \
	    --python-version $(firstword $(SUPPORTED)) --no-annotate --custom-compile-command "make constraints" \
	    --all-extras $(addprefix --group ,$(GROUPS)) --output-file constraints.txt - pyproject.toml

FREE_THREADED ?= $(firstword $(shell command -v python3.14t python3.13t 2> /dev/null))

# ---- to use and to test ----------------------------------------------------------------------------------------------

demo: $(BUILT) ## See what it does; on your own array with FILE=array.npy
	@$(IN_VENV) -m cowarray demo $(if $(FILE),"$(FILE)")

# The files that name a mark. Collecting all files takes half a minute under a sanitizer, in each process.
marked = $(shell grep -rl --include='test_*.py' 'mark\.$(1)\b' tests) -m '$(1) and not long'

# A process for each core; one that has nothing left takes tests from another. WORKERS= runs the tests in one process, for
# a debugger or to see their output.
WORKERS ?= --numprocesses=auto --dist=worksteal

test: $(BUILT) $(VENV)/.test ## Run the Python tests (ARGS="-k name" picks some)
	@$(IN_VENV) -m pytest $(WORKERS) $(ARGS)

docs-test: $(BUILT) $(VENV)/.test ## Run the examples in README.md, docs/ and docstrings, and check tables and links
	@$(IN_VENV) -m pytest README.md docs tests/project/test_docs.py tests/project/test_site.py $(ARGS)

conformance-standard: $(BUILT) $(VENV)/.conformance ## Run the array API standard's own tests (ARRAY_API_TESTS=: data-apis/array-api-tests)
	@test -n "$(ARRAY_API_TESTS)" || { echo "conformance-standard: name the suite's folder, ARRAY_API_TESTS=..."; exit 1; }
	@$(IN_VENV) tests/conformance/standard.py "$(ARRAY_API_TESTS)" $(ARGS)

# A complete run also counts instructions, and updates the documentation. The report is written even after a failure.
bench: export COWARRAY_FREE_THREADED = $(if $(FREE_THREADED),$(CURDIR)/.venv-free-threaded/bin/python)
bench: $(BUILT) $(VENV)/.test $(VENV)/.bench ## Measure, next to the peers (RUNS=3: three runs, and medians); figures go to docs/targets.md and README.md
	@$(if $(FREE_THREADED),PIP_ONLY_BINARY=:all: $(MAKE) .venv-free-threaded/.built .venv-free-threaded/.test \
	    PYTHON="$(FREE_THREADED)" VENV=.venv-free-threaded CONSTRAINTS=,$(call SKIP,clones without a GIL: no free-threaded Python found))
	@tools/bench.sh $(IN_VENV) $(ARGS)

bench-readme: $(BUILT) $(VENV)/.bench ## Measure README.md's table and figure, and write them (ten minutes)
	@$(IN_VENV) bench/front_page.py $(ARGS) && $(IN_VENV) bench/pages.py

bench-compare: ## Compare two runs of make bench (BEFORE=, AFTER=: their JSON)
	@$(IN_VENV) bench/compare.py $(or $(BEFORE),build/bench/previous.json) $(or $(AFTER),build/bench/latest.json)

# The wheel is for the newest Python at hand, so that `make check` compiles for it only once: `make newest` and
# `make oldest` run their tests on this wheel.
NEWEST_PYTHON ?= $(firstword $(foreach version,3.14 3.13 3.12,$(call AT_HAND,$(version))))
package newest oldest prepare-newest: export WHEEL_PYTHON ?= $(or $(NEWEST_PYTHON),$(abspath $(IN_VENV)))
package: $(BUILT) $(VENV)/.test $(VENV)/.check ## Build sdist and wheel (WHEEL_PYTHON: for this Python), install and try them in a clean environment
	@$(IN_VENV) -m pytest $(call marked,package) $(ARGS)
	@touch $(WHEEL_TRIED)
WHEEL_TRIED := build/wheel-tried
$(WHEEL_TRIED): $(EXTENSION_SOURCES) $(shell find src/cowarray -name '*.py' -o -name '*.pyi')
	@$(MAKE) package VENV=.venv NUMPY= ARGS=

# Also reaches the environments that building and testing the package create.
package dist wheels tests: export PIP_CONSTRAINT := $(if $(CONSTRAINED),$(CURDIR)/$(CONSTRAINED))
package dist wheels tests: export PIP_BUILD_CONSTRAINT := $(if $(CONSTRAINED),$(CURDIR)/$(CONSTRAINED))

dist: $(VENV)/.check ## Build sdist and wheel into dist/
	@$(IN_VENV) -m build

wheels: $(VENV)/.wheels ## Build wheels for all Pythons at hand into dist/, and try each in an empty environment (ARGS=3.12)
	@$(IN_VENV) tools/wheels.py $(ARGS)

# ---- the core, with only a C compiler --------------------------------------------------------------------------------

WERROR := $(if $(filter 1,$(COWARRAY_WERROR)),-Werror)
SANITIZE := $(if $(COWARRAY_SANITIZE),-fsanitize=$(COWARRAY_SANITIZE) $(SANITIZED))
YIELD := $(if $(filter 1,$(COWARRAY_YIELD)),-DCOWI_YIELD_POINTS)
RELEASE_FLAGS := $(STANDARD) $(WARNINGS) $(WERROR) $(SANITIZE) $(YIELD) $(if $(SANITIZE),-O1,-O2) -g -pthread -Iinclude -Isrc/core -Itests/c
C_FLAGS := $(RELEASE_FLAGS) $(ASSERTIONS) $(NO_PAUSE)
C_VARIANT := $(notdir $(CC))$(VARIANT)$(if $(YIELD),-yield)$(if $(WERROR),-werror)
C_BUILD := build/c/$(C_VARIANT)
COUNT_BUILT = echo "built: $(words $(filter %.pyx,$(EXTENSION_SOURCES))) extensions, $$($(IN_VENV) --version), $$($(IN_VENV) -m pip freeze | grep -i '^numpy=')"
# THREADED=1: only tests that start threads. In the others ThreadSanitizer has no race to find.
C_TESTS := $(patsubst tests/c/%.c,$(C_BUILD)/%,$(shell grep -lwE $(if $(THREADED),'spawn|pthread_create','.*') tests/c/test_*.c)) \
    $(if $(THREADED),,$(C_BUILD)/release/test_assertions)
C_SHARED := $(patsubst %.c,$(C_BUILD)/%.o,$(notdir $(wildcard src/core/*.c) tests/c/harness.c tests/c/paging.c tests/c/tracing.c))
HEADERS := $(filter-out %/python.h,$(wildcard include/cowarray/*.h))
# Tests with a core whose calls for pages can be made to fail.
FAILING_TESTS := $(addprefix $(C_BUILD)/test_pages_,bases failures families ledger pasts policy)
# Percent of a stress test's usual rounds, where each round takes many times as long or another compiler's has all.
SHORT := 10

ctest: headers $(C_TESTS) ## Run the C tests; needs only a C compiler
	@RUN="$(RUN)" tools/ctest.sh $(C_VARIANT) $(C_TESTS)

# Old .d files still name sources that have moved out of src/core.
src/core/%.c: ;
vpath %.c tests/c tests/c/stress src/core
$(C_BUILD)/%.o: %.c Makefile flags.mk
	@mkdir -p $(@D)
	@$(CC) $(C_FLAGS) -MMD -MP -c $< -o $@

$(filter-out %/test_limits $(FAILING_TESTS) %/release/test_assertions,$(C_TESTS)): %: %.o $(C_SHARED)
	@$(CC) $(SANITIZE) -pthread $^ -o $@

# A core with low limits for its counts, so that a test can reach them.
LIMITED := $(patsubst $(C_BUILD)/%,$(C_BUILD)/limited/%,$(C_BUILD)/test_limits.o $(C_SHARED))
$(C_BUILD)/test_limits: $(LIMITED)
	@$(CC) $(SANITIZE) -pthread $^ -o $@
$(LIMITED): $(C_BUILD)/limited/%.o: %.c Makefile flags.mk
	@mkdir -p $(@D)
	@$(CC) $(C_FLAGS) -DCOWI_COUNT_LIMIT=1000 -MMD -MP -c $< -o $@

FAILING := $(patsubst %,$(C_BUILD)/failing/%.o,pages policy windows aside pasts maps commits base dirty prices family lender ground differences \
    travel)
$(FAILING_TESTS): $(C_BUILD)/%: $(C_BUILD)/%.o $(C_BUILD)/failing.o $(C_BUILD)/priced.o $(FAILING) \
    $(filter-out $(patsubst $(C_BUILD)/failing/%,$(C_BUILD)/%,$(FAILING)),$(C_SHARED))
	@$(CC) $(SANITIZE) -pthread $^ -o $@
$(FAILING): $(C_BUILD)/failing/%.o: %.c Makefile flags.mk
	@mkdir -p $(@D)
	@$(CC) $(C_FLAGS) -DFAILING_RENAMES -include tests/c/failing.h -MMD -MP -c $< -o $@

# A core with a release's assertions.
RELEASE := $(patsubst $(C_BUILD)/%,$(C_BUILD)/release/%,$(C_BUILD)/test_assertions.o $(C_SHARED))
$(C_BUILD)/release/test_assertions: $(RELEASE)
	@$(CC) $(SANITIZE) -pthread $^ -o $@
$(RELEASE): $(C_BUILD)/release/%.o: %.c Makefile flags.mk
	@mkdir -p $(@D)
	@$(CC) $(RELEASE_FLAGS) -MMD -MP -c $< -o $@

SECONDS ?= 20
STRESS := $(C_BUILD)/stress
$(STRESS): $(patsubst %.c,$(C_BUILD)/%.o,$(notdir $(wildcard tests/c/stress/*.c))) $(C_SHARED)
	@$(CC) $(SANITIZE) -pthread $^ -o $@

stress: stress-core stress-arrays ## Run random operations in threads, and check their results (SEED=, SECONDS=)
stress-core: ## The same, for the core only
	@COWARRAY_YIELD=1 $(MAKE) run-stress
run-stress: $(STRESS)
	@$(if $(SEED),COWARRAY_TEST_SEED=$(SEED)) $(RUN) $(STRESS) $(SECONDS)
stress-arrays: $(BUILT) $(VENV)/.test ## The same, through Python
	@$(IN_VENV) tests/threads/stress.py --seconds $(SECONDS) $(addprefix --seed ,$(SEED))

mutants: ## Check that the C tests find planted faults (ARGS=gate picks some)
	@CC="$(CC)" $(PYTHON) tests/c/mutants.py $(ARGS)

stress-mutants: ## Check that the stress program finds planted faults
	@CC="$(CC)" $(PYTHON) tests/c/stress/mutants.py $(ARGS)

.PRECIOUS: $(C_BUILD)/%.o
-include $(wildcard $(C_BUILD)/*.d $(C_BUILD)/limited/*.d $(C_BUILD)/failing/*.d $(C_BUILD)/release/*.d)

headers:
	@CC="$(CC)" CXX="$(CXX)" tools/headers.sh $(HEADERS)

# Without leak checks: the tests count what is not freed, and a forked child loses what the other threads had.
# valgrind runs one thread at a time, and busy threads during a fork starve it: the sanitizers run that program.
UNDER_VALGRIND = $(shell $(PYTHON) tools/sampling.py "C programs under valgrind" $(filter-out %/test_fork,$(C_TESTS)))
memcheck: ## Run the C tests under valgrind (where installed)
	@if command -v valgrind > /dev/null; then \
	    COWARRAY_TEST_SCALE=$(SHORT) $(MAKE) ctest C_TESTS="$(UNDER_VALGRIND)" \
	        RUN="valgrind --fair-sched=try --quiet --error-exitcode=9 --leak-check=no"; \
	else $(call SKIP,C tests under valgrind: not installed); fi

# ---- sanitizers ------------------------------------------------------------------------------------------------------

# Python itself is not instrumented, so the runtime is preloaded; Python's own leaks are not reported. Python's objects
# come from malloc there, so that use after free is detected.
RUNTIME_address := libasan.so
RUNTIME_undefined := libubsan.so
RUNTIME_thread := libtsan.so
PRELOAD = $(shell $(CC) -print-file-name=$(RUNTIME_$(firstword $(subst $(COMMA), ,$(COWARRAY_SANITIZE)))))
SANITIZED_PYTHON = env LD_PRELOAD=$(PRELOAD) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
    TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:suppressions=$(CURDIR)/tests/sanitizers/thread.supp $(IN_VENV)

# test_races is about races on values.
RACES := tests/threads/test_races.py

asan: ## Run the C tests, the Python tests and the stress programs under AddressSanitizer
	@$(MAKE) ctest stress-core sanitized COWARRAY_SANITIZE=address
ubsan: ## The same under UndefinedBehaviorSanitizer
	@$(MAKE) ctest stress-core sanitized COWARRAY_SANITIZE=undefined
tsan: ## The same under ThreadSanitizer, with only the threaded Python tests
	@$(MAKE) ctest stress-core sanitized COWARRAY_SANITIZE=thread ARGS="$(filter-out $(RACES),$(call marked,threads)) $(ARGS)"

sanitized: $(BUILT) $(VENV)/.test
	@$(SANITIZED_PYTHON) tests/threads/stress.py --seconds $(SECONDS) $(addprefix --seed ,$(SEED))
	@$(SANITIZED_PYTHON) -m pytest --capture=sys $(ARGS)

# The short run: the C tests, with yield points. One build combines the first two sanitizers.
sanitized-ctest:
	@for sanitizers in address,undefined thread; do \
	    if tools/links.sh $(CC) -fsanitize=$$sanitizers; \
	    then COWARRAY_TEST_SCALE=$(SHORT) $(MAKE) ctest run-stress COWARRAY_SANITIZE=$$sanitizers COWARRAY_YIELD=1 SECONDS=5 \
	        THREADED=$$(test $$sanitizers = thread && echo 1) || exit 1; \
	    else $(call SKIP,C tests under sanitizers ($$sanitizers): they do not work with $(CC) here); fi; \
	done

# The Python tests closest to memory, which carry a mark (`pytestmark`), with both sanitizers in one build.
PYTHON_SANITIZERS := address,undefined
NO_SANITIZED_PYTHON = $(call SKIP,Python tests under sanitizers: they do not work with $(CC) here)
sanitized-python:
	@if tools/links.sh $(CC) -fsanitize=$(PYTHON_SANITIZERS); \
	then $(MAKE) sanitized COWARRAY_SANITIZE=$(PYTHON_SANITIZERS) COWARRAY_WERROR= SECONDS=5 \
	    ARGS="$(WORKERS) $(call marked,sanitized) $(ARGS)"; \
	else $(NO_SANITIZED_PYTHON); fi

# ---- fuzzing ---------------------------------------------------------------------------------------------------------

FUZZ_FLAGS := $(STANDARD) $(WARNINGS) $(ASSERTIONS) -Werror -O1 -g -pthread -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
# Checking one commit generates the same inputs each time.
FUZZ_UNTIL = $(if $(COWARRAY_CHECK_SEED),-seed=$(COWARRAY_CHECK_SEED) -runs=2500,-max_total_time=$(SECONDS))
FUZZ_INCLUDES := -Iinclude -Isrc/core -Itests/c -Itests/c/stress
FUZZ_SOURCES := $(wildcard src/core/*.c tests/c/stress/*.c) tests/c/harness.c tests/c/tracing.c tests/fuzz/core.c

# New inputs go to build/fuzz/core; each run begins with the corpus in the tree.
fuzz-core: ## Look for inputs that break the C API, with libFuzzer (SECONDS=; where installed)
	@mkdir -p build/fuzz/core
	@if ! tools/links.sh clang -fsanitize=fuzzer,address,undefined; then \
	    $(call SKIP,fuzzing the C API: needs clang and its libFuzzer (libclang-rt)); \
	else clang $(FUZZ_FLAGS) $(FUZZ_INCLUDES) $(filter-out %/stress.c,$(FUZZ_SOURCES)) -o build/fuzz/core-fuzzer && \
	    build/fuzz/core-fuzzer $(FUZZ_UNTIL) -max_len=600 -artifact_prefix=build/fuzz/ -verbosity=0 -print_final_stats=1 \
	        build/fuzz/core tests/fuzz/corpus/core 2> build/fuzz/core.log || { cat build/fuzz/core.log; exit 1; }; \
	    sed -n 's/^stat::number_of_executed_units: *\(.*\)/fuzz-core: \1 inputs/p' build/fuzz/core.log; fi

fuzz: fuzz-core fuzz-python ## Try random inputs, mutated from tests/fuzz/corpus (SEED=, SECONDS=, TARGETS="npy pickle")
fuzz-python: $(BUILT) $(VENV)/.test ## The same, for the Python interface only
	@$(IN_VENV) tests/fuzz/fuzz.py --seconds $(SECONDS) $(addprefix --seed ,$(SEED)) $(TARGETS)

# ---- without a GIL ---------------------------------------------------------------------------------------------------

# Not every version of NumPy and the tools has a wheel for such a build: the newest one with a wheel will do, whatever
# the constraints say.
free-threaded tsan-free-threaded: export PIP_ONLY_BINARY := :all:
free-threaded tsan-free-threaded: export CONSTRAINTS :=
free-threaded: ## Run the Python tests on a free-threaded Python (FREE_THREADED=python3.13t), if there is one
	@if [ -n "$(FREE_THREADED)" ]; then $(MAKE) test PYTHON="$(FREE_THREADED)" VENV=.venv-free-threaded; \
	else $(call SKIP,Python tests without a GIL: no free-threaded Python found); fi

# Build such a Python with: CC=clang ./configure --disable-gil --with-thread-sanitizer
tsan-free-threaded: ## Run tests of concurrent reads on a free-threaded Python with ThreadSanitizer (TSAN_PYTHON=)
	@test -n "$(TSAN_PYTHON)" || { echo "tsan-free-threaded: name the interpreter, TSAN_PYTHON=..."; exit 1; }
	@TSAN_OPTIONS=report_bugs=0 $(MAKE) .venv-tsan-python/.built .venv-tsan-python/.test \
	    PYTHON="$(TSAN_PYTHON)" VENV=.venv-tsan-python CC=clang COWARRAY_SANITIZE=thread
	@TSAN_OPTIONS=halt_on_error=1 .venv-tsan-python/bin/python -m pytest tests/threads/test_concurrent_reads.py $(ARGS)

leaks: $(BUILT) $(VENV)/.test ## Run each Python test several times and check that nothing grows (ARGS= picks some)
	@PYTHONPATH=tests/leaks $(IN_VENV) -m pytest -p leaks -p no:randomly $(ARGS)

# ---- conformance -----------------------------------------------------------------------------------------------------

# The version that tests/conformance/numpy_expected.txt was made for.
NUMPY_TESTED := 2.4.6

conformance-numpy: ## Run the tests that ship with NumPy on cowarray's arrays (ARGS=numpy.lib.tests.test_io picks some)
	@$(MAKE) run-conformance-numpy NUMPY=$(NUMPY_TESTED)
run-conformance-numpy: $(BUILT) $(VENV)/.test
	@$(IN_VENV) tests/conformance/numpy_own.py $(ARGS)

# In a separate environment: other tests look for SciPy, and do more if they find it.
conformance-scipy: ## Run the array API tests of SciPy and scikit-learn on cowarray.array_api (ARGS=scipy.fft picks some)
	@$(MAKE) run-conformance-scipy VENV=.venv-scipy
run-conformance-scipy: $(BUILT) $(VENV)/.conformance-scipy
	@$(IN_VENV) tests/conformance/scipy_own.py $(ARGS)

# In a separate environment: these are dozens of libraries, and other tests do more if they find one.
clients: ## Test cowarray with the libraries of docs/libraries.md, and write that page (ARGS="-k pandas" picks some)
	@$(MAKE) run-clients VENV=.venv-clients
run-clients: $(BUILT) $(VENV)/.test $(VENV)/.clients
	@PYTHONPATH=tests $(IN_VENV) tests/clients/page.py $(ARGS)

# ---- comparison ------------------------------------------------------------------------------------------------------

# In a separate environment: other tests look for these libraries, and do more if they find them.
comparison: ## Run other libraries for comparison, and write docs/comparison.md (ARGS=threads: one program)
	@$(MAKE) run-comparison VENV=.venv-comparison
run-comparison: $(BUILT) $(VENV)/.comparison
	@$(IN_VENV) docs/comparison.py --run $(ARGS)

# In a separate environment: engines have many dependencies, and not for every Python.
engines: ## Test with Dask, distributed, Ray and joblib, and run their examples (docs/engines.md)
	@$(MAKE) run-engines VENV=.venv-engines
run-engines: $(BUILT) $(VENV)/.test $(VENV)/.engines
	@$(IN_VENV) -m pytest tests/engines $(ARGS)

# ---- other versions of NumPy and Python ------------------------------------------------------------------------------

OLDEST_NUMPY := $(shell sed -n 's|^dependencies = \["numpy>=\([0-9.]*\).*"\]$$|\1|p' pyproject.toml)

# Marked modules (`pytestmark`): there, results are NumPy's own, or its C API and memory are closest.
CLOSE_TO_NUMPY = $(call marked,numpy_ends)
NEWEST := .venv-newest
NO_NEWEST = $(call SKIP,newest NumPy: found no Python newer than 3.11)

numpy-ends: ## Test with the oldest NumPy that is allowed, and on the newest Python (ARGS=tests: all tests, not a part)
	@test -n "$(OLDEST_NUMPY)" || { echo "numpy-ends: pyproject.toml says no lowest version of NumPy"; exit 1; }
	@$(MAKE) test NUMPY=$(OLDEST_NUMPY) ARGS="$(or $(ARGS),$(CLOSE_TO_NUMPY))"
	@$(if $(NEWEST_PYTHON),$(MAKE) test PYTHON="$(NEWEST_PYTHON)" VENV=$(NEWEST) ARGS="$(or $(ARGS),$(CLOSE_TO_NUMPY))",$(NO_NEWEST))

# The wheel from `make package` must run with each NumPy that it allows: with the newest, all tests close to NumPy are
# run (without the sweep of all dtypes, which the other NumPy has covered), with the oldest, those that differ.
prepare-newest newest:
	@$(if $(NEWEST_PYTHON),$(MAKE) run-$@ PYTHON="$(WHEEL_PYTHON)" VENV=.venv-wheel-$(notdir $(WHEEL_PYTHON)),$(NO_NEWEST))
run-prepare-newest: $(VENV)/.wheel
	@echo "installed: a wheel for $$($(IN_VENV) --version), $$($(IN_VENV) -m pip freeze | grep -i '^numpy=')"
run-newest: $(VENV)/.wheel
	@$(IN_VENV) -m pytest $(WORKERS) $(filter-out tests/like_numpy/test_dtypes.py,$(CLOSE_TO_NUMPY)) $(ARGS)
oldest:
	@test -n "$(OLDEST_NUMPY)" || { echo "oldest: pyproject.toml says no lowest version of NumPy"; exit 1; }
	@$(MAKE) run-oldest PYTHON="$(WHEEL_PYTHON)" NUMPY=$(OLDEST_NUMPY) \
	    VENV=.venv-wheel-$(notdir $(WHEEL_PYTHON))-numpy-$(OLDEST_NUMPY)
run-oldest: $(VENV)/.wheel
	@$(IN_VENV) -m pytest $(call marked,numpy_versions) $(ARGS)
$(VENV)/.wheel: $(VENV)/.test $(WHEEL_TRIED)
	@$(PIP) --no-deps --force-reinstall build/package/*.whl
	@touch $@

# ---- models ----------------------------------------------------------------------------------------------------------

model: ## Check the models of the protocol with spin, and the core's sources with relacy and GenMC (where installed)
	@CC="$(CC)" CXX="$(CXX)" tools/model.sh $(PYTHON) $(ARGS)

# ---- sources and site ------------------------------------------------------------------------------------------------

lint: $(BUILT) $(VENV)/.check ## Lint and check format and docstrings: ruff, cython-lint, clang-format, numpydoc (ARGS=ruff picks some)
	@$(IN_VENV) tools/lint.py $(ARGS)

types: $(BUILT) $(VENV)/.check ## Check the types: mypy and pyright, both strict, and the stubs of extensions (ARGS=mypy picks some)
	@$(IN_VENV) tools/check_types.py $(ARGS)

# A separate environment, which uses the extensions that were built for the other: nothing is built twice.
SITE := .venv-site
SITE_PYTHON = PYTHONPATH=src $(SITE)/bin/python -B

site: $(BUILT) ## Build the documentation as a site, build/site/html; warnings are errors
	@$(MAKE) $(SITE)/.site VENV=$(SITE)
	@$(SITE_PYTHON) docs/site/build.py

site-look: ## Take pictures of the site's pages, wide and narrow, into build/site/pictures (after make site; needs chromium)
	@$(SITE_PYTHON) docs/site/look.py $(ARGS)

check-site:
	@if $(MAKE) $(SITE)/.site VENV=$(SITE) > build/site-packages.log 2>&1; then $(MAKE) site; \
	else tail -n 3 build/site-packages.log; $(call SKIP,the site: its packages could not be installed); fi

# ---- everything ------------------------------------------------------------------------------------------------------

# The stages of CI. First the builds, which share files: no other stage compiles in src/ or build/cython-*. Stages of
# the second list run two at a time; those of the third use both cores themselves.
BUILDS := prepare prepare-sanitized
BESIDE := package mutants model ctest types sanitized-ctest memcheck prepare-newest oldest check-clang check-site lint stress-core fuzz-core
WHOLE := sanitized-python newest free-threaded tests
STAGES := $(PYTHON) tools/stages.py

# Warnings are errors here. Long lists run in part, and the next commit takes the next part: tools/sampling.py.
check: export COWARRAY_WERROR := 1
# Seeds come from the commit, so that CI and a clone at home choose alike; all other runs use new seeds.
COMMITS = $(shell git rev-list --count HEAD 2> /dev/null)
check: export COWARRAY_CHECK_SEED ?= $(COMMITS)
check: export PYTHONHASHSEED ?= $(or $(COMMITS),random)
# Tests wait for processes that they start: one worker more than cores uses that time.
check: export WORKERS = --numprocesses=$(shell $(PYTHON) -c 'import os; print(os.cpu_count() + 1)') --dist=worksteal
check: export SAMPLE ?= $(addsuffix /4,$(shell echo $(COMMITS) | awk 'NF { print $$1 % 4 }'))
check: ## Run all of CI, and a quarter of the long lists
	@rm -rf build/check build/skipped build/sampled
	@$(MAKE) $(BUILDS:%=stage-%) && \
	    { $(MAKE) --jobs=2 --keep-going $(BESIDE:%=stage-%); $(MAKE) --keep-going $(WHOLE:%=stage-%); }; \
	$(STAGES) table $(BUILDS) $(BESIDE) $(WHOLE)
	@echo "make check: passed"

stage-%:
	@+$(STAGES) run $* $(MAKE) $*

stage-memcheck: stage-ctest # the same programs
stage-oldest stage-prepare-newest: stage-package # its wheel
stage-stress-core stage-fuzz-core: export SECONDS = 10

prepare: $(BUILT) $(VENV)/.test $(VENV)/.check $(VENV)/.producers $(VENV)/.bench
	@$(COUNT_BUILT)
prepare-sanitized:
	@if tools/links.sh $(CC) -fsanitize=$(PYTHON_SANITIZERS); \
	then $(MAKE) built COWARRAY_SANITIZE=$(PYTHON_SANITIZERS) COWARRAY_WERROR=; \
	else $(NO_SANITIZED_PYTHON); fi
built: $(BUILT) $(VENV)/.test
	@$(COUNT_BUILT)

# All tests that pytest finds.
tests: $(BUILT) $(VENV)/.test $(VENV)/.check $(VENV)/.producers $(VENV)/.bench
	@$(IN_VENV) -m pytest $(WORKERS) $(ARGS)

# `SAMPLE=` runs every list whole. What is many times as long with COWARRAY_ALL runs once so, on this Python and NumPy.
AFTER := numpy-ends long
check-all: ## Run what a release needs: all of CI in full, all tests at both ends of NumPy, and tests that take minutes
	@COWARRAY_ALL=1 $(MAKE) check SAMPLE=; \
	    $(MAKE) --keep-going $(AFTER:%=stage-%); \
	    $(STAGES) table $(BUILDS) $(BESIDE) $(WHOLE) $(AFTER)
	@echo "make check-all: passed"

stage-numpy-ends: override export ARGS = tests
long: $(BUILT) $(VENV)/.test
	@$(IN_VENV) -m pytest $(WORKERS) -m long $(ARGS)

check-long: check-all ## The same, for hours: also whole suites under sanitizers, leaks, ten minutes of stress and of each fuzzer
	@$(MAKE) stress fuzz SECONDS=600
	@$(MAKE) stress-mutants
	@$(MAKE) model ARGS=--long
	@$(MAKE) asan ubsan tsan leaks

check-quick: $(BUILT) $(VENV)/.test $(VENV)/.check ## Run before a commit: lint, types, the C tests, and the tests of changed code
	@$(MAKE) lint types ctest
	@$(IN_VENV) tools/changed.py $(WORKERS) $(ARGS)

check-clang:
	@if command -v clang > /dev/null; then COWARRAY_TEST_SCALE=$(if $(COWARRAY_ALL),100,$(SHORT)) $(MAKE) ctest CC=clang; else $(call SKIP,C tests with clang: not installed); fi

clean: ## Remove everything that was built, environments included
	rm -rf build dist .venv .venv-* .pytest_cache .hypothesis .benchmarks .mypy_cache .ruff_cache
	rm -rf src/cowarray/include src/*.egg-info; find src/cowarray -name '*.so' -delete

.PHONY: help demo test docs-test fuzz fuzz-python bench bench-readme bench-compare package dist wheels ctest headers memcheck asan ubsan tsan sanitized \
    sanitized-ctest free-threaded tsan-free-threaded model lint types check check-long check-all long check-quick check-clang clean prepare prepare-sanitized prepare-newest built tests newest run-newest run-prepare-newest oldest run-oldest \
    stress-core run-stress mutants stress-mutants stress stress-arrays fuzz-core leaks \
    sanitized-python conformance-standard conformance-numpy run-conformance-numpy conformance-scipy \
    run-conformance-scipy constraints numpy-ends site site-look check-site clients run-clients comparison run-comparison engines run-engines
