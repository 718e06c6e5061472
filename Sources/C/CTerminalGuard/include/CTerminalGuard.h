// Gives the terminal back when the process dies, and turns signals into bytes in a pipe.
//
// In C because a signal handler may use only what signal-safety(7) lists, and nothing promises that
// code compiled from Swift allocates nothing and takes no lock.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/// From now on the terminal is ours: its settings `saved`, and the bytes (at most 1024) that undo what
/// we do to it. Once done, `exit` and every signal that ends the process restore it; what other threads
/// write to `terminal` from then on is lost.
void terminal_guard_arm(int terminal, const struct termios *saved, const char *reset, size_t count);

/// A second descriptor through which other threads write to the terminal.
void terminal_guard_add_writer(int terminal);

/// Nothing is to be restored any more: the caller has done it. True if it was still to be done.
bool terminal_guard_disarm(void);

/// Where a crash's last words are found (the reading end of the pipe that took standard error's place), and
/// where to say them; -1 and -1 for neither.
void terminal_guard_capture(int standard_error, int captured);

/// To be called around reading from that pipe and keeping what was read, so that a crash meanwhile waits
/// for it. False when a crash reads it itself.
bool terminal_guard_begin_taking(void);
void terminal_guard_end_taking(void);

/// Remembers the end of what was read from that pipe. One thread only; no control characters.
void terminal_guard_keep(const char *bytes, size_t count);

/// Signals that ask for something (INT, TERM, HUP, TSTP, CONT, WINCH) are written to `fd`, which doesn't
/// block, as one byte each, their number. Those that end the process restore the terminal before they do.
void terminal_guard_watch(int fd);

/// Lets the calling thread take the signals that ask for something. All others may have them blocked, as the
/// threads of dispatch queues have.
void terminal_guard_listen(void);

/// Puts back every handler that `terminal_guard_watch` replaced.
void terminal_guard_unwatch(void);

/// Ends the process as `number` ends one that doesn't handle it, with the terminal restored first.
_Noreturn void terminal_guard_die(int number);

/// Stops the whole job, as Ctrl-Z does outside raw mode, and returns when it is continued, or at once
/// where no shell could continue it.
void terminal_guard_stop(void);
