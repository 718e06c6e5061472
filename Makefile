# Matinee: `make help` lists what can be made.

SWIFT ?= swift
SWIFTFLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=
FILM ?= Media/Countdown.mkv
FILTER ?=
PARSER ?=
SECONDS_EACH ?= 60

# What is needed beyond a Swift toolchain, as Debian's packages: the only place where they are named.
BUILD_PACKAGES := libavahi-client-dev libavformat-dev libminiupnpc-dev libmpv-dev libnats-dev \
  libnatpmp-dev libncurses-dev libsqlite3-dev libssl-dev zlib1g-dev
PARTY_PACKAGES := tmux
TEST_PACKAGES := avahi-daemon dbus-daemon ffmpeg fonts-dejavu-core iproute2 kitty libgl1-mesa-dri \
  miniupnpd-nftables nats-server nftables nginx-light openssl screen tmux xdotool xterm xvfb
BENCH_PACKAGES := mpv python3
BENCH_VIDEO_PACKAGES := ffmpeg mpv python3 timg
BENCH_RELAY_PACKAGES := nats-server
BENCH_SYNC_PACKAGES := ffmpeg mpv python3
LINT_PACKAGES := shellcheck
MEDIA_PACKAGES := ffmpeg fontconfig fonts-dejavu-core

# What people run is built for release: the picture in the terminal is encoded by Swift code, which
# is many times slower without the optimizer, and the build takes little longer than a debug build.
# Swift's runtime goes into the program, which then starts sooner and runs where there is no
# toolchain, or one in somebody's home; lld links it without warnings of what the runtime does inside.
# The tests use a debug build, for its checks, and run one after another: whatever waits for a process
# misses its deadline while the simulator fills both cores.
#
# Without --no-color-diagnostics a build in a terminal and one in a pipe have different compiler
# options, and each makes the other start from nothing.
flags = --no-color-diagnostics $(SWIFTFLAGS)
release = $(SWIFT) build -c release --product matinee --static-swift-stdlib -Xswiftc -use-ld=lld \
  $(flags)
# Optimized, but open to what only tests may see, and so in a folder of its own.
soak = $(SWIFT) build -c release -Xswiftc -enable-testing --product Soak --scratch-path .build/soak \
  $(flags)
cost = $(SWIFT) build -c release -Xswiftc -enable-testing --product CostBench --scratch-path .build/soak \
  $(flags)
program = "$$($(release) --show-bin-path)/matinee"

# Where libFuzzer is: beside the compiler that instruments for it.
fuzzing = -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer -Xswiftc -DFUZZER -Xswiftc -use-ld=lld \
  -Xlinker "$$(Tests/Scripts/fuzz --library $(firstword $(SWIFT)))" -Xlinker -lstdc++ -Xlinker -lm
sanitized := TimekeepingTests|GroupActivitiesTests|RelayTests|FuzzTests|AVFormatTests|MatineeTests

need = @Tests/Scripts/install-packages
swift = @command -v $(firstword $(SWIFT)) >/dev/null || { \
	echo "There is no $(firstword $(SWIFT)) in PATH. Install a Swift toolchain, 6.2 or newer:" \
	  "https://www.swift.org/install/linux/" >&2; exit 1; }

.DEFAULT_GOAL := help
# Two builds at once would only wait for each other.
.NOTPARALLEL:
.PHONY: help run party build test fuzz sanitize soak bench bench-cost bench-relay bench-sync bench-video format lint media install uninstall clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: build ## install what is missing, build, and open the player on Media (ARGS='--video none')
	@exec $(program) $(ARGS) Media

party: build ## the same, with two participants side by side in tmux (FILM=…, ARGS=…)
	$(need) $(PARTY_PACKAGES)
	@MATINEE=$(program) Tests/Scripts/party "$(FILM)" $(ARGS)

build: ## build the program for release
	$(swift)
	$(need) $(BUILD_PACKAGES)
	@$(release)

test: ## install what is missing, build, and run the tests (FILTER=name runs some)
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@$(SWIFT) build --build-tests $(flags)
	@$(SWIFT) test --skip-build --disable-xctest --no-parallel $(flags) $(if $(FILTER),--filter '$(FILTER)')

