#define _GNU_SOURCE
#include "CTerminalGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RESET_MAX = 1024, TAIL_MAX = 4096, SIGNAL_MAX = 65 };

static struct {
  /// True while the terminal is ours: whoever changes it to false restores it.
  atomic_bool armed;
  /// `exit` has been told to call us.
  atomic_bool registered;
  /// The terminal, for writing: a descriptor of its own.
  int terminal;
  /// The descriptors through which the other threads write to it; or -1. And /dev/null, to replace them.
  int writers[2];
  int null;
  struct termios saved;
  size_t reset_count;
  char reset[RESET_MAX];
  /// Where standard error led before it was redirected, and the pipe that it leads to; or -1.
  atomic_int standard_error;
  int captured;
  /// Somebody is between reading what was captured and keeping it; and a handler wants it all.
  atomic_bool taking, dying;
  /// The end of what was captured, as a ring.
  atomic_size_t tail_count;
  char tail[TAIL_MAX];
  /// The writing end of the pipe that tells of signals, or -1.
  atomic_int pipe;
  bool installed[SIGNAL_MAX];
  struct sigaction previous[SIGNAL_MAX];
} guard = {
  .terminal = -1, .writers = {-1, -1}, .null = -1, .standard_error = -1, .captured = -1, .pipe = -1,
};

// What signal handlers use.

static void write_patiently(int fd, const char *bytes, size_t count) {
  while (count > 0) {
    // A terminal that takes nothing must not hold up the end of the process. (It can't be made
    // non-blocking: it would be so for the shell too.)
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    if (poll(&ready, 1, 500) <= 0 || !(ready.revents & POLLOUT)) return;
    ssize_t written = write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes += written;
    count -= (size_t)written;
  }
}

static void restore_terminal(void) {
  if (!atomic_exchange(&guard.armed, false)) return;
  // Other threads run until the very end, and draw.
  for (size_t i = 0; i < sizeof guard.writers / sizeof *guard.writers; i++)
    if (guard.writers[i] >= 0 && guard.null >= 0) dup2(guard.null, guard.writers[i]);
  write_patiently(guard.terminal, guard.reset, guard.reset_count);
  // In the background SIGTTOU would stop the process instead of letting it end.
  sigset_t block, before;
  sigemptyset(&block);
  sigaddset(&block, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &block, &before);
  // What was typed and not read was for us, and must not become a command of the shell. (TCSAFLUSH would
  // also wait for a terminal that takes nothing.)
  tcflush(guard.terminal, TCIFLUSH);
  tcsetattr(guard.terminal, TCSANOW, &guard.saved);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/// Says on standard error, as it was before, what was said there shortly before the end: why a Swift
/// program crashes is printed there first.
static void say_last_words(void) {
  int standard_error = atomic_exchange(&guard.standard_error, -1);
  if (standard_error < 0) return;
  // What was read and isn't kept yet would be lost. Not for ever: the one who reads may be who died.
  atomic_store(&guard.dying, true);
  for (int round = 0; round < 100 && atomic_load(&guard.taking); round++) {
    struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
  }
  size_t count = atomic_load(&guard.tail_count);
  size_t start = count > TAIL_MAX ? count % TAIL_MAX : 0;
  if (count > TAIL_MAX) write_patiently(standard_error, guard.tail + start, TAIL_MAX - start);
  write_patiently(standard_error, guard.tail, count > TAIL_MAX ? start : count);
  char bytes[512];
  for (int round = 0; round < 64; round++) {
    struct pollfd ready = {.fd = guard.captured, .events = POLLIN};
    if (poll(&ready, 1, 0) <= 0 || !(ready.revents & POLLIN)) break;
    ssize_t read_count = read(guard.captured, bytes, sizeof bytes);
    if (read_count <= 0) break;
    for (ssize_t i = 0; i < read_count; i++) {
      unsigned char byte = (unsigned char)bytes[i];
      // Names from files and peers may be in it. There is no time for decoding UTF-8 here.
      if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte >= 0x7F) bytes[i] = '?';
    }
    write_patiently(standard_error, bytes, (size_t)read_count);
  }
  dup2(standard_error, STDERR_FILENO);
}

/// On return the signal takes the course that it had before us: the default one, or the handler of
/// whoever writes backtraces.
static void ended(int number) {
  restore_terminal();
  say_last_words();
  sigaction(number, &guard.previous[number], NULL);
  raise(number);
}

static void noticed(int number) {
  int saved_errno = errno;
  unsigned char byte = (unsigned char)number;
  int fd = atomic_load(&guard.pipe);
  if (fd >= 0 && write(fd, &byte, 1) < 0) {
    // A full pipe has enough to tell.
  }
  errno = saved_errno;
}

// What the rest of the program uses.

static void at_exit(void) {
  restore_terminal();
  say_last_words();
}

