"""Players that show their picture in a terminal: a pseudo-terminal, which notes when something is written to it."""
import fcntl
import os
import re
import shutil
import struct
import termios
import time

import cells
import children
from players import Player

COLUMNS, ROWS = 80, 24
QUESTIONS = {b"\x1b[5n": b"\x1b[0n", b"\x1b[c": b"\x1b[?62;22c", b"\x1b[0c": b"\x1b[?62;22c", b"\x1b[6n": b"\x1b[1;1R"}
QUESTION = re.compile(b"|".join(map(re.escape, QUESTIONS)))


class Pane(Player):
    """A program in a terminal of its own, which answers at once and shows nothing."""

    def __init__(self, bench, name, command):
        super().__init__(bench, name)
        self.pieces, self.last = [], b""  # (instant, bytes)
        # Nobody's own settings and positions are read or changed.
        home = os.path.join(bench.folder, f"home-{bench.count()}")
        os.mkdir(home)
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        # A session's first terminal to be opened becomes its own.
        self.process = children.start(
            ["sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', os.ttyname(slave), *command(self.path)],
            env={**{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
                 "HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor", "DISPLAY": "",
                 "WAYLAND_DISPLAY": ""})
        os.set_blocking(self.master, False)
        self.slave = slave
        self.loop.watch(self.master, self.read)

    def read(self, now):
        try:
            piece = os.read(self.master, 1 << 16)
        except OSError:
            return self.loop.forget(self.master)
        self.pieces.append((now, piece))
        text = self.last + piece
        asked = list(QUESTION.finditer(text))
        for question in asked:
            os.write(self.master, QUESTIONS[question.group()])
        # A question may come in two pieces, but isn't answered twice.
        self.last = text[max(len(text) - 3, asked[-1].end() if asked else 0) :]

    def key(self, characters):
        os.write(self.master, characters)
        return time.monotonic()

    def shown(self):
        """[(instant, frame)]; everything from the beginning, since cells keep what they show."""
        return cells.shown(self.pieces)

    def close(self):
        super().close()
        self.loop.forget(self.master)
        os.close(self.master)
        os.close(self.slave)


def participant(bench, name, words, options):
    return Pane(bench, name, lambda path: [
        bench.program, *words, "--name", name, "--no-config", "--video", "terminal", "--blocks", "halves",
        "--mpv", f"input-ipc-server={path}", *(word for option in options for word in ("--mpv", option))])


def plain(bench, name, film, options):
    return Pane(bench, name, lambda path: [
        shutil.which("mpv"), "--no-config", "--quiet", "--vo=tct", "--pause", f"--input-ipc-server={path}",
        *(f"--{option}" for option in options), film])
