"""A player of others in a party of Matinee's: the example with GStreamer. Limits in ms, unless they say otherwise."""
import math
import os
import subprocess

import children
import heard
from party import Link, Party
from report import quantile

FAR = Link(delay=0.040, jitter=0.015)
SETTLING = 5.0  # s from a start until playing counts as steady.
LIMIT = 20
SINK = 40  # What pulsesink tolerates between its clock and the pipeline's (drift-tolerance) before it corrects that.
SILENT = "fakesink sync=true"


class GStreamer:
    """The example as a process. Four times a second it says where it is, and when that was."""

    def __init__(self, bench, invite, sound, told):
        self.loop, self.told, self.rest = bench.loop, told, b""
        self.process = children.start(
            [bench.player, invite, bench.film, f'video-sink="{SILENT}"', f'audio-sink="{sound}"'],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0,
            stderr=None if bench.verbose else subprocess.DEVNULL)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.loop.watch(self.process.stdout, self.read)

    def read(self, _):
        piece = self.process.stdout.read(1 << 16)
        if not piece:
            if piece is not None:
                self.loop.forget(self.process.stdout)
            return
        *whole, self.rest = (self.rest + piece).split(b"\n")
        for line in whole:
            words = line.split()
            if len(words) == 4 and words[0] == b"position":
                self.told(int(words[1]) / 1e9, int(words[2]) / 1e9, float(words[3]))

    def close(self):
        self.loop.forget(self.process.stdout)
        children.end(self.process)


class MixedParty(Party):
    """A host, a guest, and the player of others, each beyond a link if there is one."""

    others = 1

    def __init__(self, bench, link=None, guests=("Ben",), sound=SILENT, **of_guests):
        self.foreign, self.distances = None, []  # ms
        super().__init__(bench, bench.film, link, guests, **of_guests)
        try:
            invite = self.invite.replace(f":{self.port}/", f":{self.carry(self.port)}/")
            self.foreign = GStreamer(bench, invite, sound, self.told)
        except BaseException:
            self.close()
            raise

    def told(self, instant, place, rate):
        """Asks the others where they are, a moment later: the distance of the farthest is kept."""
        distances = []
        for player in self.players:
            reading = player.probe.place()
            if reading and reading[1] is not None:
                expected = place + (reading[0] - instant) * rate
                distances.append((expected - reading[1]) / rate * 1e3)
        if distances:
            self.distances.append(max(distances, key=abs))

    def collect(self, seconds):
        """The distances from now on."""
        self.distances = []
        self.loop.rest(seconds)
        if len(self.distances) < seconds * 2:
            raise RuntimeError(f"only {len(self.distances)} positions in {seconds:g} s")
        return self.distances

    def close(self):
        if self.foreign:
            self.foreign.close()
        super().close()


def figures(bench, case, distances, limit=LIMIT):
    values = [abs(value) for value in distances]
    bench.report.add(case, "median", quantile(values, 0.5))
    bench.report.add(case, "95 %", quantile(values, 0.95), target=limit)
    bench.report.add(case, "most", max(values))


def steady(bench):
    for number, where, link in ((1, "loopback", None), (2, "guests 40 ± 15 ms away", FAR)):
        with MixedParty(bench, link) as party:
            party.settle()
            party.play()
            party.loop.rest(SETTLING)
            figures(bench, f"{number} steady, {where}", party.collect(bench.seconds))


def commands(bench):
    """From 1.5 s after each command on, in which all have carried it out: the player needs 0.3 s for a seek."""
    for number, where, link in ((3, "loopback", None), (4, "guests 40 ± 15 ms away", FAR)):
        with MixedParty(bench, link) as party:
            party.settle()
            host, guest = party.players
            starts, seeks = [], []
            for presser in (host, guest) * bench.times:
                party.press(presser, "play")
                party.loop.rest(1.5)
                starts += party.collect(2)
                party.press(presser, "seek", math.floor(presser.probe.value("time-pos")) + 10)
                party.loop.rest(1.5)
                seeks += party.collect(2)
                party.press(presser, "pause")
                party.loop.rest(1.5)
            figures(bench, f"{number} after play, {where}", starts)
            figures(bench, f"{number + 2} after seek, {where}", seeks)


def rates(bench):
    with MixedParty(bench) as party:
        party.settle()
        party.play()
        party.loop.rest(SETTLING)
        for rate in (1.25, 1):
            party.press(party.players[0], "rate", rate)
            party.loop.rest(SETTLING)
            figures(bench, f"7 rate {rate}" if rate != 1 else "8 rate 1 again", party.collect(bench.seconds / 2))


def audible(bench):
    """Recorded: the host's output, and the player's, of which GStreamer has its own idea."""
    with MixedParty(bench, guests=(), sound="pulsesink device=p1",
                    options_of={"Ana": bench.server.options(0)}) as party:
        party.settle()
        party.play()
        party.loop.rest(SETTLING)
        for number, rate in ((9, 1.0), (10, 1.25)):
            if rate != 1:
                party.press(party.players[0], "rate", rate)
                party.loop.rest(SETTLING)
            found = heard.recorded(bench, party, bench.seconds)
            distances = found.distances(0.5, found.seconds - 1, rate)[(0, 1)]
            known = [value for value in distances if value is not None]
            if len(known) < 0.8 * len(distances):
                raise RuntimeError(f"only {len(known)} of {len(distances)} half seconds could be recognized")
            figures(bench, f"{number} heard, rate {rate:g}", known, limit=SINK)
