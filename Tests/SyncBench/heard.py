"""What is heard in each case, and how good it should be. Limits in ms, unless they say otherwise."""
import contextlib
import itertools
import json
import math
import os
import subprocess

import machine
from hearing import Heard
from party import Ensemble, Link, Party
from players import Plain
from report import quantile
from syncplay import Room

NAMES = ("Ana", "Ben", "Chi", "Dan", "Eva")
FAR = Link(delay=0.040, jitter=0.015)
SETTLING = 10.0  # s from a start until playing counts as steady.
UNREPORTED = 200  # ms


class PlainPlayers(Ensemble):
    """Players that nobody keeps in step: what the sound server and the instrument add."""

    def __init__(self, bench):
        super().__init__(bench)
        try:
            for name, options in options_of(bench).items():
                self.players.append(Plain(bench, name, bench.film, options))
            for player in self.players:
                player.attach()
        except BaseException:
            self.close()
            raise

    def settle(self):
        self.loop.wait(
            lambda: all(player.probe.value("time-pos") is not None for player in self.players), 20, 0.1,
            lambda: None, what="the film")
        self.loop.rest(1)

    def press(self, player, command, *arguments):
        for each in self.players:
            if command == "rate":
                each.probe.connection.send("set_property", "speed", arguments[0])
            elif command == "seek":
                each.probe.connection.send("seek", arguments[0], "absolute+exact")
            else:
                each.probe.connection.send("set_property", "pause", command == "pause")


def options_of(bench):
    return {name: bench.server.options(index) for index, name in enumerate(NAMES[: bench.participants])}


def party(bench, link=None, **of_guests):
    return Party(
        bench, bench.film, link, guests=NAMES[1 : bench.participants],
        options_of={name: [*options, *of_guests.get("extra", {}).get(name, ())]
                    for name, options in options_of(bench).items()},
        machine_of=of_guests.get("machine_of", {}))


def room(bench, link=None):
    names = NAMES[: bench.participants]
    return Room(bench, bench.film, link, names=names, options_of=options_of(bench))


def recorded(bench, ensemble, seconds, action=None, before=1.0):
    """Records for so long after the action, which comes a second after the beginning."""
    recording = bench.server.record(os.path.join(bench.folder, f"recording-{bench.count()}"))
    ensemble.loop.rest(before)
    if action:
        action()
    ensemble.loop.rest(seconds)
    path = recording.end()
    heard = Heard(path, bench.participants, bench.sound)
    if not bench.keep:
        os.remove(path)
    return heard


def steps(distances):
    return [abs(b - a) for a, b in itertools.pairwise(distances) if a is not None and b is not None]


def steady(bench, ensemble, case, limits, speed=1.0, theirs=False, lag=0.0, seconds=None):
    """`limits`: of the median, the 95 %, and the largest step. `lag`: how much later the last one is heard."""
    # Syncplay's own programs aren't counted.
    seconds, is_counted = seconds or bench.seconds, theirs != "Syncplay"
    before = cpu_of_all(ensemble) if is_counted else 0
    heard = recorded(bench, ensemble, seconds)
    # The film's picture is small, so that this is nearly all that sound and company cost; `make bench-sync` compares
    # the CPU time with a picture.
    if is_counted:
        used = (cpu_of_all(ensemble) - before) / seconds
        bench.report.add(case, "CPU of all players", used * 100, "%", theirs=theirs)
    pairs = heard.distances(0.5, heard.seconds - 1, speed)
    figures = []
    for (_, b), values in pairs.items():
        late = lag if b == bench.participants - 1 else 0
        known = [abs(value - late) for value in values if value is not None]
        if len(known) < 0.8 * len(values):
            raise RuntimeError(f"only {len(known)} of {len(values)} half seconds could be recognized")
        figures.append((quantile(known, 0.5), quantile(known, 0.95), max(steps(values), default=0.0)))
    for index, (name, limit) in enumerate(zip(("median", "95 %", "largest step of half a second"), limits)):
        bench.report.add(case, f"worst pair, {name}", max(figure[index] for figure in figures),
                         target=None if theirs else limit, theirs=theirs)
    if speed != 1:
        return
    faults = [heard.faults(channel, 0.5, heard.seconds - 1) for channel in range(bench.participants)]
    if bench.verbose:
        for name, found in zip(NAMES, faults):
            print(f"  {name}: {[(round(at, 2), jump and round(jump, 2)) for at, jump in found]}")
    bench.report.add(case, "repeated, dropped or missing pieces of sound", sum(map(len, faults)), "",
                     None if theirs else 0, theirs=theirs)


