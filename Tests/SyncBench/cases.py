"""What is measured, and how good it should be. Limits in ms, unless they say otherwise."""
import math
import os
import random
import signal
import statistics
import subprocess
import sys
import time

import children
import machine
import measures
from measures import Pause, Seek, Start, disturbance, since_together
from party import HERE, Link, Party, offsets
from players import Matinee, cpu_of
from report import quantile
from syncplay import Room

LATE = "8 a late joiner, "
NEAR_BY, FAR_OFF = "loopback", "guests 40 ± 15 ms away"
FAR = Link(delay=0.040, jitter=0.015)
LOSSY = Link(delay=0.050, jitter=0.010, loss=0.01)


def undisturbed(bench, ensemble, where, steady, start, theirs=False):
    """Start, play, pause and seek. `steady` and `start`: the limits of the skew."""
    report, wants = bench.report, bench.wants
    host, guest = ensemble.players[0], ensemble.players[-1]

    def starts(presser):
        begun = Start(ensemble, presser)
        if not wants("start"):
            return
        report.add(f"4 the first 500 ms after a start, {where}", "pairwise skew, p95",
                   quantile(begun.skews(), 0.95), target=start, theirs=theirs)
        way = ensemble.one_way(presser) * 1e3
        report.add(f"6 from the key to motion, all ready, {where}",
                   f"until the last one moves, {by(ensemble, presser)}", begun.first_to_last(),
                   target=60 + 1.5 * 2 * way, theirs=theirs)

    def pauses(presser):
        paused = Pause(ensemble, presser)
        case = f"5 pause, {where}"
        way = ensemble.one_way(presser) * 1e3
        report.add(case, f"until all stand still, {by(ensemble, presser)}", paused.still,
                   target=way + 25, theirs=theirs)
        report.add(case, f"until all are on their frame, {by(ensemble, presser)}", paused.settled, theirs=theirs)
        report.add(case, "different frames", len(paused.places) - 1, unit="", target=0, theirs=theirs)

    def seeks(presser):
        place = (presser.probe.value("time-pos") or 0) + 30
        sought = Seek(ensemble, presser, place)
        case = f"7 seek while playing, {where}"
        report.add(case, f"until all play again, {by(ensemble, presser)}", sought.again, theirs=theirs,
                   target_of_run=sought.slowest + 2 * ensemble.one_way(presser) * 1e3 + 80)
        report.add(case, "the slowest player's own seek", sought.slowest, theirs=theirs)

    starts(host)
    if wants("steady"):
        ensemble.loop.rest(measures.SETTLING)
        distances = measures.skew(ensemble, min(bench.seconds, 20) if theirs else bench.seconds)
        steady_figures(report, f"{'1' if where == NEAR_BY else '2'} steady, {where}", distances, steady, theirs)
        if not theirs:
            bench.probe_errors.append(measures.probe_error(host))
    if wants("start") or wants("pause"):
        for presser in (guest, host):
            ensemble.loop.rest(2)
            pauses(presser) if wants("pause") else Pause(ensemble, presser)
            starts(presser)
    if wants("seek"):
        for presser in (host, guest):
            ensemble.loop.rest(3)
            seeks(presser)


def by(ensemble, presser):
    """Whose key it was matters only where it has a way to go."""
    if ensemble.link is None:
        return "any key"
    return "host's key" if presser is ensemble.players[0] else "guest's key"


def steady_figures(report, case, distances, limits, theirs=False):
    for name, value in (("p50", quantile(distances, 0.5)), ("p99", quantile(distances, 0.99)),
                        ("most", max(distances))):
        report.add(case, f"pairwise skew, {name}", value, target=limits.get(name), theirs=theirs)


def loopback(bench):
    with Party(bench, bench.film) as party:
        party.settle()
        undisturbed(bench, party, NEAR_BY, steady={"p50": 1, "p99": 4}, start=8)


def far(bench):
    with Party(bench, bench.film, FAR) as party:
        party.settle()
        undisturbed(bench, party, FAR_OFF, steady={"p50": 4, "p99": 12}, start=20)


def lossy(bench):
    """A bad network, and a guest whose clock shows another time and runs at another pace."""
    other = machine.other_clock(bench)
    case = "3 steady, 100 ms there and back ± 20, 1 % loss"
    case += ", a guest's clock " + other.description if other.description else ""
    with Party(bench, bench.film, LOSSY, machine_of={"Chi": other.options}) as party:
        party.settle()
        Start(party, party.host)
        party.loop.rest(measures.SETTLING)
        steady_figures(bench.report, case, measures.skew(party, bench.seconds), {"p99": 20})


def late(bench):
    """Somebody comes while the others play."""
    for where, link in ((NEAR_BY, None), (FAR_OFF, FAR)):
        with Party(bench, bench.film, link, guests=("Ben",)) as party:
            begun, rounds, others, newcomer = come_late(party)
            arrived = since_together(rounds, newcomer, begun)
            report, case = bench.report, LATE + where
            report.add(case, "within 10 ms, from its film's opening",
                       arrived - (newcomer.event("opened")[0] - begun), "s", 2)
            report.add(case, "within 10 ms, from its process's start", arrived, "s")
            disturbances(report, case, rounds, others, begun, 2, 0.5)


