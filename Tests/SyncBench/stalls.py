"""A network that stalls again and again for one of them."""
import math
import os
import random
import statistics
import subprocess
import sys
import time

import children
import measures
from measures import since_together
from party import HERE, Party, offsets

# Little is kept, so that a network that stalls is felt soon.
SMALL_CACHE = ["cache=yes", "cache-secs=2", "demuxer-readahead-secs=2", "stream-buffer-size=16k"]


def stalls(bench):
    chance = random.Random(bench.run_number)
    real, residues, returns = 0, [], []
    with FilmServer(bench.film) as server:
        options = {name: [f"user-agent={name}"] for name in ("Ana", "Ben", "Chi")}
        options["Chi"] += SMALL_CACHE
        with Party(bench, server.url, options_of=options) as party:
            party.settle()
            party.play()
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
