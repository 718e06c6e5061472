"""Start, play, pause and seek, where nothing goes wrong."""
import measures
from measures import Pause, Seek, Start
from report import quantile

NEAR_BY, FAR_OFF = "loopback", "guests 40 ± 15 ms away"


def undisturbed(bench, ensemble, where, steady, start, theirs=False):
    """`steady` and `start`: the limits of the skew."""
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
