"""What is seen in each case, and how good it should be. Limits in ms, unless they say otherwise."""
import os
import time

import panes
import seeing
from displays import Display, Watching
from hearing import Heard
from heard import FAR, SETTLING
from party import Party
from players import Plain
from report import quantile
from seeing import REFRESH
from syncplay import Room

OURS = ("Ana", "Ben")
PLAIN = ("mpv 1", "mpv 2")
LIPS = 20  # ms of what plain mpv does.
WINDOW = ("fs=yes", "osd-level=0", "osd-bar=no")


class Recorded:
    """What the displays showed and the outputs played, from one instant to another."""

    def __init__(self, bench):
        self.bench, number = bench, bench.count()
        self.begun = time.monotonic()
        self.sound = bench.server.record(os.path.join(bench.folder, f"recording-{number}"))
        self.watching = Watching(
            [display.picture for display in bench.displays], os.path.join(bench.folder, f"frames-{number}"))

    def end(self):
        self.ended = time.monotonic()
        self.shown, self.gaps = self.watching.end()
        path = self.sound.end()
        self.heard = Heard(path, len(self.bench.displays), self.bench.sound)
        return self

    def frames(self, index):
        return self.shown.get(index, [])


class Windows:
    """Two participants with a window each, and two plain players that nobody keeps in step, all at the same time."""

    def __init__(self, bench, link=None):
        self.bench, self.plain = bench, []
        names = [*OURS, *PLAIN]
        options = {name: [*bench.server.options(index), *WINDOW] for index, name in enumerate(names)}
        environment = {name: bench.displays[index].environment for index, name in enumerate(names)}
        self.party = Party(
            bench, bench.film, link, guests=OURS[1:], options_of=options,
            machine_of={name: {"environment": environment[name], "video": "window"} for name in OURS})
        try:
            for name in PLAIN:
                # The outputs that the program names for a display.
                self.plain.append(Plain(
                    bench, name, bench.film, ["vo=gpu,x11", *options[name]], environment[name]))
            for player in self.plain:
                player.attach()
        except BaseException:
            self.close()
            raise

    def press(self, player, command, *arguments):
        """Has the plain players do the same, each by itself."""
        for each in self.plain:
            if command == "seek":
                each.probe.connection.send("seek", arguments[0], "absolute+exact")
            else:
                each.probe.connection.send("set_property", "pause", command == "pause")
        return self.party.press(player, command, *arguments)

    def close(self):
        for player in self.plain:
            player.close()
        self.party.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def pair(bench, case, name, a, b, limit, theirs=False):
    """The distances of one pair, in ms."""
    values = seeing.distances(a, b)
    if len(values) < 0.5 * max(len(a), 1) or not values:
        raise RuntimeError(f"{name}: only {len(values)} of {len(a)} frames were seen on both displays")
    bench.report.add(case, f"{name}, median", abs(seeing.middle(values)), theirs=theirs)
    if theirs == "mpv":
        # Nobody keeps them in step: only how the distance varies says something.
        values = [value - seeing.middle(values) for value in values]
    far = [abs(value) for value in values]
    bench.report.add(case, f"{name}, 95 %", quantile(far, 0.95), target=limit, theirs=theirs)
    bench.report.add(case, f"{name}, worst", max(far), theirs=theirs)


def steady(bench, windows, case):
    recorded = Recorded(bench)
    windows.party.loop.rest(bench.seconds)
    recorded.end()
    shown = [recorded.frames(index) for index in range(len(bench.displays))]
    pair(bench, case, "same frame on both", shown[0], shown[1], REFRESH)
    pair(bench, case, "same frame on both", shown[2], shown[3], None, "mpv")
    lips(bench, case, recorded, shown)
    evenness(bench, case, ((False, shown[:2]), ("mpv", shown[2:])))
    bench.gaps += recorded.gaps


