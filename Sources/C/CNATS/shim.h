#pragma once
#include <nats/nats.h>
#include <openssl/crypto.h>

/// Keeps OpenSSL, which libnats uses, from freeing what it holds when the process exits: a thread that is in
/// the middle of connecting then can't be called back, and would use it.
///
/// Has to be called before anything else of OpenSSL's. Returns 1 if it worked
/// (OPENSSL_init_crypto(3)).
static inline int cnats_keep_openssl(void) {
  return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
