#pragma once
#include <stddef.h>

/// The files of the page for friends with a browser, embedded in the program.
struct cpage_file {
  const unsigned char *bytes;
  size_t count;
};

/// The template in HTML, and the style.
extern const struct cpage_file cpage_template, cpage_style;
/// Returns a module of the script; each comes after those that it needs.
struct cpage_file cpage_module(size_t index);
extern const size_t cpage_module_count;
