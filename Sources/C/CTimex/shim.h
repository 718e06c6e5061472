#pragma once
// What Swift's module of the C library leaves out.
#include <sys/timex.h>
