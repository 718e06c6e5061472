#pragma once
#include <dlfcn.h>
#include <mpv/client.h>
#include <mpv/render.h>
#include <mpv/stream_cb.h>
#include <sys/eventfd.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// libmpv imports into Swift as it is: `mpv_handle` and `mpv_render_context` as `OpaquePointer`, the enums as
// raw-representable values, `mpv_node`'s anonymous union as its member `u`.

/// Something to wake a thread with that waits in `poll`; never blocks. Its flags are an enum that Swift doesn't import.
static inline int cmpv_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// A file without a name, which no program that is started gets. `memfd_create` is only declared with `_GNU_SOURCE`.
static inline int cmpv_memory_file(void) { return (int)syscall(SYS_memfd_create, "matinee", 1u /* MFD_CLOEXEC */); }

static inline void cmpv_ignore(const char *file, int line, const char *function, int error, const char *format, ...) {}

/// Keeps ALSA and PipeWire, which mpv has loaded, from printing to standard error: the terminal or a screen reader would
/// show it. mpv's log has what follows from it. A user who sets `PIPEWIRE_DEBUG` sees PipeWire's messages.
static inline void cmpv_silence_sound(void) {
  setenv("PIPEWIRE_DEBUG", "0", 0);
  typedef void (*handler)(const char *, int, const char *, int, const char *, ...);
  int (*set_handler)(handler) = (int (*)(handler))dlsym(RTLD_DEFAULT, "snd_lib_error_set_handler");
  if (set_handler) set_handler(cmpv_ignore);
}
