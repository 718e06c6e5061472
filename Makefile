# Matinee: `make help` lists what can be made.

SWIFT ?= swift
SWIFTFLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=
FILTER ?=

# Debian's packages, the only place where they are named.
BUILD_PACKAGES := libmpv-dev libncurses-dev libnats-dev
RUN_PACKAGES := $(BUILD_PACKAGES) tmux
TEST_PACKAGES := $(RUN_PACKAGES) nats-server ffmpeg fonts-dejavu-core mpv
MEDIA_PACKAGES := ffmpeg fonts-dejavu-core

BUILD := .build
RELEASE := $(BUILD)/release/matinee

.DEFAULT_GOAL := help
.PHONY: help run party build test bench format lint media install uninstall clean \
	packages-build packages-run packages-test packages-media toolchain

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: packages-run toolchain ## install what is missing, build, and open the player on Media (ARGS=…)
	@$(SWIFT) build $(SWIFTFLAGS) -c release --product matinee
	@$(RELEASE) Media $(ARGS)

party: packages-run toolchain ## two participants side by side in tmux
	@$(SWIFT) build $(SWIFTFLAGS) -c release --product matinee
	@MATINEE="$(CURDIR)/$(RELEASE)" Tests/Scripts/party

build: packages-build toolchain ## build for release
	$(SWIFT) build $(SWIFTFLAGS) -c release --product matinee

test: packages-test toolchain ## install what is missing and run the tests (FILTER=…)
	$(SWIFT) build $(SWIFTFLAGS) --build-tests
	$(SWIFT) test $(SWIFTFLAGS) --skip-build --no-parallel $(if $(FILTER),--filter $(FILTER))

bench: packages-test toolchain ## measure against mpv, in the same run
	@$(SWIFT) build $(SWIFTFLAGS) -c release --product matinee
	@MATINEE="$(CURDIR)/$(RELEASE)" Tests/Scripts/bench

format: toolchain ## put the sources into the project's format
	$(SWIFT) format -i -r Package.swift Sources Tests

lint: toolchain ## check the format
	$(SWIFT) format lint -r --strict Package.swift Sources Tests

media: packages-media ## make the films in Media anew, where they are missing or their script is newer
	@Tests/Scripts/make-media Media

install: build ## install under PREFIX (and DESTDIR)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/doc/matinee"
	install -m 755 "$(RELEASE)" "$(DESTDIR)$(PREFIX)/bin/matinee"
	install -m 644 README.md "$(DESTDIR)$(PREFIX)/share/doc/matinee/README.md"

uninstall: ## take away what install installed
	rm -f "$(DESTDIR)$(PREFIX)/bin/matinee" "$(DESTDIR)$(PREFIX)/share/doc/matinee/README.md"

clean: ## remove what was built
	rm -rf $(BUILD)

toolchain:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "Swift isn't in PATH. Install a toolchain of 6.2 or newer: https://www.swift.org/install/linux/"; \
	  exit 1; }

packages-build: PACKAGES := $(BUILD_PACKAGES)
packages-run: PACKAGES := $(RUN_PACKAGES)
packages-test: PACKAGES := $(TEST_PACKAGES)
packages-media: PACKAGES := $(MEDIA_PACKAGES)
packages-build packages-run packages-test packages-media:
	@Tests/Scripts/install-packages $(PACKAGES)