def evenness(bench, case, groups):
    for theirs, group in groups:
        found = [seeing.faults(each) for each in group]
        bench.report.add(case, "frames dropped", sum(one[0] for one in found), "", theirs=theirs)
        bench.report.add(case, "frames shown again", sum(one[1] for one in found), "", theirs=theirs)
        bench.report.add(case, "a frame's length beside the film's, 95 %", max(
            quantile([abs(value) for value in seeing.uneven(each, bench.rate)], 0.95) for each in group), theirs=theirs)


def lips(bench, case, recorded, shown, window=None):
    """How much later than plain mpv's each participant's picture is, beside its sound."""
    lags = []
    for index, each in enumerate(shown):
        found = seeing.lags(each, recorded.heard.places(index, 0.5, recorded.heard.seconds - 1), bench.rate)
        if not found:
            raise RuntimeError(f"no sound could be found to the pictures of {(*OURS, *PLAIN)[index]}")
        lags.append([value * 1e3 for value in found])
    middles = [seeing.middle(each) for each in lags]
    # In the terminal mpv's window is the reference: its tct, which draws every cell, is only shown beside.
    reference = (middles[2] + middles[3]) / 2 if window is None else middles[window]
    for name, value in zip(OURS, middles):
        bench.report.add(case, f"lip sync, {name}'s picture after mpv's", value - reference)
        bench.report.add(case, f"lip sync, {name}, from mpv's", abs(value - reference), target=LIPS)
    bench.report.add(case, "lip sync, from mpv's", abs(middles[2] - reference), theirs="mpv")
    for theirs, group in ((False, (0, 1)), ("mpv", (2, 3))):
        bench.report.add(case, "lip sync, 95 % around the median", max(
            quantile([abs(value - middles[index]) for value in lags[index]], 0.95) for index in group), theirs=theirs)


def action(bench, windows, case, command, *arguments, presser=0):
    """The distances from an action on: in the first second, and later."""
    recorded = Recorded(bench)
    windows.party.loop.rest(0.7)
    begun = windows.press(windows.party.players[presser], command, *arguments)
    windows.party.loop.rest(5)
    recorded.end()
    place = arguments[0] if command == "seek" else 0
    shown = [seeing.since(recorded.frames(index), begun, place * bench.rate) for index in range(4)]
    for theirs, pair_of in ((False, shown[:2]), ("mpv", shown[2:])):
        if not all(pair_of):
            raise RuntimeError(f"nothing is seen after {command}")
        # The first picture of all is a still one that waits for the others.
        moving = max(each[1 if command == "seek" else 0][0] for each in pair_of)
        for name, begin, end in (("the first second", 0, 1), ("from the second on", 1, 9)):
            values = seeing.distances(*(seeing.between(each, moving + begin - 0.05, moving + end) for each in pair_of))
            if not values:
                raise RuntimeError(f"no frame after {command} was seen on both displays")
            off = seeing.middle(values) if theirs else 0
            far = [abs(value - off) for value in values]
            bench.report.add(case, f"after {command}, {name}, 95 %", quantile(far, 0.95),
                             target=None if theirs else REFRESH, theirs=theirs)
            bench.report.add(case, f"after {command}, {name}, worst", max(far), theirs=theirs)


def paused(bench, windows, case, name, command, *arguments):
    """How many frames apart the displays are, three seconds later."""
    recorded = Recorded(bench)
    windows.party.loop.rest(0.5)
    windows.press(windows.party.players[0], command, *arguments)
    windows.party.loop.rest(3)
    recorded.end()
    last = [recorded.frames(index)[-1][1] for index in range(2)]
    bench.report.add(case, f"{name}, frames apart", abs(last[0] - last[1]), "", target=0)


def run(bench, number, where, link=None):
    case = f"{number} windows, {where}"
    with Windows(bench, link) as windows:
        windows.party.settle()
        if bench.wants("starts"):
            action(bench, windows, case, "play")
            action(bench, windows, case, "seek", 60)
            action(bench, windows, case, "seek", 30, presser=1)
        else:
            windows.press(windows.party.players[0], "play")
        if bench.wants("steady"):
            windows.party.loop.rest(SETTLING)
            steady(bench, windows, case)
        if bench.wants("pauses"):
            paused(bench, windows, case, "after pause", "pause")
            paused(bench, windows, case, "after seek while paused", "seek", 45)


