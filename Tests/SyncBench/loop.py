"""One thread that waits for everything: pipes, sockets, and the next sample.

Threads would take turns at the interpreter's lock, and be late for the readings that matter.
"""
import selectors
import time


class Timeout(Exception):
    """What was waited for didn't come."""


class Loop:
    def __init__(self):
        self.selector = selectors.DefaultSelector()

    def watch(self, source, ready):
        """Calls `ready` with the instant (s, CLOCK_MONOTONIC) whenever `source` can be read."""
        self.selector.register(source, selectors.EVENT_READ, ready)

    def forget(self, source):
        try:
            self.selector.unregister(source)
        except (KeyError, ValueError):
            pass

    def turn(self, until):
        """Waits for something to read, no longer than until the instant `until`."""
        ready = self.selector.select(max(0, until - time.monotonic()))
        now = time.monotonic()
        for key, _ in ready:
            key.data(now)

    def rest(self, seconds, every=None, tick=None):
        """Lets time pass, with a call of `tick` every so many seconds."""
        self.wait(lambda: False, seconds, every, tick, or_fail=False)

    def wait(self, condition, seconds, every=None, tick=None, or_fail=True, what="what was waited for"):
        """Waits until `condition` holds; whether it came to that within `seconds`."""
        end = time.monotonic() + seconds
        due = time.monotonic() if tick else float("inf")
        while not condition():
            now = time.monotonic()
            if now >= end:
                if or_fail:
                    raise Timeout(f"{what}: not within {seconds:g} s")
                return False
            if now >= due:
                tick()
                due = max(due + every, time.monotonic())
            self.turn(min(end, due))
        return True
