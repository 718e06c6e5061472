// Bounds where a shared library connects to, in the library's own table of imported functions.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Begins to guard the loaded library whose file name contains `library`. Once per process.
///
/// Returns false if the library isn't loaded as a shared library, or doesn't import connect(2).
bool connect_guard_install(const char *library);

/// From now on the library connects to this port of 127.0.0.1 and to nothing else (EACCES); 0: to everything again.
void connect_guard_confine(uint16_t port);

/// Exempts the calling thread, or doesn't any more.
void connect_guard_exempt(bool is_exempt);