# libFuzzer comes with the toolchain, but its own `main` doesn't fit into the test runner, which is the one
# program that may see into the executable: so the compiler instruments (the frontend's -sanitize=fuzzer), and what
# is linked is libFuzzer without it. What it finds, and its growing corpus, is in .build/found.
fuzz: ## fuzz the parsers with libFuzzer (PARSER='invite message', SECONDS_EACH=600)
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@$(SWIFT) build --build-tests --scratch-path .build/fuzz $(fuzzing) $(flags)
	@PARSERS='$(PARSER)' SECONDS_EACH='$(SECONDS_EACH)' Tests/Scripts/fuzz

# What is left out measures time, or starts the program from the other build: a sanitizer is three to ten times
# slower. TSan knows nothing of libnats' and mpv's locks, which aren't instrumented: only our own code is run.
sanitize: ## run the tests of our own code with the Address and the Thread Sanitizer (FILTER=name runs some)
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@for sanitizer in address thread; do \
	  $(SWIFT) build --build-tests --sanitize=$$sanitizer --scratch-path .build/$$sanitizer $(flags) && \
	  Tests/Scripts/sanitize $$sanitizer '$(if $(FILTER),$(FILTER),$(sanitized))' || exit 1; \
	done

soak: ## simulate groups until stopped (ARGS='--from 5000 --count 1000', '--story 7', '--size 50')
	$(swift)
	$(need) $(BUILD_PACKAGES)
	@$(soak) && exec "$$($(soak) --show-bin-path)/Soak" $(ARGS)

bench: build ## measure beside mpv: start-up, CPU, and the skew of two participants
	$(need) $(BENCH_PACKAGES)
	@MATINEE=$(program) Tests/Scripts/bench $(ARGS)

bench-cost: ## measure what presence and clock cost by a party's size (ARGS='--real 2,50 --simulated 1000')
	$(swift)
	$(need) $(BUILD_PACKAGES)
	@$(cost) && exec "$$($(cost) --show-bin-path)/CostBench" $(ARGS)

bench-sync: build ## measure from outside how well three stay in step (ARGS='--runs 1 --only start,late')
	$(need) $(BENCH_SYNC_PACKAGES)
	@MATINEE=$(program) Tests/SyncBench/bench-sync $(ARGS)

bench-video: build ## measure the picture in the terminal beside mpv's tct and timg (ARGS='--sizes 80x24 --clips film')
	$(need) $(BENCH_VIDEO_PACKAGES)
	@MATINEE=$(program) Tests/Scripts/bench-video $(ARGS)

bench-relay: build ## measure the relay beside nats-server (ARGS='--runs 1 --seconds 5 --only parties')
	$(need) $(BENCH_RELAY_PACKAGES)
	@$(subst --product matinee,--product RelayBench,$(release)) && \
	  exec "$$($(release) --show-bin-path)/RelayBench" --matinee $(program) $(ARGS)

format: ## put the sources into the project's format
	$(swift)
	@$(SWIFT) format -i -r Package.swift Sources Tests

lint: ## check the format of the sources, and the scripts
	$(swift)
	$(need) $(LINT_PACKAGES)
	@$(SWIFT) format lint -r --strict Package.swift Sources Tests
	@grep -lE '^#!.*sh$$' .ci/run Tests/Scripts/* | xargs shellcheck

media: ## make those films in Media anew that are missing or whose recipe changed
	$(need) $(MEDIA_PACKAGES)
	@Tests/Scripts/make-media Media

# `make build && sudo make install`: what the user has built is taken as it is, since root may have
# no toolchain in PATH and would leave files behind that the user can't overwrite.
install: ## build, and install below PREFIX (and DESTDIR)
	@if [ -z "$$SUDO_USER" ] || [ ! -x .build/release/matinee ]; then $(MAKE) build; fi
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/doc/matinee"
	install -s -m 755 .build/release/matinee "$(DESTDIR)$(PREFIX)/bin/matinee"
	install -m 644 README.md "$(DESTDIR)$(PREFIX)/share/doc/matinee/README.md"
	install -m 644 -D -t "$(DESTDIR)$(PREFIX)/share/doc/matinee/cluster" \
	  Sources/NATSTransport/NATSTransport.docc/Resources/*.conf

uninstall: ## take away what install installed
	rm -f "$(DESTDIR)$(PREFIX)/bin/matinee"
	rm -rf "$(DESTDIR)$(PREFIX)/share/doc/matinee"

clean: ## remove what was built, but not the packages that were fetched
	$(swift)
	@$(SWIFT) package clean
