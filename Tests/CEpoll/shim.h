#pragma once
// What Swift's module of the C library leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

/// Swift sees this only where `_GNU_SOURCE` is defined, which its own module is not.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
