"""Machines of their own for the participants: network namespaces on two switches with a cable between them."""
import itertools
import os
import subprocess


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


class Networks:
    """Machines 10.77.0.1, 10.77.0.2, …; those in `far` are on the second switch."""

    numbers = itertools.count()

    def __init__(self, count, far=()):
        self.name = f"matinee-bench-{os.getpid()}-{next(self.numbers)}"
        self.namespaces = []
        try:
            self.switches = self.add("switches")
            for switch in ("near", "far"):
                self.ip(self.switches, "link", "add", switch, "type", "bridge")
                self.ip(self.switches, "link", "set", switch, "up")
            self.ip(self.switches, "link", "add", "cable", "type", "veth", "peer", "name", "end")
            for end, switch in (("cable", "near"), ("end", "far")):
                self.ip(self.switches, "link", "set", end, "master", switch)
                self.ip(self.switches, "link", "set", end, "up")
            self.machines = [self.machine(number, "far" if number in far else "near") for number in range(count)]
        except BaseException:
            self.close()
            raise

    def ip(self, namespace, *words):
        run("ip", "-n", namespace, *words)

    def add(self, name):
        namespace = f"{self.name}-{name}"
        run("ip", "netns", "add", namespace)
        self.namespaces.append(namespace)
        self.ip(namespace, "link", "set", "lo", "up")
        return namespace

    def machine(self, number, switch):
        namespace = self.add(str(number))
        self.ip(namespace, "link", "add", "eth0", "type", "veth", "peer", "name", f"port{number}",
                "netns", self.switches)
        self.ip(self.switches, "link", "set", f"port{number}", "master", switch)
        self.ip(self.switches, "link", "set", f"port{number}", "up")
        self.ip(namespace, "addr", "add", f"10.77.0.{number + 1}/24", "dev", "eth0")
        self.ip(namespace, "link", "set", "eth0", "up")
        return namespace

    def shape(self, number, rate, loss=0):
        """Gives a machine a line of so many Mbit/s, whose queue holds 100 ms, as an ordinary router's at home.

        Of the packets that it gets so many percent are lost.
        """
        if loss:
            run("ip", "netns", "exec", self.machines[number], "nft",
                "add table ip line; add chain ip line in { type filter hook input priority 0; }; "
                f"add rule ip line in iif eth0 numgen random mod 1000 < {loss * 10:.0f} drop")
            self.ip(self.machines[number], "link", "set", "eth0", "gso_max_segs", "1")
            self.ip(self.switches, "link", "set", f"port{number}", "gso_max_segs", "1")
        for namespace, device in ((self.machines[number], "eth0"), (self.switches, f"port{number}")):
            run("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", "tbf", "rate", f"{rate:g}mbit",
                "burst", "16kb", "latency", "100ms")

    def sent(self, number):
        """The bytes that a machine has sent."""
        return int(subprocess.run(
            ["ip", "netns", "exec", self.machines[number], "cat", "/sys/class/net/eth0/statistics/tx_bytes"],
            capture_output=True, check=True, text=True).stdout)

    def plug(self, number, is_in):
        """Cuts a machine's network, or connects it again."""
        self.ip(self.switches, "link", "set", f"port{number}", "up" if is_in else "down")

    def connect(self, is_connected):
        """Connects the two switches, or cuts the cable between them."""
        self.ip(self.switches, "link", "set", "cable", "up" if is_connected else "down")

    def close(self):
        for namespace in self.namespaces:
            subprocess.run(["ip", "netns", "del", namespace], check=False)
        self.namespaces = []
