"""What is measured, and how good it should be. Limits in ms, unless they say otherwise."""
import signal
import time

import children
import machine
import measures
from measures import disturbance, since_together
from party import Link, Party
from players import Matinee, cpu_of
from report import quantile
from syncplay import Room
from undisturbed import FAR_OFF, NEAR_BY, steady_figures, undisturbed

LATE = "8 a late joiner, "
FAR = Link(delay=0.040, jitter=0.015)
LOSSY = Link(delay=0.050, jitter=0.010, loss=0.01)


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
        party.play()
        party.loop.rest(measures.SETTLING)
        steady_figures(bench.report, case, measures.skew(party, bench.seconds), {"p99": 20})


def clock(bench):
    """What stands behind the skew: all have one clock here, so whatever else they believe is wrong.

    Of all figures the only ones that are the participants' own word.
    """
    with Party(bench, bench.film, FAR) as party:
        party.settle()
        party.play()
        errors = []

        def ask():
            mine, *others = [player.state()["offsetMs"] for player in party.players]
            errors.extend(abs(other - mine) for other in others)
        party.loop.rest(bench.seconds, 1, ask)
    case = f"2 the guests' clocks, by their own word, {FAR_OFF}"
    for name, part in (("p50", 0.5), ("p99", 0.99)):
        bench.report.add(case, f"error of the group's time, {name}", quantile(errors, part))


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
    ensemble.play()
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
        party.play()
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
