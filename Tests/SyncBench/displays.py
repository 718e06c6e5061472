"""X servers without a screen, whose pictures lie in files: one process looks at all of them, on one clock.

Xvfb keeps its picture in a file in memory (`-fbdir`), which can be read without asking the server, so that looking
disturbs nobody. It has no refresh of its own: a picture is there as soon as the player has put it there.
"""
import mmap
import os
import select
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import children
import stripes

EVERY = 0.0005  # s between two looks


class Display:
    """One Xvfb. No size but the film's: the player's window fills it."""

    def __init__(self, folder):
        os.makedirs(folder)
        reading, writing = os.pipe()
        width, height = stripes.SIZE
        self.process = children.start(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp",
             "-fbdir", folder, "-noreset"],
            pass_fds=(writing,), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise RuntimeError("Xvfb doesn't start")
        self.picture = os.path.join(folder, "Xvfb_screen0")
        self.environment = {"DISPLAY": f":{number}", "WAYLAND_DISPLAY": ""}

    def close(self):
        children.end(self.process)


class Framebuffer:
    """A picture in XWD format (X11/XWDFile.h): a header in big-endian words, colours, pixels."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = struct.unpack(">25I", self.bytes[:100])
        size, width, height, line, colours = header[0], header[4], header[5], header[12], header[19]
        stripe = width / stripes.COUNT
        columns = [int(stripe * (index + 0.5)) * 4 + 1 for index in range(stripes.COUNT)]
        first = size + colours * 12
        # Text over the picture hides some of them for seconds.
        self.rows = [[first + row * line + column for column in columns] for row in (height * part // 8 for part in (1, 3, 5, 7))]

    def frame(self):
        """The number of the frame that is shown as a whole, or None."""
        found = [stripes.number([self.bytes[place] for place in row]) for row in self.rows]
        legible = [frame for frame in found if frame is not None]
        return legible[0] if len(legible) > 1 and len(set(legible)) == 1 else None


class Watching:
    """A process that writes down when each display shows which frame."""

    def __init__(self, paths, file):
        self.path = file
        with open(file, "wb") as output:
            self.process = children.start(
                [sys.executable, os.path.abspath(__file__), *paths], stdin=subprocess.PIPE, stdout=output)

    def end(self):
        """([[(s of CLOCK_MONOTONIC, frame)] for each display], [s between two looks, the longest of each second])."""
        self.process.stdin.close()
        self.process.wait(5)
        children.end(self.process)
        shown, gaps = {}, []
        with open(self.path, encoding="ascii") as file:
            for line in file:
                kind, instant, value = line.split()
                if kind == "gap":
                    gaps.append(float(value))
                else:
                    shown.setdefault(int(kind), []).append((float(instant), int(value)))
        return shown, gaps


def watch(paths):
    """Looks at the pictures until the input ends."""
    displays = [Framebuffer(path) for path in paths]
    latest = [None] * len(displays)
    last = second = time.monotonic()
    worst = 0.0
    while not select.select([0], [], [], 0)[0]:
        now = time.monotonic()
        worst, last = max(worst, now - last), now
        for index, display in enumerate(displays):
            frame = display.frame()
            if frame is not None and frame != latest[index]:
                latest[index] = frame
                print(index, f"{now:.6f}", frame)
        if now - second >= 1:
            print("gap", f"{now:.6f}", f"{worst:.6f}", flush=True)
            second, worst = now, 0.0
        time.sleep(EVERY)


if __name__ == "__main__":
    watch(sys.argv[1:])
