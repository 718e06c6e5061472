"""Three participants of one party, and their places as seen together."""
import itertools
import os
import subprocess
import sys

import children
from players import Matinee

HERE = os.path.dirname(os.path.abspath(__file__))


class Link:
    """What lies between a guest and the relay. Delay and jitter in s, one way."""

    def __init__(self, delay=0.0, jitter=0.0, loss=0.0):
        self.delay, self.jitter, self.loss = delay, jitter, loss


class Ensemble:
    """Players that should be in step, whoever keeps them so."""

    others = 0  # Participants that aren't players here.
    patience = 2.0  # s in which what a key asks for has happened everywhere.

    def __init__(self, bench, link=None):
        self.bench, self.loop, self.link = bench, bench.loop, link
        self.players = []
        self.links = []

    def carry(self, port):
        """The port by which the relay is to be reached: over a link of its own, if there is one."""
        if self.link is None:
            return port
        process = children.start(
            [sys.executable, os.path.join(HERE, "link.py"), "127.0.0.1", str(port),
             str(self.link.delay * 1e3), str(self.link.jitter * 1e3), str(self.link.loss)],
            stdout=subprocess.PIPE, text=True)
        self.links.append(process)
        return int(process.stdout.readline())

    def one_way(self, presser):
        """The nominal way from one participant to the farthest of the others, in s."""
        if self.link is None:
            return 0.0
        return self.link.delay * (1 if presser is self.players[0] else 2)

    def round(self):
        """Everybody's place, read close together: {player: (instant, place) or None}."""
        readings = {}
        for player in self.players:
            reading = player.probe.place() if player.probe else None
            readings[player] = reading and reading[:2]
        return readings

    def sample(self, seconds, every):
        """Rounds for so long."""
        rounds = []
        self.loop.rest(seconds, every, lambda: rounds.append(self.round()))
        return rounds

    def play(self):
        """Has everybody play, where how soon doesn't matter."""
        self.press(self.players[0], "play")
        self.loop.wait(
            lambda: all(player.watch.latest.get("pause") is False for player in self.players), 20,
            what="everybody's playing")

    def all_ready(self, seconds=30):
        """Waits until everybody knows of everybody that they have the film."""
        def ready(player):
            roster = player.state()["roster"]
            return len(roster) == len(self.players) + self.others and all(
                member["item"] and member["item"] == roster[0]["item"] and not member["suspensions"] for member in roster)
        for player in self.players:
            while not ready(player):
                self.loop.rest(0.2)
                seconds -= 0.2
                if seconds < 0:
                    raise TimeoutError("the participants don't agree on the film")

    def close(self):
        for player in self.players:
            player.close()
        for process in self.links:
            children.end(process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Party(Ensemble):
    """A host beside its relay, and guests beyond their links."""

    def __init__(self, bench, film, link=None, guests=("Ben", "Chi"), **of_guests):
        super().__init__(bench, link)
        self.film, self.of_guests = film, of_guests
        try:
            self.host = self.open()
            for name in guests:
                self.join(name)
            for player in self.players:
                player.event("opened")
                player.attach()
        except BaseException:
            self.close()
            raise

    def open(self):
        file = os.path.join(self.bench.folder, f"invite-{self.bench.count()}")
        host = Matinee(
            self.bench, "Ana", ["host", self.film, "--listen", "127.0.0.1:0", "--invite-file", file],
            options=self.of_guests.get("options_of", {}).get("Ana", ()),
            **self.of_guests.get("machine_of", {}).get("Ana", {}))
        self.players.append(host)
        self.invite = host.event("hosting")[1]["invite"]
        self.port = int(self.invite.split("/")[2].rsplit(":", 1)[1])
        host.event("opened")
        return host

    def join(self, name, film=None):
        guest = Matinee(
            self.bench, name,
            ["join", self.invite, "--relay", f"nats://127.0.0.1:{self.carry(self.port)}",
             *([] if film is False else [film or self.film])],
            options=self.of_guests.get("options_of", {}).get(name, ()),
            **self.of_guests.get("machine_of", {}).get(name, {}))
        self.players.append(guest)
        return guest

    def press(self, player, command, *arguments):
        """What a key does; the instant of it."""
        return player.send(" ".join([command, *map(str, arguments)]))

    def settle(self):
        self.all_ready()
        self.loop.rest(3)


def offsets(round_, origin, rate=1.0):
    """How far each player is before the line through `origin` (s), of those that could be read."""
    return {
        player: place - (instant - origin) * rate
        for player, (instant, place) in ((p, r) for p, r in round_.items() if r) if place is not None}


def skews(values):
    """All pairs' distances."""
    return [abs(a - b) for a, b in itertools.combinations(values, 2)]
