#pragma once
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <wchar.h>

// Swift 6 refuses to read mutable globals, and it does not import constants whose definition
// contains a cast, nor function-like macros. Each gets a function here, and nothing else does.

/// `stdscr` is a mutable global.
static inline WINDOW *cncurses_stdscr(void) { return stdscr; }
/// `COLORS` is a mutable global.
static inline int cncurses_colors(void) { return COLORS; }

// The attributes are casts of shifted bits.
static inline attr_t cncurses_normal(void) { return A_NORMAL; }
static inline attr_t cncurses_bold(void) { return A_BOLD; }
static inline attr_t cncurses_dim(void) { return A_DIM; }
static inline attr_t cncurses_reverse(void) { return A_REVERSE; }
static inline attr_t cncurses_underline(void) { return A_UNDERLINE; }
static inline attr_t cncurses_italic(void) { return A_ITALIC; }

/// `CODESET` is an enumerator that Swift imports with a platform's choice of integer type.
static inline const char *cncurses_codeset(void) { return nl_langinfo(CODESET); }

/// `setupterm` prints to the terminal and exits unless it is given a place for its verdict: 1 means
/// that `type` is known. `curses.h` declares it with a type that differs between versions.
static inline bool cncurses_terminal_is_known(const char *type, int fd) {
  int verdict = 0;
  return setupterm(type, fd, &verdict) == OK && verdict == 1;
}

/// A terminfo string of the terminal in use, or null. `tigetstr` says (char *)-1 for a name that is no
/// string capability, and wants its name mutable.
static inline const char *cncurses_capability(const char *name) {
  char *value = tigetstr((char *)name);
  return value == (char *)-1 ? NULL : value;
}

/// A terminfo number of the terminal in use; below zero if it has none. `tigetnum` wants its name mutable.
static inline int cncurses_number(const char *name) { return tigetnum((char *)name); }

/// The sequence of `setaf` or `setab` for a color, until the next call, or null: `tparm` is variadic.
static inline const char *cncurses_color_sequence(const char *name, int color) {
  const char *capability = cncurses_capability(name);
  return capability ? tparm((char *)capability, (long)color, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L) : NULL;
}

// The C library shows these to those only who define _GNU_SOURCE before its first header, which Swift has
// long read by then.
extern int wcwidth(wchar_t character);
extern int pipe2(int ends[2], int flags);

/// Columns that the C library gives `character`; -1 if it isn't printable.
static inline int cncurses_width(wchar_t character) { return wcwidth(character); }

/// A pipe that doesn't block and that children don't inherit.
static inline int cncurses_pipe(int *ends) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

/// The size in cells that the terminal's driver knows; `ioctl` is variadic. (`term.h` makes macros of
/// `columns` and `lines`.) False if it knows none.
static inline bool cncurses_window_size(int fd, int *width, int *height) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
  *width = size.ws_col;
  *height = size.ws_row;
  return true;
}
