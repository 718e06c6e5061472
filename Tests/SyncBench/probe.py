"""Reads a player's place from outside, by mpv's JSON IPC, and the instant at which it held."""
import json
import select
import socket
import time

SLOW = 0.001  # s. The place held at some instant between question and answer: half of this is the error.
GOOD = 0.0002  # s. Quick enough not to ask again.
TRIES = 4
PATIENCE = 0.02  # s. A process that is stopped answers nothing.


class Connection:
    """One client of an mpv's IPC socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.socket.setblocking(False)
        self.poll = select.poll()
        self.poll.register(self.socket, select.POLLIN)
        self.rest, self.number = b"", 0

    def lines(self):
        """What has arrived."""
        try:
            while True:
                piece = self.socket.recv(65536)
                if not piece:
                    break
                self.rest += piece
                if len(piece) < 65536:
                    break
        except (BlockingIOError, ConnectionError):
            pass
        *whole, self.rest = self.rest.split(b"\n")
        return [json.loads(line) for line in whole if line]

    def send(self, *command):
        self.number += 1
        message = json.dumps({"command": command, "request_id": self.number})
        try:
            self.socket.send(message.encode() + b"\n")
        except (BlockingIOError, ConnectionError):
            pass
        return self.number

    def close(self):
        self.socket.close()


class Probe:
    """Questions and answers, one at a time."""

    def __init__(self, path):
        self.connection = Connection(path)
        self.owed = 0  # The number of a question whose answer is still to come.
        self.readings = self.dropped = 0
        self.widths = []
        self.connection.send("disable_event", "all")
        self.connection.lines()

    def ask(self, name, patience=PATIENCE):
        """A property's value (None: unavailable), and when it was asked and answered; or None."""
        if self.owed and not self.await_answer(self.owed, 0):
            return None
        asked = time.monotonic()
        number = self.connection.send("get_property", name)
        answer = self.await_answer(number, patience)
        if answer is None:
            self.owed = number
            return None
        return answer[0].get("data"), asked, answer[1]

    def await_answer(self, number, patience):
        end = time.monotonic() + patience
        while True:
            left = end - time.monotonic()
            readable = self.connection.poll.poll(max(0, left * 1e3))
            now = time.monotonic()
            for line in self.connection.lines() if readable else ():
                if line.get("request_id") == number and "error" in line:
                    self.owed = 0
                    return line, now
            if now >= end:
                return None

    def place(self):
        """(instant, `audio-pts`, width) by the quickest of a few readings; the place is None while
        there is no sound. None if no reading was quick enough to say when it held."""
        best = None
        for _ in range(TRIES):
            answer = self.ask("audio-pts")
            if answer is None:
                break
            place, asked, answered = answer
            width = answered - asked
            if best is None or width < best[2]:
                best = ((asked + answered) / 2, place, width)
            if width <= GOOD:
                break
        self.readings += 1
        if best is None or best[2] > SLOW:
            self.dropped += 1
            return None
        self.widths.append(best[2])
        return best

    def value(self, name, patience=1.0):
        answer = self.ask(name, patience)
        return answer and answer[0]

    def close(self):
        self.connection.close()


class Watch:
    """What mpv says by itself, with the instant at which it arrived."""

    PROPERTIES = ["pause", "speed", "paused-for-cache", "seeking"]

    def __init__(self, loop, path):
        self.loop, self.connection = loop, Connection(path)
        self.log = []  # (instant, name, value)
        self.latest = {}
        for index, name in enumerate(self.PROPERTIES):
            self.connection.send("observe_property", index + 1, name)
        loop.watch(self.connection.socket, self.read)

    def read(self, now):
        lines = self.connection.lines()
        if not lines and not self.connection.rest:
            # Readable and nothing there: it has ended.
            self.loop.forget(self.connection.socket)
        for line in lines:
            event = line.get("event")
            if event == "property-change":
                self.latest[line["name"]] = line.get("data")
                self.log.append((now, line["name"], line.get("data")))
            elif event:
                self.log.append((now, event, None))

    def since(self, instant, name):
        """What was said of `name` since `instant`: (instant, value)."""
        return [(t, value) for t, kind, value in self.log if kind == name and t >= instant]

    def close(self):
        self.loop.forget(self.connection.socket)
        self.connection.close()
