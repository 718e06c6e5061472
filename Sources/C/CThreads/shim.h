#pragma once
#include <pthread.h>

/// The C library shows this only where `_GNU_SOURCE` is defined before its first header, which Swift has read by then.
extern int pthread_setname_np(pthread_t thread, const char *name);

/// Names the calling thread, for `top -H` and debuggers; 15 bytes at most.
static inline void cthreads_name(const char *name) { pthread_setname_np(pthread_self(), name); }
