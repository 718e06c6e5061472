#define _GNU_SOURCE
#include "CReadHook.h"

#include "CImports.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static read_hook_filter filter;
static read_hook_closing closing;
// By name, so that this target needs no header of OpenSSL's.
static int (*ssl_read)(void *, void *, int);
static int (*ssl_get_fd)(const void *);

static ssize_t filtered_recv(int descriptor, void *buffer, size_t size, int flags) {
  ssize_t count = recv(descriptor, buffer, size, flags);
  if (count <= 0 || (flags & MSG_PEEK)) return count;
  if (filter(descriptor, buffer, (size_t)count)) return count;
  errno = EPROTO;
  return -1;
}

static int filtered_ssl_read(void *ssl, void *buffer, int size) {
  int count = ssl_read(ssl, buffer, size);
  if (count <= 0) return count;
  if (filter(ssl_get_fd(ssl), buffer, (size_t)count)) return count;
  errno = EPROTO;
  return -1;
}

static int filtered_close(int descriptor) {
  closing(descriptor);
  return close(descriptor);
}

bool read_hook_install(const char *library, read_hook_filter f, read_hook_closing c) {
  filter = f;
  closing = c;
  ssl_read = (int (*)(void *, void *, int))dlsym(RTLD_DEFAULT, "SSL_read");
  ssl_get_fd = (int (*)(const void *))dlsym(RTLD_DEFAULT, "SSL_get_fd");
  struct import imports[] = {
      {"recv", filtered_recv, false},
      {"close", filtered_close, false},
      {"SSL_read", ssl_read && ssl_get_fd ? filtered_ssl_read : NULL, false},
  };
  replace_imports(library, imports, sizeof imports / sizeof *imports);
  return imports[0].is_replaced && imports[1].is_replaced;
}
