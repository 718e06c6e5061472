#pragma once
#include <mpv/client.h>
#include <mpv/render.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

// libmpv imports into Swift as it is: `mpv_handle` and `mpv_render_context` as `OpaquePointer`, the enums as
// raw-representable values, `mpv_node`'s anonymous union as its member `u`.

/// Something to wake a thread with that waits in `poll`; never blocks. Its flags are an enum that Swift doesn't import.
static inline int cmpv_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// A file without a name, which no program that is started gets. `memfd_create` is only declared with `_GNU_SOURCE`.
static inline int cmpv_memory_file(void) { return (int)syscall(SYS_memfd_create, "matinee", 1u /* MFD_CLOEXEC */); }
