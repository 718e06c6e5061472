"""The players that are measured: matinee without a screen, and Syncplay's mpv."""
import json
import os
import socket
import subprocess
import time

import children
from loop import Timeout
from probe import Probe, Watch


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Player:
    """A process with an mpv inside or beside it, and the two clients that look at that mpv."""

    def __init__(self, bench, name):
        self.bench, self.loop, self.name = bench, bench.loop, name
        self.path = os.path.join(bench.folder, f"{name}-{bench.count()}.sock")
        self.process = self.probe = self.watch = None
        self.started = time.monotonic()

    def try_to_attach(self):
        """Whether mpv's socket is there by now."""
        if self.probe is None:
            try:
                watch = Watch(self.loop, self.path)
            except OSError:
                return False
            self.watch, self.probe = watch, Probe(self.path)
        return True

    def attach(self):
        end = time.monotonic() + 20
        while not self.try_to_attach():
            if time.monotonic() > end or self.process.poll() is not None:
                raise Timeout(f"{self.name} opened no IPC socket")
            self.loop.rest(0.02)

    def close(self):
        if self.probe:
            self.probe.close()
            self.watch.close()
            self.bench.tally(self.probe)
        if self.process:
            children.end(self.process)


class Plain(Player):
    """mpv itself."""

    def __init__(self, bench, name, film, options, environment=None):
        super().__init__(bench, name)
        self.process = children.start(
            ["mpv", "--no-config", "--no-terminal", "--vo=null", "--pause", f"--input-ipc-server={self.path}",
             *(f"--{option}" for option in options), film],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})})

    def cpu(self):
        return cpu_of(self.process.pid)


class Matinee(Player):
    """One `matinee --headless`: commands to its input, events from its output."""

    def __init__(self, bench, name, arguments, options=(), prefix=(), environment=None, video="none"):
        super().__init__(bench, name)
        self.events, self.rest = [], b""  # (instant, event)
        # Offsets and films that an earlier run remembers would be part of the measurement.
        state = os.path.join(bench.folder, f"state-{bench.count()}")
        self.process = children.start(
            [*prefix, bench.program, *arguments, "--name", name, "--headless", "--no-config",
             "--video", video, "--mpv", "ao=null", "--mpv", f"input-ipc-server={self.path}",
             *(word for option in options for word in ("--mpv", option))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
            stderr=subprocess.DEVNULL if not bench.verbose else None,
            env={**os.environ, "XDG_STATE_HOME": state, **(environment or {})})
        os.set_blocking(self.process.stdout.fileno(), False)
        self.loop.watch(self.process.stdout, self.read)

    def read(self, now):
        piece = self.process.stdout.read(1 << 16)
        if piece is None:
            return
        if not piece:
            self.loop.forget(self.process.stdout)
            return
        *whole, self.rest = (self.rest + piece).split(b"\n")
        for line in whole:
            self.events.append((now, json.loads(line)))
            if self.bench.verbose:
                print(f"  {now:.3f} {self.name}: {line.decode()[:300]}", flush=True)

    def send(self, line):
        """Writes a command; the instant at which that was done."""
        now = time.monotonic()
        self.process.stdin.write(line.encode() + b"\n")
        return now

    def event(self, kind, since=0.0, seconds=30.0, matching=lambda event: True):
        """The first such event since an instant: (instant, event)."""
        found = []

        def search():
            found[:] = [(t, e) for t, e in self.events if t >= since and e["event"] == kind and matching(e)][:1]
            return bool(found) or self.process.poll() is not None
        self.loop.wait(search, seconds, what=f"{kind} from {self.name}")
        if not found:
            raise Timeout(f"{self.name} ended before {kind}")
        return found[0]

    def state(self):
        return self.event("state", since=self.send("state"))[1]

    def cpu(self):
        return cpu_of(self.process.pid)

    def close(self):
        self.loop.forget(self.process.stdout)
        try:
            self.send("quit")
        except OSError:
            pass
        children.end(self.process, patience=0.5)
        super().close()


def cpu_of(process):
    """The CPU time that a process has used, in s.

    By its CPU clock, which clock_getcpuclockid(3) would name: `/proc/PID/stat` counts in ticks, and by
    where a tick happened to fall.
    """
    return time.clock_gettime(~process << 3 | 2)