def cpu_of_all(ensemble):
    """The CPU time that all players have used, in s: the host's with the relay."""
    return sum(player.cpu() for player in ensemble.players)


def beginning(bench, ensemble, case, presser, command, *arguments, limits=(3, 1), theirs=False):
    """The distances in the first seconds after a play or a seek."""
    place = arguments[0] if command == "seek" else None
    heard = recorded(
        bench, ensemble, 6, lambda: ensemble.press(presser, command, *arguments))
    try:
        pairs, own = heard.beginnings(place)
    except ValueError as error:
        raise RuntimeError(f"after {command}: {error}") from None
    for found, of_what in ((pairs, ""), (own, ", from its own last place")):
        for when, limit, is_meant in zip(
                ("the first second", "from the second on"), limits, (lambda at: at < 1, lambda at: at >= 1)):
            most = max(abs(value) for values in found.values() for at, value in values if is_meant(at))
            bench.report.add(case, f"after {command}, {when}{of_what}, most", most,
                             target=None if theirs else limit, theirs=theirs)


def beginnings(bench, ensemble, case, theirs=False):
    last = ensemble.players[-1]
    for presser in (ensemble.players[0], last):
        if presser is ensemble.players[0]:
            beginning(bench, ensemble, case, presser, "play", theirs=theirs)
        else:
            ensemble.press(presser, "pause")
            ensemble.loop.rest(3)
            beginning(bench, ensemble, case, presser, "play", theirs=theirs)
        ensemble.loop.rest(2)
        place = math.floor(presser.probe.value("time-pos") or 0) + 30
        beginning(bench, ensemble, case, presser, "seek", place, theirs=theirs)
        ensemble.loop.rest(2)


def loopback(bench):
    with party(bench) as ensemble:
        ensemble.settle()
        case = "1 loopback"
        if bench.wants("starts"):
            beginnings(bench, ensemble, "3 beginnings, loopback")
        else:
            ensemble.play()
        if bench.wants("steady"):
            ensemble.loop.rest(SETTLING)
            steady(bench, ensemble, case, (0.3, 1.0, 0.5))
    if bench.wants("steady"):
        with PlainPlayers(bench) as ensemble:
            ensemble.settle()
            ensemble.play()
            ensemble.loop.rest(SETTLING / 2)
            steady(bench, ensemble, case, (0.3, 1.0, 0.5), theirs="mpv")


def long(bench):
    """What happens once in minutes."""
    for make, theirs in ((party, False), (PlainPlayers, "mpv")):
        with make(bench) as ensemble:
            ensemble.settle()
            ensemble.play()
            ensemble.loop.rest(SETTLING)
            # Nobody has to keep mpv in step for ten minutes to see what the instrument adds.
            seconds = bench.seconds if theirs else bench.minutes * 60
            steady(bench, ensemble, f"8 loopback, {bench.minutes:g} minutes", (0.3, 1.0, 0.5), theirs=theirs,
                   seconds=seconds)


def far(bench):
    with party(bench, FAR) as ensemble:
        ensemble.settle()
        if bench.wants("starts"):
            beginnings(bench, ensemble, "4 beginnings, guests 40 ± 15 ms away")
        else:
            ensemble.play()
        if bench.wants("steady"):
            ensemble.loop.rest(SETTLING)
            steady(bench, ensemble, "2 guests 40 ± 15 ms away", (1.0, 2.5, 0.5))


