# Matinee: `make help` lists the targets.

SWIFT ?= swift
SWIFTFLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=
FILM ?= Media/Countdown.mkv
FILTER ?=
KIND ?=
JOBS ?=
PARSER ?=
SECONDS_EACH ?= 60
EXECUTIONS ?=
SYSTEMS ?=
NATIVE ?=

# Not every shell takes PREFIX=~/.local for what it looks like.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
# Where shells and systemd look, below /usr, /usr/local and ~/.local alike.
BASH_COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS ?= $(PREFIX)/share/fish/vendor_completions.d
USER_UNITS ?= $(PREFIX)/share/systemd/user

# What is needed beyond a Swift toolchain, as Debian's packages. The table of libraries names those that the program is
# linked with, for all systems; the tools are named here and nowhere else.
table := Sources/matinee/Installation/libraries.table
BUILD_PACKAGES := $(shell awk '!/^\#/ && $$2 != "-" { print $$2 }' $(table))
# For the script that reduces ICU's data.
ICU_PACKAGES := binutils python3
PARTY_PACKAGES := tmux
TEST_PACKAGES := appstream avahi-daemon chromium dbus-bin dbus-daemon desktop-file-utils ffmpeg fish \
  fonts-dejavu-core iproute2 kitty libgl1-mesa-dri libglib2.0-bin man-db miniupnpd-nftables \
  mpv mpv-mpris nats-server nftables nginx-light nodejs openbox openssl playerctl pulseaudio \
  pulseaudio-utils python3 python3-cryptography screen syncplay syncplay-server systemd tmux wmctrl \
  x11-utils xclip xdotool xterm xvfb zsh
# GStreamer, for a player of others that joins the tests' parties.
EXAMPLE_PACKAGES := gstreamer1.0-libav gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
  libgstreamer1.0-dev
TEST_PACKAGES += $(EXAMPLE_PACKAGES)
TEST_BROWSERS_PACKAGES := firefox-esr
# The bill of materials is made by a script in Python.
DEB_PACKAGES := dpkg-dev python3
DIST_PACKAGES := binutils dpkg-dev python3 xz-utils
TRY_PACKAGES := curl debootstrap gpg lintian python3
# In a bare system that builds: those of the compiler and of the scripts, and the libraries that the toolchain needs.
BARE_PACKAGES := ca-certificates dpkg-dev g++ git libcurl4 libncurses6 libsqlite3-0 libxml2 make python3 xz-utils
RECIPE_PACKAGES := makepkg nix-bin rpmlint shellcheck
BENCH_PACKAGES := mpv python3
BENCH_BROWSER_PACKAGES := chromium ffmpeg firefox-esr mpv pulseaudio pulseaudio-utils python3 python3-numpy
BENCH_VIDEO_PACKAGES := ffmpeg fonts-dejavu-core mpv python3 timg xdotool xterm xvfb
BENCH_RELAY_PACKAGES := nats-server
BENCH_SYNC_PACKAGES := ffmpeg mpv python3
BENCH_SHARE_PACKAGES := ffmpeg iproute2 python3 python3-libtorrent
BENCH_STANDBY_PACKAGES := ffmpeg iproute2 python3
BENCH_FOREIGN_PACKAGES = ffmpeg mpv pulseaudio pulseaudio-utils python3 python3-numpy $(EXAMPLE_PACKAGES)
BENCH_HEARD_PACKAGES := ffmpeg mpv pipewire pulseaudio pulseaudio-utils python3 python3-numpy wireplumber
BENCH_SEEN_PACKAGES := ffmpeg mpv pulseaudio pulseaudio-utils python3 python3-numpy xvfb
LINT_PACKAGES := shellcheck
MEDIA_PACKAGES := ffmpeg fontconfig fonts-dejavu-core
SCREENSHOT_PACKAGES := ffmpeg fonts-dejavu-core fonts-noto-color-emoji kitty libgl1-mesa-dri xdotool \
  xvfb

