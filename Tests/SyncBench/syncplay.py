"""Syncplay with mpv, measured by the same rules."""
import os
import shutil
import subprocess
import time

import children
from loop import Timeout
from party import Ensemble
from players import Player, free_port


def is_there():
    return all(shutil.which(program) for program in ("syncplay", "syncplay-server", "mpv"))


class Client(Player):
    """One Syncplay client; its mpv opens the socket that it is told."""

    def __init__(self, bench, name, port, film, options=("ao=null",), environment=None):
        super().__init__(bench, name)
        home = os.path.join(bench.folder, f"home-{bench.count()}")
        os.mkdir(home)
        self.process = children.start(
            ["syncplay", "--no-gui", "--no-store", "--host", f"127.0.0.1:{port}", "--name", name,
             "--room", "bench", "--player-path", shutil.which("mpv"), film, "--",
             f"--input-ipc-server={self.path}", "--vo=null", "--config=no",
             *(f"--{option}" for option in options)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            # Nobody's own settings are read or changed.
            env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, **(environment or {})})

    def has_film(self):
        return self.try_to_attach() and self.probe.value("time-pos") is not None


class Room(Ensemble):
    """Three clients in a room of a server of their own; the first is beside the server."""

    patience = 4.0

    def __init__(self, bench, film, link=None, names=("Ana", "Ben", "Chi"), options_of=None,
                 environment_of=None):
        super().__init__(bench, link)
        self.film, self.port, self.options_of = film, free_port(), options_of or {}
        self.environment_of = environment_of or {}
        self.links.append(children.start(
            ["syncplay-server", "--port", str(self.port), "--isolate-rooms"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        try:
            self.loop.rest(2)
            for name in names:
                client = self.join(name)
                self.loop.wait(client.has_film, 20, 0.1, lambda: None, what=f"a film in {name}'s Syncplay")
                self.loop.rest(2)
        except BaseException:
            self.close()
            raise

    def join(self, name):
        port = self.carry(self.port) if self.players else self.port
        client = Client(
            self.bench, name, port, self.film, self.options_of.get(name, ("ao=null",)),
            self.environment_of.get(name))
        self.players.append(client)
        return client

    def settle(self):
        """Everybody says that they are ready, as its users do: by unpausing, or by the first pause."""
        for player in self.players[1:] + self.players[:1]:
            self.press(player, "play")
            self.loop.rest(1.5)
        self.press(self.players[0], "pause")
        self.loop.rest(3)
        if any(player.watch.latest.get("pause") is not True for player in self.players):
            raise Timeout("Syncplay's clients don't pause together")

    def press(self, player, command, *arguments):
        """What a key in mpv's window does; the instant of it."""
        now = time.monotonic()
        if command == "seek":
            player.probe.connection.send("seek", arguments[0], "absolute+exact")
        else:
            player.probe.connection.send("set_property", "pause", command == "pause")
        return now