def come_late(ensemble):
    """When that was, what was seen, and who came to whom."""
    ensemble.settle()
    Start(ensemble, ensemble.players[0])
    ensemble.loop.rest(measures.SETTLING)
    others, rounds = list(ensemble.players), []
    begun = time.monotonic()
    newcomer = ensemble.join("Chi")

    def look():
        newcomer.try_to_attach()
        rounds.append(ensemble.round())
    ensemble.loop.rest(4 * ensemble.patience, 0.02, look)
    return begun, rounds, others, newcomer


def disturbances(report, case, rounds, others, since, jump, rate, theirs=False):
    most = disturbance(rounds, others, since)
    report.add(case, "the others' largest jump", most[0], "ms", jump, theirs)
    report.add(case, "the others' largest change of rate", most[1], "%", rate, theirs)


def stop(bench):
    """A process that the system doesn't let run for a while."""
    with Party(bench, bench.film) as party:
        party.settle()
        Start(party, party.host)
        party.loop.rest(measures.SETTLING)
        stopped = party.players[-1]
        stopped.process.send_signal(signal.SIGSTOP)
        rounds = party.sample(5, 0.02)
        stopped.process.send_signal(signal.SIGCONT)
        begun = time.monotonic()
        rounds += party.sample(6, 0.02)
        arrived = since_together(rounds, stopped, begun)
        case = "9 stopped for 5 s, then continued"
        bench.report.add(case, "within 10 ms again", arrived, "s", 2)
        disturbances(bench.report, case, rounds, [p for p in party.players if p is not stopped],
                     begun - 5, None, None)


# Little is kept, so that a network that stalls is felt soon.
SMALL_CACHE = ["cache=yes", "cache-secs=2", "demuxer-readahead-secs=2", "stream-buffer-size=16k"]


def stalls(bench):
    """A network that stalls again and again for one of them."""
    chance = random.Random(bench.run_number)
    real, residues, returns = 0, [], []
    with FilmServer(bench.film) as server:
        options = {name: [f"user-agent={name}"] for name in ("Ana", "Ben", "Chi")}
        options["Chi"] += SMALL_CACHE
        with Party(bench, server.url, options_of=options) as party:
            party.settle()
            Start(party, party.host)
            party.loop.rest(measures.SETTLING)
            *_, one = party.players
            for _ in range(bench.stalls):
                begun = time.monotonic()
                server.say(f"hold {one.name}")
                dry = party.loop.wait(
                    lambda: any(value for _, value in one.watch.since(begun, "paused-for-cache")), 15, or_fail=False)
                real += dry
                party.loop.rest(chance.uniform(0.3, 3))
                server.say(f"release {one.name}")
                begun = time.monotonic()
                rounds = party.sample(4, 0.05)
                returns.append(since_together(rounds, one, begun))
                residues.append(residue(rounds[-20:], one))
            last = residue(party.sample(2, 0.05), one)
    case = f"10 {bench.stalls} stalls of 0.3 to 3 s in a row for one"
    report = bench.report
    report.add(case, "stalls that weren't felt (paused-for-cache)", bench.stalls - real, "", 0)
    report.add(case, "not within 10 ms for good, 4 s after one", returns.count(math.inf), "", 0)
    report.add(case, "within 10 ms again once data comes, median", statistics.median(returns), "s")
    report.add(case, "residue after the last", last, "ms", 4)
    report.add(case, "residue 4 s after one, median", statistics.median(residues))
    report.add(case, "residue 4 s after one, largest", max(residues))


def residue(rounds, player):
    """How far from the others it plays, in ms."""
    apart = []
    for readings in rounds:
        values = offsets(readings, 0)
        mine = values.pop(player, None)
        if mine is not None and values:
            apart.append(mine - statistics.mean(values.values()))
    if not apart:
        raise RuntimeError(f"{player.name} doesn't play")
    return abs(statistics.median(apart)) * 1e3


class FilmServer:
    def __init__(self, film):
        self.process = children.start(
            [sys.executable, os.path.join(HERE, "filmserver.py"), film],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/film"

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        children.end(self.process)


def cpu(bench):
    """Beside mpv, at the same time: what disturbs one disturbs the other."""
    ours = Matinee(bench, "Ana", [bench.film])
    theirs = children.start(
        ["mpv", "--no-config", "--vo=null", "--ao=null", "--no-terminal", bench.film])
    try:
        ours.event("opened")
        bench.loop.rest(2)
        before = ours.cpu(), cpu_of(theirs.pid)
        bench.loop.rest(bench.seconds)
        used = ours.cpu() - before[0], cpu_of(theirs.pid) - before[1]
    finally:
        ours.close()
        children.end(theirs)
    case = "11 CPU of one that plays alone"
    bench.report.add(case, "beside mpv's, ratio", used[0] / used[1], "", 1.10)
    bench.report.add(case, "CPU time per time", used[0] / bench.seconds * 100, "%")


def beside(bench):
    """Syncplay, in what both can do."""
    for where, link in ((NEAR_BY, None), (FAR_OFF, FAR)):
        if bench.wants_undisturbed():
            with Room(bench, bench.film, link) as room:
                room.settle()
                undisturbed(bench, room, where, {}, None, theirs=True)
        if bench.wants("late"):
            with Room(bench, bench.film, link, names=("Ana", "Ben")) as room:
                begun, rounds, others, newcomer = come_late(room)
                case = LATE + where
                bench.report.add(case, "within 10 ms, from its process's start",
                                 since_together(rounds, newcomer, begun), "s", theirs=True)
                disturbances(bench.report, case, rounds, others, begun, None, None, theirs=True)
