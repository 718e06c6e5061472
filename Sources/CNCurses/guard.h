// Gives the terminal back when the process dies, and turns signals into bytes in a pipe.
//
// In C because a signal handler may use only what signal-safety(7) lists, and nothing promises that
// code compiled from Swift allocates nothing and takes no lock.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { CNCURSES_RESET_MAX = 1024, CNCURSES_TAIL_MAX = 4096, CNCURSES_SIGNAL_MAX = 65 };

struct cncurses_guard_state {
  /// 1 while the terminal is ours: whoever changes it to 0 restores it.
  atomic_int armed;
  /// 1 once the process has been told to call us on `exit`.
  atomic_int registered;
  /// The terminal, for writing, apart from descriptors 1 and 2, which are redirected meanwhile.
  int terminal;
  struct termios saved;
  size_t reset_count;
  char reset[CNCURSES_RESET_MAX];
  /// Where standard error went before it was redirected, and the pipe that it goes to; or -1.
  int standard_error;
  int captured;
  /// The end of what was captured, cleaned of control characters, as a ring: a crash's last words.
  atomic_size_t tail_count;
  char tail[CNCURSES_TAIL_MAX];
  /// The writing end of the pipe that tells of signals, or -1.
  atomic_int pipe;
  bool installed[CNCURSES_SIGNAL_MAX];
  struct sigaction previous[CNCURSES_SIGNAL_MAX];
};

/// Weak: Swift compiles this header into each object file that uses it, and all must mean one state.
__attribute__((weak)) struct cncurses_guard_state cncurses_guard;

static inline void cncurses_guard_write(int fd, const char *bytes, size_t count) {
  while (count > 0) {
    // A terminal that takes nothing must not hold up the end of the process. (It can't be made
    // non-blocking: that would be so for the shell too.)
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    if (poll(&ready, 1, 500) <= 0 || !(ready.revents & POLLOUT)) return;
    ssize_t written = write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes += written;
    count -= (size_t)written;
  }
}

/// Tells standard error, as it was before, what arrived there shortly before the end.
static inline void cncurses_guard_last_words(void) {
  struct cncurses_guard_state *guard = &cncurses_guard;
  if (guard->standard_error < 0) return;
  size_t count = atomic_load(&guard->tail_count);
  size_t start = count > CNCURSES_TAIL_MAX ? count % CNCURSES_TAIL_MAX : 0;
  if (count > CNCURSES_TAIL_MAX)
    cncurses_guard_write(guard->standard_error, guard->tail + start, CNCURSES_TAIL_MAX - start);
  cncurses_guard_write(
    guard->standard_error, guard->tail, count > CNCURSES_TAIL_MAX ? start : count);
  struct pollfd ready = {.fd = guard->captured, .events = POLLIN};
  char bytes[512];
  for (int round = 0; round < 64; round++) {
    if (poll(&ready, 1, 0) <= 0 || !(ready.revents & POLLIN)) break;
    ssize_t read_count = read(guard->captured, bytes, sizeof bytes);
    if (read_count <= 0) break;
    for (ssize_t i = 0; i < read_count; i++)
      if ((unsigned char)bytes[i] < 0x20 && bytes[i] != '\n' && bytes[i] != '\t') bytes[i] = '?';
    cncurses_guard_write(guard->standard_error, bytes, (size_t)read_count);
  }
  dup2(guard->standard_error, STDERR_FILENO);
}

/// Restores the terminal if nobody has yet. Safe in a signal handler.
static inline void cncurses_guard_restore(bool last_words) {
  struct cncurses_guard_state *guard = &cncurses_guard;
  if (!atomic_exchange(&guard->armed, 0)) return;
  cncurses_guard_write(guard->terminal, guard->reset, guard->reset_count);
  // In the background this would stop the process instead of letting it end.
  sigset_t block, before;
  sigemptyset(&block);
  sigaddset(&block, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &block, &before);
  tcsetattr(guard->terminal, TCSANOW, &guard->saved);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (last_words) cncurses_guard_last_words();
}

static inline void cncurses_guard_at_exit(void) { cncurses_guard_restore(true); }

/// From now on the terminal is ours: its settings `saved`, and the bytes that undo what we do to it.
static inline void cncurses_guard_arm(
  int terminal, const struct termios *saved, const char *reset, size_t count) {
  struct cncurses_guard_state *guard = &cncurses_guard;
  guard->terminal = terminal;
  guard->saved = *saved;
  guard->reset_count = count < CNCURSES_RESET_MAX ? count : CNCURSES_RESET_MAX;
  memcpy(guard->reset, reset, guard->reset_count);
  if (!atomic_exchange(&guard->registered, 1)) atexit(cncurses_guard_at_exit);
  atomic_store(&guard->armed, 1);
}

