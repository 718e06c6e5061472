#define _GNU_SOURCE
#include "CConnectGuard.h"

#include "CImports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

// The port of the proxy; zero without confinement.
static _Atomic uint16_t confined_port;
static _Thread_local bool is_exempt;

static bool is_admitted(const struct sockaddr *address, socklen_t length, uint16_t port) {
  struct sockaddr_in four;
  if (address->sa_family != AF_INET || length < sizeof four) return false;
  memcpy(&four, address, sizeof four);
  return four.sin_addr.s_addr == htonl(INADDR_LOOPBACK) && four.sin_port == htons(port);
}

static int guarded_connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  uint16_t port = atomic_load(&confined_port);
  if (port == 0 || is_exempt || is_admitted(address, length, port))
    return connect(descriptor, address, length);
  errno = EACCES;
  return -1;
}

bool connect_guard_install(const char *library) {
  struct import imports[] = {{"connect", guarded_connect, false}};
  replace_imports(library, imports, 1);
  return imports[0].is_replaced;
}

void connect_guard_confine(uint16_t port) { atomic_store(&confined_port, port); }

void connect_guard_exempt(bool value) { is_exempt = value; }
