// Limits the connections of one shared library, by a replacement in the library's own table of imported functions.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Begins to guard the loaded library whose file name contains `library`. Call it once per process.
///
/// Returns false if the library isn't loaded as a shared library, or doesn't import connect(2).
bool connect_guard_install(const char *library);

/// Limits the library's connections to this port of 127.0.0.1. Others fail with EACCES. 0 allows all connections again.
void connect_guard_confine(uint16_t port);

/// Exempts the calling thread, or ends its exemption.
void connect_guard_exempt(bool is_exempt);
