// Shows a shared library's incoming bytes to a function before the library sees them.
//
// The library's own table of imported functions (its global offset table) is changed, for recv(2), SSL_read(3) and
// close(2), and for no other library. So bytes are seen after decryption, without a copy, and without another socket.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Returns false for bytes that the library must not see: it reads an error (EPROTO) instead.
typedef bool (*read_hook_filter)(int descriptor, const void *bytes, size_t count);
/// Called before the library closes a descriptor.
typedef void (*read_hook_closing)(int descriptor);

/// Begins to filter what the loaded library whose file name contains `library` reads. Once per process.
///
/// Returns false if the library isn't loaded as a shared library, or doesn't import recv(2) and close(2): then nothing
/// is filtered.
bool read_hook_install(const char *library, read_hook_filter filter, read_hook_closing closing);