void terminal_guard_arm(int terminal, const struct termios *saved, const char *reset, size_t count) {
  // Both stay open until the process ends, when they may be needed.
  if (guard.null < 0) guard.null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (guard.terminal < 0) guard.terminal = fcntl(terminal, F_DUPFD_CLOEXEC, 0);
  else dup3(terminal, guard.terminal, O_CLOEXEC);
  guard.writers[0] = terminal;
  guard.writers[1] = -1;
  guard.saved = *saved;
  guard.reset_count = count < RESET_MAX ? count : RESET_MAX;
  memcpy(guard.reset, reset, guard.reset_count);
  if (!atomic_exchange(&guard.registered, true)) atexit(at_exit);
  atomic_store(&guard.armed, true);
}

void terminal_guard_add_writer(int terminal) { guard.writers[1] = terminal; }

bool terminal_guard_disarm(void) { return atomic_exchange(&guard.armed, false); }

void terminal_guard_capture(int standard_error, int captured) {
  guard.captured = captured;
  atomic_store(&guard.dying, false);
  atomic_store(&guard.tail_count, 0);
  atomic_store(&guard.standard_error, standard_error);
}

bool terminal_guard_begin_taking(void) {
  atomic_store(&guard.taking, true);
  if (!atomic_load(&guard.dying)) return true;
  atomic_store(&guard.taking, false);
  return false;
}

void terminal_guard_end_taking(void) { atomic_store(&guard.taking, false); }

void terminal_guard_keep(const char *bytes, size_t count) {
  size_t at = atomic_load(&guard.tail_count);
  for (size_t i = 0; i < count; i++) guard.tail[(at + i) % TAIL_MAX] = bytes[i];
  atomic_store(&guard.tail_count, at + count);
}

static void install(int number, void (*handler)(int)) {
  if (guard.installed[number]) return;
  struct sigaction action = {.sa_handler = handler};
  // SA_RESTART: libmpv does not expect its system calls to be interrupted. SA_ONSTACK: a thread that has
  // an alternate stack can even tell that its own has overflowed.
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  guard.installed[number] = sigaction(number, &action, &guard.previous[number]) == 0;
}

static bool is_action(int number, void (*handler)(int)) {
  struct sigaction current;
  return sigaction(number, NULL, &current) == 0 && !(current.sa_flags & SA_SIGINFO) &&
         current.sa_handler == handler;
}

static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
enum { ASKING_COUNT = sizeof asking / sizeof *asking };

void terminal_guard_listen(void) {
  sigset_t unblock;
  sigemptyset(&unblock);
  for (size_t i = 0; i < ASKING_COUNT; i++) sigaddset(&unblock, asking[i]);
  pthread_sigmask(SIG_UNBLOCK, &unblock, NULL);
}

void terminal_guard_watch(int fd) {
  atomic_store(&guard.pipe, fd);
  for (size_t i = 0; i < ASKING_COUNT; i++) {
    // Who started us with nohup(1), or in the background of a script, means it.
    bool may_be_ignored = asking[i] == SIGHUP || asking[i] == SIGINT;
    if (may_be_ignored && is_action(asking[i], SIG_IGN)) continue;
    install(asking[i], noticed);
  }
  const int faults[] = {SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) install(faults[i], ended);
  // Whatever else ends a process, unless somebody has another use for it.
  const int others[] = {
    SIGQUIT, SIGSYS, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2,
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (is_action(others[i], SIG_DFL)) install(others[i], ended);
}

void terminal_guard_unwatch(void) {
  for (int number = 1; number < SIGNAL_MAX; number++) {
    if (!guard.installed[number]) continue;
    sigaction(number, &guard.previous[number], NULL);
    guard.installed[number] = false;
  }
  atomic_store(&guard.pipe, -1);
}

void terminal_guard_die(int number) {
  restore_terminal();
  say_last_words();
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigaction(number, &standard, NULL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
  _exit(128 + number);
}

void terminal_guard_stop(void) {
  struct sigaction stop, resume;
  struct sigaction ignored = {.sa_handler = SIG_IGN};
  struct sigaction standard = {.sa_handler = SIG_DFL};
  // The caller knows that it is continued by this function's return.
  sigaction(SIGCONT, &standard, &resume);
  // The whole process group, since the shell may be waiting for another member of it (make, say), but
  // this process last, by `raise`, which returns only after the stop. SIGTSTP rather than SIGSTOP: the
  // kernel ignores it in a group that no shell could continue.
  sigaction(SIGTSTP, &ignored, &stop);
  kill(0, SIGTSTP);
  sigaction(SIGTSTP, &standard, NULL);
  // Threads that descend from a dispatch queue's have it blocked.
  sigset_t unblock, before;
  sigemptyset(&unblock);
  sigaddset(&unblock, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &unblock, &before);
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGTSTP, &stop, NULL);
  sigaction(SIGCONT, &resume, NULL);
}
