// Replaces functions that one shared library imports, in that library's own table (its global offset table).
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct import {
  const char *name;
  void *replacement;
  // Set where the library imports it.
  bool is_replaced;
};

// Looks at the loaded libraries whose file names contain `library`.
void replace_imports(const char *library, struct import *imports, size_t count);
