// Loads the shared libraries of the relocatable program when it starts.
//
// The names of shared libraries differ between systems (libmpv.so.1 and .so.2, libavformat.so.59 to .so.62), and a
// program that names one in its dynamic section runs only where that one is. The relocatable program names none of
// those: Tests/Scripts/make-dist lists the functions that it calls in imports.h, and each gets a jump through a slot
// here, which is filled before main.
//
// imports.h has one line for each function: IMPORT(library, function).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A jump through a slot leaves all registers alone that carry arguments: on aarch64, x16 is the one that may be changed
// between a call and the function (AAPCS64, "IP0").
#if defined(__x86_64__)
#define JUMP(slot) "endbr64\n jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(slot) "bti c\n adrp x16, " slot "\n ldr x16, [x16, :lo12:" slot "]\n br x16\n"
#else
#error "There is no jump for this architecture."
#endif

#define IMPORT(library, function)                                                        \
  __attribute__((used, visibility("hidden"))) void *slot_##function;                     \
  __asm__(".text\n .globl " #function "\n .hidden " #function "\n .type " #function ", @function\n" #function \
          ":\n" JUMP("slot_" #function) ".size " #function ", . - " #function "\n");
#include "imports.h"
#undef IMPORT

struct import {
  const char *library;
  const char *function;
  void **slot;
};

static const struct import imports[] = {
#define IMPORT(library, function) {#library, #function, &slot_##function},
#include "imports.h"
#undef IMPORT
};

// Answers in place of a library that a system may lack. Callers see the failure that they handle anyway: no object, or
// the error -ENOSYS, which callers of sd-bus take as an int.
static void *no_object(void) { return NULL; }
static void *not_implemented(void) { return (void *)(intptr_t)-ENOSYS; }
// For the functions that put an error into words.
static const char *explanation(void) { return "its library isn't installed"; }

struct library {
  const char *name;
  // In the order of preference.
  const char *files[6];
  // Answers for all functions of a library that is missing; null for a library that is needed.
  void *(*substitute)(void);
  const char *advice;
};

// The names are those of Sources/matinee/Installation/libraries.table.
static const struct library libraries[] = {
  {"mpv", {"libmpv.so.2", "libmpv.so.1"}, NULL,
   "Install mpv's library, 0.33 or newer (Debian and Ubuntu: libmpv2, Fedora: mpv-libs, Arch: mpv)."},
  // Those that libmpv has loaded: two versions in one process would both open films.
  {"avformat", {NULL}, NULL, "Install an mpv that uses FFmpeg's shared libraries, as Linux systems build it."},
  {"swscale", {NULL}, NULL, "Install an mpv that uses FFmpeg's shared libraries, as Linux systems build it."},
  {"fribidi", {"libfribidi.so.0"}, NULL, "Install FriBidi (Debian and Ubuntu: libfribidi0)."},
  {"pulse", {"libpulse.so.0"}, no_object, NULL},
  {"qrencode", {"libqrencode.so.4"}, no_object, NULL},
  // The same functions under three roofs: systemd's, elogind's, and those of a library that has nothing else.
  {"systemd", {"libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"}, not_implemented, NULL},
  {"avahi-client", {"libavahi-client.so.3"}, no_object, NULL},
};

static void fail(const struct library *library, const char *reason) {
  fprintf(stderr, "matinee: can't load %s: %s\n%s\n", library->name, reason, library->advice);
  exit(127);
}

struct search {
  const char *name;
  void *handle;
};

// Finds a library of FFmpeg that this process has loaded.
static int find_loaded(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct search *search = argument;
  char start[64];
  int length = snprintf(start, sizeof start, "/lib%s.so.", search->name);
  const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
  if (!name || strncmp(name, start, (size_t)length) != 0) return 0;
  search->handle = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  return 1;
}

static void *open_library(const struct library *library) {
  void *handle = NULL;
  if (!library->files[0]) {
    struct search search = {library->name, NULL};
    dl_iterate_phdr(find_loaded, &search);
    if (!search.handle) fail(library, "libmpv doesn't use a shared one");
    return search.handle;
  }
  char reason[1024] = "";
  for (int i = 0; i < 6 && library->files[i] && !handle; i++) {
    handle = dlopen(library->files[i], RTLD_NOW);
    // The first reason is about the name that most systems have.
    if (!handle && !reason[0]) snprintf(reason, sizeof reason, "%s", dlerror());
  }
  if (!handle && !library->substitute) fail(library, reason);
  return handle;
}

// Client API 1.109 of mpv 0.33 has everything that the program calls, software rendering last of all. Version 2.0
// removed functions that it doesn't call, and changed no structure that it reads.
static void check_mpv(const struct library *library, void *handle) {
  unsigned long (*version)(void) = (unsigned long (*)(void))dlsym(handle, "mpv_client_api_version");
  unsigned long value = version ? version() : 0;
  if (value >= (1ul << 16 | 109)) return;
  char reason[100];
  snprintf(reason, sizeof reason, "its client API %lu.%lu is too old", value >> 16, value & 0xffff);
  fail(library, reason);
}

static void *find_function(const struct library *library, void *handle, const char *name) {
  if (!handle) {
    size_t length = strlen(name);
    bool is_explaining = length > 8 && strcmp(name + length - 8, "strerror") == 0;
    return is_explaining ? (void *)explanation : (void *)library->substitute;
  }
  // Functions of a library's own dependencies are found as well: libavutil's through libavformat.
  void *function = dlsym(handle, name);
  if (!function) fail(library, dlerror());
  return function;
}

__attribute__((constructor(101))) static void load_libraries(void) {
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    const struct library *library = &libraries[i];
    void *handle = open_library(library);
    if (strcmp(library->name, "mpv") == 0) check_mpv(library, handle);
    for (size_t k = 0; k < sizeof imports / sizeof *imports; k++)
      if (strcmp(imports[k].library, library->name) == 0)
        *imports[k].slot = find_function(library, handle, imports[k].function);
  }
}
