# The front door; everything behind it is CMake presets (CMakePresets.json) and scripts that can be run alone.
#   make run     build and start a server on https://127.0.0.1:6443, data in build/data
#   make build   bin/fairlead, bin/kube-apiserver, bin/etcd
#   make test    unit tests, conversations, real clients
JOBS ?= $(shell nproc)
PRESET ?= release
CMAKE_BUILD = cmake --build --preset
RUN_ARGS ?=

.PHONY: packages run build test test-all reference-diff fuzz-reference reference-conversations reference-beginnings reference-commands reference-plugins reference-broken reference-custom-resources cel-requests reference-cel bench-cel rule-coverage controlplane bench cel-vectors lint fuzz crash format clean

# What is missing of the Debian packages; asks for nothing where all are there.
packages: ; @tools/install-packages.sh

bin: ; @mkdir -p bin

build/%/build.ninja:
	cmake --preset $*

build: build/$(PRESET)/build.ninja | bin
	$(CMAKE_BUILD) $(PRESET) --target fairlead -j $(JOBS)
	@for name in fairlead kube-apiserver etcd; do ln -sfn ../build/$(PRESET)/src/server/fairlead bin/$$name; done

run: packages build
	bin/fairlead serve --data-dir build/data $(RUN_ARGS)

# The tests of the ordinary build, the conversations and the clients.
# TEST_ARGS=--sanitizers adds the unit tests under the sanitizers.
test: packages
	tools/run_tests.py $(TEST_ARGS)

# Everything under the sanitizers too, the conversations with it.
test-all: packages
	tools/run_tests.py --sanitizers --thorough

# The same random objects to Fairlead and to kube-apiserver: where do the answers differ?
# DIFF_ARGS=--objects=5000 for a short look.
reference-diff: build
	tests/reference/difference.py $(DIFF_ARGS)

# The same random sequences of applies, updates and patches to both: where do the objects part, or their owners?
# FUZZ_ARGS=--sequences=2000 for a short look.
fuzz-reference: build
	tests/reference/sequences.py $(FUZZ_ARGS)

# The recorded conversations with changed requests between their own, to both.
# CONVERSATIONS_ARGS="--requests 2000 --seed 7" for another short look.
reference-conversations: build
	tests/reference/mutated.py $(CONVERSATIONS_ARGS)

# What both begin with: discovery and every object, with several sets of flags. BEGINNINGS_ARGS="--only AllBeta" for some of them.
reference-beginnings: build
	tests/reference/beginnings.py $(BEGINNINGS_ARGS)

# Definitions of other projects on both, and random instances of them. CUSTOM_ARGS="--only gateway --instances 50" for a short look.
reference-custom-resources: build
	tests/reference/custom_resources.py $(CUSTOM_ARGS)

# Objects as protobuf with a few bytes changed, to both. BROKEN_ARGS="--requests 500 --seed 7" for another short look.
reference-broken: build
	tests/reference/broken.py $(BROKEN_ARGS)

# Random expressions on cel-go as the real server sets it up and on ours: is the outcome the same?
CEL_REQUESTS = build/$(PRESET)/tests/reference/cel/requests/cel_requests
build/cel-reference: $(wildcard tests/reference/cel/*.go) tests/reference/cel/go.mod
	cd tests/reference/cel && go build -o $(CURDIR)/$@ .
cel-requests: build/$(PRESET)/build.ninja
	$(CMAKE_BUILD) $(PRESET) --target cel_requests -j $(JOBS)
reference-cel: cel-requests build/cel-reference
	tests/reference/cel/compare.py --reference build/cel-reference --ours $(CEL_REQUESTS) $(CEL_ARGS)

# Thirty typical expressions on both: nanoseconds an evaluation, microseconds a compilation, bytes of a program.
bench-cel: cel-requests build/cel-reference
	tests/reference/cel/typical.py --reference build/cel-reference --ours $(CEL_REQUESTS)

# What people type: command lines of kubectl on both, with what they print. COMMANDS_ARGS="--only apply" for some of them.
reference-commands: build
	tests/reference/commands.py $(COMMANDS_ARGS)

# Pod security, limit ranges and quotas: every check, limit, name and scope on both. PLUGINS_ARGS="--only quotas" for some of them.
reference-plugins: build
	tests/reference/plugins.py $(PLUGINS_ARGS)

# Does every rule of the built-in types have a case that breaks it and one that keeps it? Writes docs/rule-coverage.md.
rule-coverage: packages
	tools/rule_coverage.py --write $(COVERAGE_ARGS)

# The real controller manager and scheduler over Fairlead and over the real server: is the same made? Twice ten minutes.
controlplane: build
	tests/controlplane/run.py $(CONTROLPLANE_ARGS)

bench: build
	bench/run.py

# Conformance vectors of the expression language below a folder: ends with "N passed, N failed".
DIR ?= tests/data/cel
cel-vectors: build/$(PRESET)/build.ninja
	@$(CMAKE_BUILD) $(PRESET) --target cel_vectors -j $(JOBS) >&2
	@build/$(PRESET)/tests/cel/cel_vectors $(DIR)

lint: build/dev/build.ninja
	tools/lint.sh

format:
	git ls-files 'src/*.h' 'src/*.cc' 'bench/*.cc' 'tests/*.cc' | xargs clang-format-19 -i

# Every fuzzer for FUZZ_SECONDS, from the corpora in tests/fuzz.
FUZZ_SECONDS ?= 60
fuzz: build/fuzz/build.ninja
	FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh

# The long form of the crash test: kill -9 with torn and lost writes.
CRASH_CYCLES ?= 1000
crash: build/release/build.ninja
	$(CMAKE_BUILD) release --target crash_test -j $(JOBS)
	"$$(find build/release -name crash_test -type f -perm -u+x | head -1)" --cycles $(CRASH_CYCLES)

clean:
	rm -rf build bin
