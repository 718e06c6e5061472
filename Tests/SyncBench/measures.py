"""How each figure is taken from what was read. All instants are s of CLOCK_MONOTONIC."""
import math
import statistics
import time

from party import offsets, skews
from probe import Probe
from report import quantile

SETTLING = 5.0  # s from a start until playing counts as steady.
EVERY = 0.1  # s between samples of steady playing.
CLOSELY = 0.005  # s between samples while something happens.
FIRST = 0.5  # s after a start that are looked at.
TOGETHER = 0.010  # s. Nearer than that, two sounds in one room are heard as one.
JUMP = 0.002  # s
RATE = 0.005


def skew(ensemble, seconds):
    """Pairwise skews of undisturbed playing, in ms."""
    begin = time.monotonic()
    rounds = ensemble.sample(seconds, EVERY)
    return [d * 1e3 for r in rounds for d in skews(offsets(r, begin).values())]


def probe_error(player, pairs=100):
    """How far two clients of one player disagree about its place: 99 % of the readings, in ms."""
    other = Probe(player.path)
    differences = []
    for _ in range(pairs):
        one, two = player.probe.place(), other.place()
        if one and two and one[1] is not None and two[1] is not None:
            differences.append(abs((one[1] - one[0]) - (two[1] - two[0])) * 1e3)
        player.loop.rest(0.01)
    other.close()
    return quantile(differences, 0.99)


class Start:
    """What followed a `play`."""

    def __init__(self, ensemble, presser):
        self.standing = {p: p.probe.value("time-pos") for p in ensemble.players}
        self.pressed = ensemble.press(presser, "play")
        self.rounds = ensemble.sample(ensemble.patience, CLOSELY)
        self.motion = {p: self.moved(p) for p in ensemble.players}

    def moved(self, player):
        """When it left its place: the line of its first half second, drawn back to there.

        What it says in its first instants, before sound flows, doesn't count.
        """
        unpaused = [t for t, paused in player.watch.since(self.pressed, "pause") if paused is False]
        if not unpaused:
            raise RuntimeError(f"{player.name} didn't start")
        starts = [
            r[player][0] - (r[player][1] - self.standing[player]) for r in self.rounds
            if r[player] and r[player][1] is not None
            and unpaused[-1] + 0.05 <= r[player][0] <= unpaused[-1] + 0.05 + FIRST]
        if not starts:
            raise RuntimeError(f"{player.name} plays no sound after a start")
        return statistics.median(starts)

    def first_to_last(self):
        """From the key to the last one's motion, in ms."""
        return (max(self.motion.values()) - self.pressed) * 1e3

    def skews(self):
        """Pairwise, in ms, since the first one moves: who doesn't yet is where it stood."""
        begin = min(self.motion.values())
        distances = []
        for readings in self.rounds:
            instants = [r[0] for r in readings.values() if r]
            if not instants or not begin <= min(instants) <= begin + FIRST:
                continue
            values = []
            for player, reading in readings.items():
                if reading and reading[0] < self.motion[player]:
                    values.append(self.standing[player] - (instants[0] - begin))
                elif reading and reading[1] is not None and reading[0] > self.motion[player] + 0.01:
                    values.append(reading[1] - (reading[0] - begin))
            distances += [d * 1e3 for d in skews(values)]
        return distances


class Pause:
    """What followed a `pause`."""

    def __init__(self, ensemble, presser):
        pressed = ensemble.press(presser, "pause")
        ensemble.loop.rest(ensemble.patience)
        still, settled = [], []
        for player in ensemble.players:
            paused = [t for t, value in player.watch.since(pressed, "pause") if value]
            if not paused or player.watch.latest["pause"] is not True:
                raise RuntimeError(f"{player.name} didn't pause")
            still.append(paused[-1])
            moves = [t for t, _ in player.watch.since(pressed, "playback-restart")]
            settled.append(max(paused + moves))
        self.still = (max(still) - pressed) * 1e3
        self.settled = (max(settled) - pressed) * 1e3
        self.places = {player.probe.value("time-pos") for player in ensemble.players}


class Seek:
    """What followed a `seek` while playing."""

    def __init__(self, ensemble, presser, place):
        pressed = ensemble.press(presser, "seek", place)
        ensemble.loop.rest(2 * ensemble.patience)
        again, own = [], []
        for player in ensemble.players:
            begun = [t for t, _ in player.watch.since(pressed, "seek")]
            done = [t for t, _ in player.watch.since(pressed, "playback-restart")]
            if not done or player.watch.latest["pause"] or player.watch.latest["seeking"]:
                raise RuntimeError(f"{player.name} doesn't play again after a seek")
            resumed = [t for t, paused in player.watch.since(pressed, "pause") if paused is False]
            again.append(max(done + resumed))
            own += [min(d - b for d in done if d > b) for b in begun if max(done) > b]
        self.again = (max(again) - pressed) * 1e3
        self.slowest = max(own) * 1e3


def since_together(rounds, player, since, within=TOGETHER):
    """Seconds from `since` until it is with the others and stays; infinite: not in these rounds."""
    found = None
    for readings in rounds:
        reading = readings.get(player)
        if not reading or reading[0] < since:
            continue
        values = offsets(readings, since)
        mine = values.pop(player, None)
        if not values:
            continue
        if mine is None or abs(mine - statistics.mean(values.values())) > within:
            found = None
        elif found is None:
            found = reading[0]
    return math.inf if found is None else found - since


def disturbance(rounds, players, since):
    """How much the others were moved: the largest step between two samples (ms), and the largest
    change of rate (%)."""
    jump = rate = 0.0
    for player in players:
        last = None
        for readings in rounds:
            place = offsets(readings, since).get(player)
            if place is not None and last is not None:
                jump = max(jump, abs(place - last))
            last = place if place is not None else last
        speeds = [value for t, value in player.watch.since(0, "speed") if value is not None and t >= since]
        rate = max([rate, *(abs(speed - 1.0) for speed in speeds)])
    return jump * 1e3, rate * 100