/// Nothing is to be restored any more: the caller has done it. True if it was still to be done.
static inline bool cncurses_guard_disarm(void) { return atomic_exchange(&cncurses_guard.armed, 0); }

/// Where a crash's last words are found, and where to say them; -1 and -1 for neither.
static inline void cncurses_guard_capture(int standard_error, int captured) {
  cncurses_guard.captured = captured;
  cncurses_guard.standard_error = standard_error;
  atomic_store(&cncurses_guard.tail_count, 0);
}

/// Remembers the end of what was captured. One thread only; `bytes` hold no control characters.
static inline void cncurses_guard_keep(const char *bytes, size_t count) {
  struct cncurses_guard_state *guard = &cncurses_guard;
  size_t at = atomic_load(&guard->tail_count);
  for (size_t i = 0; i < count; i++) guard->tail[(at + i) % CNCURSES_TAIL_MAX] = bytes[i];
  atomic_store(&guard->tail_count, at + count);
}

/// Puts the action back that a signal had before, and sends it again: on return, it takes its course.
static inline void cncurses_guard_reraise(int number) {
  sigaction(number, &cncurses_guard.previous[number], NULL);
  raise(number);
}

static inline void cncurses_guard_crashed(int number) {
  cncurses_guard_restore(true);
  cncurses_guard_reraise(number);
}

static inline void cncurses_guard_noticed(int number) {
  int saved_errno = errno;
  unsigned char byte = (unsigned char)number;
  int fd = atomic_load(&cncurses_guard.pipe);
  if (fd >= 0) (void)!write(fd, &byte, 1);
  errno = saved_errno;
}

static inline void cncurses_guard_install(int number, void (*handler)(int), bool unless_ignored) {
  struct cncurses_guard_state *guard = &cncurses_guard;
  if (guard->installed[number]) return;
  if (sigaction(number, NULL, &guard->previous[number]) != 0) return;
  if (unless_ignored && guard->previous[number].sa_handler == SIG_IGN) return;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  // SA_RESTART: libmpv does not expect its system calls to be interrupted. SA_ONSTACK: a thread that
  // has an alternate stack can even report that its own has overflowed.
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (sigaction(number, &action, NULL) == 0) guard->installed[number] = true;
}

/// Signals that ask for something: each is written to `fd` (non-blocking) as one byte, its number.
static inline void cncurses_guard_watch(int fd) {
  atomic_store(&cncurses_guard.pipe, fd);
  const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
  for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
    // Who started us with nohup(1) means it.
    cncurses_guard_install(asking[i], cncurses_guard_noticed, asking[i] == SIGHUP || asking[i] == SIGINT);
  const int fatal[] = {
    SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGQUIT, SIGSYS, SIGXCPU, SIGXFSZ,
    SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2,
  };
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
    struct sigaction current;
    bool fault = i < 6;
    // A signal that somebody handles is no end; a fault is, after which their handler has its turn.
    if (!fault && (sigaction(fatal[i], NULL, &current) != 0 || current.sa_handler != SIG_DFL)) continue;
    cncurses_guard_install(fatal[i], cncurses_guard_crashed, false);
  }
}

/// Puts back every handler that `cncurses_guard_watch` replaced.
static inline void cncurses_guard_unwatch(void) {
  for (int number = 1; number < CNCURSES_SIGNAL_MAX; number++) {
    if (!cncurses_guard.installed[number]) continue;
    sigaction(number, &cncurses_guard.previous[number], NULL);
    cncurses_guard.installed[number] = false;
  }
  atomic_store(&cncurses_guard.pipe, -1);
}

/// Ends the process as `number` ends one that doesn't handle it, with the terminal restored first.
static inline void cncurses_guard_die(int number) {
  cncurses_guard_restore(true);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, NULL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
  _exit(128 + number);
}

/// Stops the whole job, as Ctrl-Z does outside raw mode, and returns when it is continued.
///
/// The whole process group, since the shell may wait for another member of it (make, say). This
/// thread last, by `raise`, which returns only after the stop. SIGTSTP rather than SIGSTOP: the kernel
/// ignores it where no shell could continue us (an orphaned group), and then this returns at once.
static inline void cncurses_guard_stop(void) {
  struct sigaction ours, ignored, standard;
  memset(&ignored, 0, sizeof ignored);
  ignored.sa_handler = SIG_IGN;
  memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &ignored, &ours);
  kill(0, SIGTSTP);
  sigaction(SIGTSTP, &standard, NULL);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &ours, NULL);
}
