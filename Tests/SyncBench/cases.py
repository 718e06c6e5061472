"""What is measured, and how good it should be. Limits in ms, unless they say otherwise."""
import signal
import time

import machine
import measures
from measures import Pause, Seek, Start, disturbance, since_together
from party import Link, Party
from players import cpu_of
from report import quantile

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
        distances = measures.skew(ensemble, bench.seconds)
        steady_figures(report, f"{'1' if where == 'loopback' else '2'} steady, {where}", distances, steady, theirs)
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
        undisturbed(bench, party, "loopback", steady={"p50": 1, "p99": 4}, start=8)


def far(bench):
    with Party(bench, bench.film, FAR) as party:
        party.settle()
        undisturbed(bench, party, "guests 40 ± 15 ms away", steady={"p50": 4, "p99": 12}, start=20)


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
    with Party(bench, bench.film, guests=("Ben",)) as party:
        party.settle()
        Start(party, party.host)
        party.loop.rest(measures.SETTLING)
        others, rounds = list(party.players), []
        begun = time.monotonic()
        newcomer = party.join("Chi")

        def look():
            newcomer.try_to_attach()
            rounds.append(party.round())
        party.loop.rest(8, 0.02, look)
        opened = newcomer.event("opened")[0]
        arrived = since_together(rounds, newcomer, begun)
        case = "8 a late joiner, loopback"
        if arrived is None:
            raise RuntimeError("the late joiner was never within 10 ms of the others for good")
        report = bench.report
        report.add(case, "within 10 ms, from its film's opening", arrived - (opened - begun), "s", 2)
        report.add(case, "within 10 ms, from its process's start", arrived, "s")
        jump, rate = disturbance(rounds, others, begun)
        report.add(case, "the others' largest jump", jump, "ms", 2)
        report.add(case, "the others' largest change of rate", rate, "%", 0.5)


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
        if arrived is None:
            raise RuntimeError("the stopped one was never within 10 ms of the others for good")
        case = "9 stopped for 5 s, then continued"
        bench.report.add(case, "within 10 ms again", arrived, "s", 2)
        jump, rate = disturbance(rounds, [p for p in party.players if p is not stopped], begun - 5)
        bench.report.add(case, "the others' largest jump", jump)
        bench.report.add(case, "the others' largest change of rate", rate, "%")
