"""A page in a browser beside Matinees: how far from the host its film is heard. Limits in ms, unless they say otherwise.

The host is heard on the left, the page on the right, since the film has its sound there, and Matinee's guest behind:
channels of one sink, since a sink before another moves what is played by milliseconds.
"""
import json
import os
import random
import select
import subprocess
import time

import numpy

import children
from hearing import AUDIBLE, WINDOW, correlate, loudness, peak, sharpened
from loop import Timeout
from party import Party
from report import quantile
from sound import RATE, PulseAudio, samples_begin

HOST, PAGE, GUEST = range(3)
SIZE = RATE // 10  # Samples of a window.
HOP = RATE // 20
REACH = 0.16  # s around the place at which a window is expected.
SURE = 0.5
# A page corrects its distance by other rates, at which a window is longer or shorter.
RATES = (1.0, 0.995, 1.005, 0.99, 1.01, 0.98, 1.02)
BEGINNING = 2.0  # s
SETTLING = 10.0  # s from a start until playing counts as steady.
# The steady distance, that of the first two seconds (95 % of the windows), and the most in these.
LIMITS = {"chromium": (10, 25, 100), "firefox": (15, 40, 100)}


class OneSink(PulseAudio):
    """A sink of three channels without any before it, and a silent client, so that its blocks keep their size."""

    def __init__(self, folder):
        configuration = os.path.join(folder, "daemon.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            # A page's two channels remain two.
            file.write("enable-remixing = no\n")
        os.environ["PULSE_CONFIG"] = configuration
        super().__init__(folder, 3)
        self.silence = children.start(
            ["pacat", "-d", "all", "--latency-msec=10", "/dev/zero"], env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def of_outputs(self):
        return []

    def has(self, outputs):
        return os.path.exists(self.socket) and "all\t" in self.pactl("list", "short", "sinks")

    def options(self, index):
        """mpv's options for the channel with this number."""
        # A gain of 1 would let FFmpeg 5 copy channels, to wrong ones.
        pan = f"pan=quad|{('FL', None, 'BL')[index]}=0.9*FR"
        return ["ao=pulse", "audio-device=pulse/all", "audio-channels=quad", f"af=lavfi=[{pan}]"]

    def close(self):
        children.end(self.silence)
        super().close()


class Browser:
    """A real browser, driven by a line for each command (`BrowserBench`)."""

    def __init__(self, bench, kind):
        self.process = children.start(
            [bench.driver, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            stderr=None if bench.verbose else subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": bench.folder})
        try:
            self.answer()
        except BaseException:
            self.close()
            raise

    def answer(self):
        if not select.select([self.process.stdout], [], [], 180)[0]:
            raise Timeout("the browser's answer")
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": "it ended"}
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(f"the browser: {answer['error']}")
        return answer

    def send(self, word, argument):
        self.process.stdin.write(f"{word} {' '.join(argument.split())}\n")
        return self.answer()

    def close(self):
        # The browser ends with this input.
        self.process.stdin.close()
        children.end(self.process, patience=10)


class Track:
    """One channel of a recording: the place in the film at the middle of each window, where it can be recognized."""

    def __init__(self, samples, film):
        self.samples, self.sharp, self.film = samples, sharpened(samples), film
        self.places, line = [], None  # (s of the recording, place in s or None)
        for first in range(0, len(samples) - WINDOW, HOP):
            middle = (first + SIZE / 2) / RATE
            place = None
            if loudness(samples[first : first + SIZE], SIZE)[0] > AUDIBLE:
                place = line is not None and self.near(first, middle + line) or self.anywhere(first)
            line = place - middle if place is not None else line
            self.places.append((middle, place))

    def near(self, first, expected):
        """The place of a window's middle near the expected one; None if it isn't there."""
        window, best = self.sharp[first : first + SIZE], (0.0, None)
        begin = int((expected - REACH) * RATE) - SIZE // 2
        signal = self.film.sharp[max(0, begin) : begin + SIZE + int(2 * REACH * RATE)]
        for rate in RATES:
            count = int(SIZE * rate)
            if len(signal) < 2 * count:
                return None
            at = numpy.linspace(0, SIZE - 1, count)
            values = correlate(window if rate == 1 else numpy.interp(at, numpy.arange(SIZE), window), signal)
            best = max(best, (float(numpy.max(values)), (max(0, begin) + peak(values) + count / 2) / RATE))
            if best[0] > 0.8:
                break
        return best[1] if best[0] > SURE else None

    def anywhere(self, first):
        place, sure = self.film.place(self.sharp[first : first + WINDOW], 1)
        return self.near(first, place + SIZE / 2 / RATE) if sure > 0.4 else None


def tracks(path, film):
    samples = numpy.fromfile(path, dtype="<f4", offset=samples_begin(path))
    samples = samples[: len(samples) // 3 * 3].reshape(-1, 3)
    return [Track(numpy.ascontiguousarray(samples[:, index]), film) for index in range(3)]


def beginning(host, other, is_new):
    """[(s since the host's first new sound, ms by which the other is ahead)] and the ms from that sound to the other's
    first one (None: never). `is_new(place)`: whether a place is one of after the command."""
    heard = [(at, place) for at, place in host.places if place is not None and is_new(place)]
    if not heard:
        return [], None
    begin = heard[0][0]
    others = {at: place for at, place in other.places if place is not None and is_new(place) and at >= begin - 2}
    distances = [(at - begin, (others[at] - place) * 1e3) for at, place in heard if at in others and at < begin + BEGINNING]
    return distances, (min(others) - begin) * 1e3 if others else None


class Figures:
    """What was measured of one player in one case, over all commands of a kind."""

    def __init__(self):
        self.distances, self.first, self.bad, self.commands = [], [], 0, 0

    def add(self, distances, first):
        """A command of which less than half of the two seconds could be dated is counted as bad."""
        self.commands += 1
        self.distances += [abs(value) for _, value in distances]
        if first is not None:
            self.first.append(abs(first))
        if first is None or len(distances) < BEGINNING * RATE / HOP / 2:
            self.bad += 1

    def report(self, report, case, limits, theirs):
        limit, most = (None, None) if theirs else limits
        def add(name, value, unit="ms", target=None):
            report.add(case, name, value, unit, target, theirs=theirs)
        if self.distances:
            add("median", quantile(self.distances, 0.5))
            add("95 %", quantile(self.distances, 0.95), target=limit)
            add("most", max(self.distances), target=most)
        if self.first:
            add("first sound from the host's, most", max(self.first))
        if self.commands:
            add(f"not dated, of {self.commands}", self.bad, "", None if theirs else 0)


def page_file(bench, party):
    """The page that lets a browser into the party, as a URL."""
    path, since = os.path.join(bench.folder, f"page-{bench.count()}.html"), time.monotonic()
    party.players[0].send(f"page {path}")
    party.players[0].event("page", since)
    return f"file://{path}"


def opened_page(bench, party, kind):
    browser = Browser(bench, kind)
    try:
        browser.send("open", page_file(bench, party))
        browser.send("wait", "matinee.state.connection === 'offered'")
        browser.send("evaluate", "document.querySelector('#name').value = 'Mia'")
        browser.send("click", "#join button.primary")
        browser.send("wait", "document.querySelector('video').readyState >= 3")
    except BaseException:
        browser.close()
        raise
    return browser


def rounds(bench, party):
    """[(recording, place of the seek)]: each has a start, and a seek while playing. The host commands both."""
    chance, host, recordings = random.Random(55), party.players[0], []
    for number in range(bench.times):
        recording = bench.server.record(os.path.join(bench.folder, f"round-{bench.count()}"))
        bench.loop.rest(0.7)
        party.press(host, "play")
        bench.loop.rest(4)
        # Into the other half of the film, so that places of before and after aren't mistaken for each other.
        half = bench.seconds_of_film / 2
        place = number % 2 * half + chance.uniform(20, half - 30)
        party.press(host, "seek", f"{place:.3f}")
        bench.loop.rest(4.5)
        party.press(host, "pause")
        recordings.append((recording.end(), place))
        bench.loop.rest(1.5)
        bench.tick(number + 1)
    return recordings


def measured(bench, number, kind):
    """Plays, and then listens: the computing would disturb what is played."""
    names = [PAGE, GUEST] if kind else [GUEST]
    options = {name: bench.server.options(index) for name, index in (("Ana", HOST), ("Ben", GUEST))}
    with Party(bench, bench.film, guests=("Ben",), options_of=options) as party:
        party.settle()
        browser = opened_page(bench, party, kind) if kind else None
        try:
            bench.loop.rest(3)
            recordings = rounds(bench, party)
            party.press(party.players[0], "seek", 10)
            party.press(party.players[0], "play")
            bench.loop.rest(SETTLING)
            recording = bench.server.record(os.path.join(bench.folder, f"steady-{kind}"))
            bench.loop.rest(bench.seconds)
            steady_path = recording.end()
        finally:
            if browser:
                browser.close()
    steady_limit, *limits = LIMITS.get(kind, (None, None, None))
    title = kind.capitalize() if kind else "Two Matinees"
    figures = {(part, name): Figures() for part in ("play", "seek") for name in names}
    for path, place in recordings:
        heard = tracks(path, bench.sound)
        for name in names:
            is_sought = lambda at, place=place: place - 0.2 <= at < place + 8
            figures["play", name].add(*beginning(heard[HOST], heard[name], lambda at: not is_sought(at)))
            figures["seek", name].add(*beginning(heard[HOST], heard[name], is_sought))
        bench.drop(path)
    heard = tracks(steady_path, bench.sound)
    for name in names:
        theirs = "Matinee's guest" if name == GUEST else False
        for index, part in enumerate(("play", "seek")):
            case = f"{number + index} {title}, two seconds after {part}"
            figures[part, name].report(bench.report, case, limits, theirs)
        leads = [
            (there - here) * 1e3 for (_, here), (_, there) in zip(heard[HOST].places, heard[name].places)
            if here is not None and there is not None]
        distances = [abs(lead) for lead in leads]
        case = f"{number + 2} {title}, steady"
        windows = len(heard[HOST].places)
        for part, value, limit in (
                ("ahead of the host, median", quantile(leads, 0.5), None),
                ("median", quantile(distances, 0.5), None), ("95 %", quantile(distances, 0.95), steady_limit),
                ("most", max(distances), None)):
            bench.report.add(case, part, value, target=None if theirs else limit, theirs=theirs)
        bench.report.add(case, "windows not dated", 100 * (1 - len(distances) / windows), "%", theirs=theirs)
    bench.drop(steady_path)
