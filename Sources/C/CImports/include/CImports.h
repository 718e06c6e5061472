// Replaces functions that one shared library imports, in that library's own table (its global offset table).
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct import {
  const char *name;
  void *replacement;
  // Set if the library imports the function and its address was replaced.
  bool is_replaced;
};

// Replaces the imports of the first loaded library whose file name contains `library`.
void replace_imports(const char *library, struct import *imports, size_t count);
