"""What is measured, and how good it should be."""
import time

from party import Link, Party, offsets, skews
from report import quantile

SETTLING = 5.0  # s from a start until playing counts as steady.
EVERY = 0.1  # s between samples of steady playing.


def steady(bench, ensemble, case, targets, theirs=False):
    """Pairwise skew while playing undisturbed."""
    ensemble.loop.rest(SETTLING)
    begin = time.monotonic()
    rounds = ensemble.sample(bench.seconds, EVERY)
    distances = [d * 1e3 for r in rounds for d in skews(offsets(r, begin).values())]
    for name, value in (("p50", quantile(distances, 0.5)), ("p99", quantile(distances, 0.99)),
                        ("most", max(distances))):
        bench.report.add(case, f"pairwise skew, {name}", value, target=targets.get(name), theirs=theirs)


def loopback(bench):
    with Party(bench, bench.film) as party:
        party.all_ready()
        party.loop.rest(2)
        party.host.send("play")
        steady(bench, party, "1 steady, loopback", {"p50": 1, "p99": 4})