class Panes:
    """Two participants in terminals, and plain mpv in a terminal and in a window, all at the same time."""

    def __init__(self, bench):
        self.bench, self.panes, self.players = bench, [], []
        file = os.path.join(bench.folder, f"invite-{bench.count()}")
        try:
            self.panes.append(panes.participant(
                bench, OURS[0], ["host", bench.film, "--listen", "127.0.0.1:0", "--invite-file", file],
                bench.server.options(0)))
            bench.loop.wait(lambda: os.path.exists(file) and os.path.getsize(file), 20, 0.1, lambda: None, what="the invite")
            with open(file, encoding="utf-8") as text:
                invite = text.read().strip()
            self.panes.append(panes.participant(
                bench, OURS[1], ["join", invite, bench.film], bench.server.options(1)))
            self.panes.append(panes.plain(bench, "mpv tct", bench.film, bench.server.options(2)))
            self.players.append(Plain(
                bench, "mpv", bench.film, ["vo=gpu,x11", *bench.server.options(3), *WINDOW],
                bench.displays[3].environment))
            for player in (*self.panes, *self.players):
                player.attach()
        except BaseException:
            self.close()
            raise

    def play(self, is_playing):
        for player in (self.panes[2], *self.players):
            player.probe.connection.send("set_property", "pause", not is_playing)
        return self.panes[0].key(b" ")

    def close(self):
        for player in (*self.panes, *self.players):
            player.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def in_terminals(bench):
    """The same in the terminal, where mpv's window is what a picture's sound is compared with."""
    case = "3 terminals, loopback"
    with Panes(bench) as group:
        bench.loop.rest(6)
        begun = group.play(True)
        bench.loop.rest(SETTLING)
        recorded = Recorded(bench)
        bench.loop.rest(bench.seconds)
        recorded.end()
        group.play(False)
        bench.loop.rest(3)
        whole = [pane.shown() for pane in group.panes]
    bench.report.add(case, "after pause, frames apart", abs(whole[0][-1][1] - whole[1][-1][1]), "", target=0)
    start = [seeing.between(each, begun, begun + 6) for each in whole]
    far = [abs(value) for value in seeing.distances(start[0], start[1])]
    bench.report.add(case, "after play, six seconds, 95 %", quantile(far, 0.95), target=REFRESH)
    bench.report.add(case, "after play, six seconds, worst", max(far))
    shown = [seeing.between(each, recorded.begun, recorded.ended) for each in whole] + [recorded.frames(3)]
    pair(bench, case, "same frame on both", shown[0], shown[1], REFRESH)
    lips(bench, case, recorded, shown, window=3)
    evenness(bench, case, ((False, shown[:2]), ("mpv", shown[2:3])))
    bench.gaps += recorded.gaps


def loopback(bench):
    run(bench, 1, "loopback")


def far(bench):
    run(bench, 2, "the guest 40 ± 15 ms away", FAR)


def peer(bench):
    """Syncplay, in what both can do."""
    case = "1 windows, loopback"
    options = {name: [*bench.server.options(index), "vo=gpu,x11", *WINDOW] for index, name in enumerate(OURS)}
    environment = {name: bench.displays[index].environment for index, name in enumerate(OURS)}
    with Room(bench, bench.film, names=OURS, options_of=options, environment_of=environment) as room:
        room.settle()
        room.press(room.players[0], "play")
        room.loop.rest(SETTLING)
        recorded = Recorded(bench)
        room.loop.rest(bench.seconds)
        recorded.end()
        pair(bench, case, "same frame on both", recorded.frames(0), recorded.frames(1), None, "Syncplay")
        evenness(bench, case, (("Syncplay", [recorded.frames(0), recorded.frames(1)]),))
        recorded = Recorded(bench)
        room.loop.rest(0.5)
        room.press(room.players[0], "pause")
        room.loop.rest(3)
        recorded.end()
        apart = abs(recorded.frames(0)[-1][1] - recorded.frames(1)[-1][1])
        bench.report.add(case, "after pause, frames apart", apart, "", theirs="Syncplay")