def rates(bench):
    for make, theirs in ((party, False), (PlainPlayers, "mpv")):
        with make(bench) as ensemble:
            ensemble.settle()
            ensemble.play()
            # A filter that keeps the pitch works in blocks: what is heard at other rates is reported, not judged.
            for rate, limit in ((1.25, None), (2, None), (1, 1)):
                ensemble.press(ensemble.players[0], "rate", rate)
                ensemble.loop.rest(SETTLING)
                steady(bench, ensemble, f"5 rate {rate}", (None, limit, None), speed=rate, theirs=theirs)


def clocks(bench):
    """The clock of the last guest runs 100 ppm fast."""
    other = machine.other_clock(bench)
    with party(bench, machine_of={NAMES[bench.participants - 1]: other.options}) as ensemble:
        ensemble.settle()
        ensemble.play()
        ensemble.loop.rest(SETTLING * 2)
        steady(bench, ensemble, f"6 a guest's clock {other.description}", (0.3, 1.0, 0.5))


def calibrated(bench, index):
    """The latency offset (ms) that `matinee calibrate` finds for an output, with the recording's source for a microphone."""
    state = os.path.join(bench.folder, f"calibration-{bench.count()}")
    options = [part for option in bench.server.options(index) for part in ("--mpv", option)]
    result = subprocess.run(
        [bench.program, "calibrate", "--no-config", "--microphone", "all.monitor", *options],
        env={**os.environ, **bench.server.environment, "XDG_STATE_HOME": state, "XDG_CONFIG_HOME": state},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
    if result.returncode:
        raise RuntimeError(f"calibrate: {result.stdout}")
    with open(os.path.join(state, "matinee", "latency-offsets.json"), encoding="utf-8") as file:
        (entry,) = json.load(file)["devices"].values()
    bench.report.add("7 an output 200 ms later, calibrated", "error of the offset",
                     abs(entry["latencyMs"] - UNREPORTED), target=2.0)
    return entry["latencyMs"]


def latencies(bench):
    """The output of the last guest is 200 ms later than the others', which the sound server reports, or doesn't."""
    last = bench.participants - 1
    for is_reported in bench.server.delays:
        with contextlib.ExitStack() as stack:
            stack.enter_context(bench.server.delayed(last, UNREPORTED, is_reported))
            found = None if is_reported else calibrated(bench, last)
            ensemble = stack.enter_context(party(bench))
            ensemble.settle()
            ensemble.play()
            ensemble.loop.rest(SETTLING)
            if is_reported:
                steady(bench, ensemble, "7 an output 200 ms later, as reported", (0.3, 1.0, 0.5))
            else:
                steady(bench, ensemble, "7 an output 200 ms later, unreported", (None, None, 0.5))
                ensemble.press(ensemble.players[last], "latency-offset", UNREPORTED)
                ensemble.loop.rest(SETTLING)
                steady(bench, ensemble, "7 the same with that latency offset", (None, None, 0.5))
                ensemble.press(ensemble.players[last], "latency-offset", found)
                ensemble.loop.rest(SETTLING)
                steady(bench, ensemble, "7 the same with the offset that calibrate found", (2.0, 3.0, 0.5))


def peer(bench):
    """Syncplay, in what both can do."""
    for link, number, where in ((None, 1, "loopback"), (FAR, 2, "guests 40 ± 15 ms away")):
        with room(bench, link) as ensemble:
            ensemble.settle()
            if bench.wants("starts"):
                beginnings(bench, ensemble, f"{number + 2} beginnings, {where}", theirs="Syncplay")
            else:
                ensemble.play()
            if bench.wants("steady"):
                ensemble.loop.rest(SETTLING)
                steady(bench, ensemble, f"{number} {where}", (0, 0, 0), theirs="Syncplay")