# What people run is built for release: the picture in the terminal is encoded by Swift code, which
# is many times slower without the optimizer, and the build takes little longer than a debug build.
# Swift's runtime goes into the program, which then starts sooner and runs where there is no
# toolchain, or one in somebody's home; lld links it without warnings of what the runtime does inside.
# The tests use a debug build, for its checks, but the pure libraries and the simulator in it are optimized: the
# simulated groups take a tenth of the time (MATINEE_OPTIMIZED_TESTS, which Package.swift reads).
#
# Without --no-color-diagnostics a build in a terminal and one in a pipe have different compiler
# options, and each makes the other start from nothing.
flags = --no-color-diagnostics $(SWIFTFLAGS)
# The test targets that FILTER names, if it names nothing else: then the others aren't built (MATINEE_TESTS).
filtered = $(foreach name,$(subst |, ,$(FILTER)),$(firstword $(subst ., ,$(name))))
only = $(if $(filter-out $(notdir $(wildcard Tests/*Tests)),$(filtered)),,$(filtered))
# C code, most of it cryptography, is optimized in every build: each test that starts a participant signs and seals.
tests = $(SWIFT) build --build-tests -Xcc -O2
# Static linking would export all functions of the packages, and so keep those that nothing calls: nobody loads the
# program as a library. The linker leaves out whole sections, so each function has its own.
# C code names its files in messages: without the folder, a commit that is built elsewhere is the same program. The
# option is only for clang, which reads it from there; -Xcc would change the options of all Swift modules too.
# Swift's objects contain a hash for incremental builds, which depends on the folder too. The optimizer works on whole
# modules, and needs none. Swift code of older language versions names its files with their folders, too.
release = CCC_OVERRIDE_OPTIONS="\# +-ffile-prefix-map=$(CURDIR)=. +-ffunction-sections +-fdata-sections" \
  $(SWIFT) build -c release --product matinee --static-swift-stdlib -Xswiftc -use-ld=lld \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
  -Xswiftc -Xfrontend -Xswiftc -enable-experimental-concise-pound-file \
  -Xswiftc -Xfrontend -Xswiftc -function-sections \
  -Xlinker @$(CURDIR)/.build/icu/icu-data.rsp -Xlinker --no-export-dynamic $(flags)
# Optimized, but open to what only tests may see, and so in a folder of its own.
soak = $(SWIFT) build -c release -Xswiftc -enable-testing --product Soak --scratch-path .build/soak \
  $(flags)
cost = $(SWIFT) build -c release -Xswiftc -enable-testing --product CostBench --scratch-path .build/soak \
  $(flags)
program = "$$($(release) --show-bin-path)/matinee"

# Where libFuzzer is: beside the compiler that instruments for it.
fuzzing = -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer -Xswiftc -DFUZZER -Xswiftc -use-ld=lld \
  -Xlinker "$$(Tests/Scripts/fuzz --library $(firstword $(SWIFT)))" -Xlinker -lstdc++ -Xlinker -lm
sanitized := TimekeepingTests|GroupActivitiesTests|GroupJournalTests|NATSProtocolTests|RelayTests|FuzzTests|AVFormatTests|DoctorTests|MediaLibraryTests|MatineeTests|NowPlayingTests

need = @Tests/Scripts/install-packages
swift = @command -v $(firstword $(SWIFT)) >/dev/null || { \
	echo "There is no $(firstword $(SWIFT)) in PATH. Install a Swift toolchain, 6.2 or newer:" \
	  "https://www.swift.org/install/linux/" >&2; exit 1; }

.DEFAULT_GOAL := help
# Two builds at once would only wait for each other.
.NOTPARALLEL:
.PHONY: help run party build docs test test-browsers test-zoo fuzz sanitize soak bench bench-browser bench-cluster bench-cost bench-foreign bench-heard bench-player bench-relay bench-seen bench-share bench-siege bench-standby bench-sync bench-video format lint media screenshots install install-files uninstall deb portable-deb dist recipes lint-recipes test-packages test-deb test-reproducible clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { if ($$1 == "docs") print "\nFor developers:"; \
	  printf "  make %-17s %s\n", $$1, $$2 }' Makefile

run: build ## install missing packages, build, and open the player on Media (ARGS='--video none')
	@exec $(program) $(ARGS) Media

party: build ## open two participants side by side in tmux (FILM=…, ARGS=…)
	$(need) $(PARTY_PACKAGES)
	@MATINEE=$(program) Tests/Scripts/party "$(FILM)" $(ARGS)

build: ## build the program for release
	$(swift)
	$(need) $(BUILD_PACKAGES) $(ICU_PACKAGES)
	@SWIFT=$(firstword $(SWIFT)) Tests/Scripts/make-icu-data .build/icu
	@$(release)

# What is installed, and where; the manual's tables and the completions are printed by the program itself.
built := .build/release/matinee
assets := Sources/matinee/Installation
share := $(PREFIX)/share
manual := $(assets)/Manual
pages := $(patsubst $(manual)/%.md,%,$(wildcard $(manual)/*.md))
# $(call page,FILE): the path of a manual page.
page = $(share)/man/man$(subst .,,$(suffix $1))/$1
printed := $(foreach file,$(pages),$(call page,$(file))) $(BASH_COMPLETIONS)/matinee \
  $(ZSH_COMPLETIONS)/_matinee $(FISH_COMPLETIONS)/matinee.fish
copied := $(share)/applications/matinee.desktop $(share)/icons/hicolor/scalable/apps/matinee.svg \
  $(share)/metainfo/org.matinee_player.matinee.metainfo.xml
unit := $(USER_UNITS)/matinee-relay.service
documentation := $(share)/doc/matinee

# The files of the sources that the README links to. They are installed beside it, and its links lead there.
linked = $(shell sed 's/[()]/\n/g' README.md | grep -e ^Sources/ -e ^Media/ | sort -u)

# $(call print,WHAT,FILE), $(call make_page,PAGE,FILE), $(call copy,FILE): a file below DESTDIR.
print = install -D -m 644 /dev/null "$(DESTDIR)$2" && $(built) print $1 >"$(DESTDIR)$2"
make_page = install -D -m 644 /dev/null "$(DESTDIR)$2" && \
  MATINEE="$(built)" awk -f $(manual)/page.awk $(manual)/$1.md >"$(DESTDIR)$2"
copy = install -D -m 644 "$(assets)/$(notdir $1)" "$(DESTDIR)$1"

# `make build && sudo make install`: what the user has built is taken as it is, since root may have
# no toolchain in PATH and would leave files behind that the user can't overwrite.
install: ## build, and install below PREFIX (and DESTDIR)
	@if [ -z "$$SUDO_USER" ] || [ ! -x $(built) ]; then $(MAKE) build; fi
	@$(MAKE) --no-print-directory install-files

install-files:
	install -D -s -m 755 $(built) "$(DESTDIR)$(PREFIX)/bin/matinee"
	$(foreach file,$(pages),$(call make_page,$(file),$(call page,$(file))) &&) true
	$(call print,bash,$(BASH_COMPLETIONS)/matinee)
	$(call print,zsh,$(ZSH_COMPLETIONS)/_matinee)
	$(call print,fish,$(FISH_COMPLETIONS)/matinee.fish)
	$(foreach file,$(copied),$(call copy,$(file)) &&) true
	install -D -m 644 /dev/null "$(DESTDIR)$(unit)"
	sed 's|@BINDIR@|$(PREFIX)/bin|' $(assets)/matinee-relay.service >"$(DESTDIR)$(unit)"
	install -D -m 644 -t "$(DESTDIR)$(documentation)" README.md $(linked)
	sed -i -E 's,\]\((Sources|Media)/([^)/]*/)*,](,g' "$(DESTDIR)$(documentation)/README.md"
	install -D -m 644 -t "$(DESTDIR)$(documentation)/cluster" \
	  Sources/NATSTransport/NATSTransport.docc/Resources/*.conf
	@$(registered)

uninstall: ## remove the installed files
	rm -f $(foreach file,$(PREFIX)/bin/matinee $(printed) $(copied) $(unit),"$(DESTDIR)$(file)")
	rm -rf "$(DESTDIR)$(documentation)"
	@$(registered)

# Who opens invites is looked up in a cache. In a folder for a package that is the packager's business.
registered = if [ -z "$(DESTDIR)" ] && command -v update-desktop-database >/dev/null; then \
  update-desktop-database -q "$(share)/applications"; fi

deb: build ## make a Debian package for this system, in .build
	$(need) $(DEB_PACKAGES)
	@Tests/Scripts/make-deb

dist: build ## make an archive of the program that runs on other Linux systems, in .build
	$(need) $(DIST_PACKAGES)
	@SWIFT=$(firstword $(SWIFT)) Tests/Scripts/make-dist

portable-deb: dist ## make a Debian package for all systems from Debian 12 and Ubuntu 22.04 on, in .build
	$(need) $(DEB_PACKAGES)
	@Tests/Scripts/make-deb --portable

docs: ## build the documentation as a web site, in .build/documentation
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@MATINEE_OPTIMIZED_TESTS=1 $(tests) $(flags)
	@SWIFT='$(firstword $(SWIFT))' Tests/Scripts/docs .build/debug .build/documentation
	@echo "To read it: python3 -m http.server -d .build/documentation, and http://localhost:8000/documentation"

test: ## install missing packages, build, and run the tests (FILTER=name runs some)
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@MATINEE_OPTIMIZED_TESTS=1 MATINEE_TESTS='$(only)' $(tests) $(flags)
	@JOBS='$(JOBS)' Tests/Scripts/run-tests .build/debug/matineePackageTests.xctest '$(FILTER)'

test-browsers: ## run the tests of the page for guests without Matinee in Firefox too
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES) $(TEST_BROWSERS_PACKAGES)
	@MATINEE_OPTIMIZED_TESTS=1 $(tests) $(flags)
	@BROWSERS='chromium firefox' Tests/Scripts/run-tests .build/debug/matineePackageTests.xctest \
	  '^(BrowserTests|EndToEndTests)\.(Browser|Page)'

# Everything is real: programs, players, servers and time. The films are kept in .build.
test-zoo: ## try all kinds of films and set-ups of mpv, some of which `make test` tries (KIND='HLS' tries some)
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@MATINEE_OPTIMIZED_TESTS=1 $(tests) $(flags)
	@JOBS='$(JOBS)' ZOO_KIND='$(KIND)' Tests/Scripts/test-zoo .build/debug/matineePackageTests.xctest

# libFuzzer comes with the toolchain, but its own `main` doesn't fit into the test runner, which is the one
# program that may see into the executable: so the compiler instruments (the frontend's -sanitize=fuzzer), and what
# is linked is libFuzzer without it. What it finds, and its growing corpus, is in .build/found.
# The Address Sanitizer sees reads beyond what C and unchecked Swift were given.
fuzz: ## fuzz the parsers with libFuzzer (PARSER='invite message', SECONDS_EACH=600 or EXECUTIONS=10000000)
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@MATINEE_OPTIMIZED_TESTS=1 $(SWIFT) build --build-tests --sanitize=address \
	  --scratch-path .build/fuzz $(fuzzing) $(flags)
	@PARSERS='$(PARSER)' SECONDS_EACH='$(SECONDS_EACH)' EXECUTIONS='$(EXECUTIONS)' Tests/Scripts/fuzz

# What is left out measures time, or starts the program from the other build: a sanitizer is three to ten times
# slower. TSan knows nothing of mpv's locks, which aren't instrumented: only our own code is run.
sanitize: ## run the tests of our own code with the Address and the Thread Sanitizer (FILTER=name runs some)
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@for sanitizer in address thread; do \
	  $(SWIFT) build --build-tests --sanitize=$$sanitizer --scratch-path .build/$$sanitizer $(flags) && \
	  Tests/Scripts/sanitize $$sanitizer '$(if $(FILTER),$(FILTER),$(sanitized))' || exit 1; \
	done

soak: ## simulate groups until stopped (ARGS='--programs', '--from 5000 --count 1000', '--story 7', '--size 50')
	$(swift)
	$(need) $(BUILD_PACKAGES)
	@$(soak) && exec "$$($(soak) --show-bin-path)/Soak" $(ARGS)

bench: build ## compare with mpv: start-up, CPU, and the distance of two participants
	$(need) $(BENCH_PACKAGES)
	@MATINEE=$(program) Tests/Scripts/bench $(ARGS)

bench-browser: build ## measure how far from the host a page in a browser is heard (ARGS='--browser firefox --times 5')
	$(need) $(BENCH_BROWSER_PACKAGES)
	@$(subst --product matinee,--product BrowserBench,$(release))
	@MATINEE=$(program) DRIVER="$$($(release) --show-bin-path)/BrowserBench" \
	  Tests/SyncBench/bench-browser $(ARGS)

bench-cost: ## measure the traffic for presence and clock by party size (ARGS='--real 2,50 --simulated 1000')
	$(swift)
	$(need) $(BUILD_PACKAGES)
	@$(cost) && exec "$$($(cost) --show-bin-path)/CostBench" $(ARGS)

# What measures in the tests' own code, which may see into the player: left out of `make test`.
measure = MEASURE=1 Tests/Scripts/run-tests .build/debug/matineePackageTests.xctest

bench-player: ## compare starts, late joins, rates, drift and the sound of nudges with plain mpv
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@MATINEE_OPTIMIZED_TESTS=1 $(tests) $(flags)
	@$(measure) 'RealPlayerTests/(Measuring|DriftLoops|NudgeSound|OutputLatency)'

bench-cluster: ## compare how far players leave their line while nodes of a cluster fail with plain mpv
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES) $(BENCH_PACKAGES)
	@MATINEE_OPTIMIZED_TESTS=1 $(tests) $(flags)
	@$(measure) 'EndToEndTests.ClusterTests|ClusterTransportTests'

bench-siege: ## measure a party among hostile guests and 5,000 strangers' connections (SIEGE=600 seconds)
	$(swift)
	$(need) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@MATINEE_OPTIMIZED_TESTS=1 $(tests) $(flags)
	@SIEGE='$(SIEGE)' $(measure) 'EndToEndTests.HostileCrowdTests'

bench-foreign: build ## measure how well a GStreamer player stays in step with Matinee (ARGS='--only steady')
	$(need) $(BENCH_FOREIGN_PACKAGES)
	@$(subst --product matinee,--product GStreamerPlayer,$(release))
	@MATINEE=$(program) PLAYER="$$($(release) --show-bin-path)/GStreamerPlayer" \
	  Tests/SyncBench/bench-foreign $(ARGS)

bench-heard: build ## record what participants play, and measure how far apart they are heard (ARGS='--only steady')
	$(need) $(BENCH_HEARD_PACKAGES)
	@MATINEE=$(program) Tests/SyncBench/bench-heard $(ARGS)

bench-seen: build ## measure how far apart the same frame is seen, and how far from its sound (ARGS='--rate 60')
	$(need) $(BENCH_SEEN_PACKAGES)
	@MATINEE=$(program) Tests/SyncBench/bench-seen $(ARGS)

bench-share: build ## measure films that friends watch from their host's copy, beside libtorrent, as root (ARGS='--links 10:80')
	$(need) $(BENCH_SHARE_PACKAGES)
	@MATINEE=$(program) Tests/SyncBench/bench-share $(ARGS)

bench-sync: build ## measure from outside how well three participants keep in step (ARGS='--runs 1 --only start,late')
	$(need) $(BENCH_SYNC_PACKAGES)
	@MATINEE=$(program) Tests/SyncBench/bench-sync $(ARGS)

bench-standby: build ## measure parties whose host ends or whose network is cut, as root (ARGS='--runs 1 --only killed')
	$(need) $(BENCH_STANDBY_PACKAGES)
	@MATINEE=$(program) Tests/SyncBench/bench-standby $(ARGS)

bench-video: build ## compare the picture in the terminal with mpv's tct and timg (ARGS='--sizes 80x24 --clips film')
	$(need) $(BENCH_VIDEO_PACKAGES)
	@MATINEE=$(program) Tests/Scripts/bench-video $(ARGS)

bench-relay: build ## compare the relay with nats-server (ARGS='--runs 1 --seconds 5 --only parties')
	$(need) $(BENCH_RELAY_PACKAGES)
	@$(subst --product matinee,--product RelayBench,$(release)) && \
	  exec "$$($(release) --show-bin-path)/RelayBench" --matinee $(program) $(ARGS)

format: ## format the sources
	$(swift)
	@$(SWIFT) format -i -r Package.swift Sources Tests

lint: ## check the format of the sources, and the shell scripts
	$(swift)
	$(need) $(LINT_PACKAGES)
	@$(SWIFT) format lint -r --strict Package.swift Sources Tests
	@grep -lE '^#!.*sh$$' .ci/run Tests/Scripts/* $(assets)/Relocatable/*.sh | xargs shellcheck -x
	@Tests/Scripts/make-recipes --check

media: ## make the films in Media that are missing or whose recipe changed
	$(need) $(MEDIA_PACKAGES)
	@Tests/Scripts/make-media Media

screenshots: build ## make the README's pictures from the program, in Media
	$(need) $(SCREENSHOT_PACKAGES)
	@MATINEE=$(program) Tests/Scripts/make-screenshots Media

recipes: ## make the recipes for Arch's, RPM's and Nix's packages from their templates
	@Tests/Scripts/make-recipes

lint-recipes: ## check the recipes with the linters that Debian has
	$(need) $(RECIPE_PACKAGES)
	@Tests/Scripts/lint-recipes

test-packages: deb portable-deb ## install, run and purge the packages in bare systems (SYSTEMS='bookworm trixie', NATIVE='trixie'; as root)
	$(need) $(TRY_PACKAGES)
	@SYSTEMS='$(SYSTEMS)' NATIVE='$(NATIVE)' TOOLS='$(BARE_PACKAGES)' Tests/Scripts/test-packages

test-reproducible: ## build the last commit twice, in different folders, and compare the packages
	$(swift)
	$(need) $(BUILD_PACKAGES) $(DEB_PACKAGES) $(DIST_PACKAGES)
	@SWIFT=$(firstword $(SWIFT)) Tests/Scripts/test-reproducible

test-deb: deb ## install, run and purge this system's Debian package in a bare system (as root)
	$(need) $(TRY_PACKAGES)
	@SYSTEMS="$$(. /etc/os-release && echo "$$VERSION_CODENAME")" Tests/Scripts/test-packages --only native

clean: ## remove build products, but not fetched packages
	$(swift)
	@$(SWIFT) package clean
