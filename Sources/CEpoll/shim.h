#pragma once
// What Swift's module of the C library leaves out.
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

/// Swift sees these two only where `_GNU_SOURCE` is defined, which its own module is not.
extern int pthread_setname_np(pthread_t, const char *);
extern int accept4(int, struct sockaddr *, socklen_t *, int);
