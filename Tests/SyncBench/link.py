#!/usr/bin/env python3
"""A bad network between one guest and the relay: delay, jitter and loss, in user space.

    link.py HOST PORT DELAY JITTER LOSS      prints the port at which it listens (DELAY, JITTER in ms)

It carries a TCP stream, so the order stays and nothing is lost for good: a lost segment comes after
the sender's retransmission timeout, and everything behind it waits, as it would in a real network.
A process of its own: what it has to do on time doesn't wait for the bench, nor the bench for it.
"""
import collections
import heapq
import os
import random
import selectors
import socket
import sys
import time

SEGMENT = 1448
TIMEOUT = 0.2  # s, Linux's least.


class Direction:
    """One way through the link."""

    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        self.queue = collections.deque()  # (due, bytes)
        self.last = 0.0
        self.over = False


class Link:
    def __init__(self, host, port, delay, jitter, loss):
        self.target, self.delay, self.jitter, self.loss = (host, port), delay, jitter, loss
        self.timeout = max(TIMEOUT, 2 * delay)
        # epoll's timeouts are whole milliseconds, which would round the shortest of the ways away.
        self.selector = selectors.SelectSelector()
        self.due = []  # (instant, number, direction)
        self.number = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)

    def accept(self):
        near, _ = self.listener.accept()
        try:
            far = socket.create_connection(self.target)
        except OSError:
            near.close()
            return
        for source, sink in ((near, far), (far, near)):
            source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            direction = Direction(source, sink)
            self.selector.register(source, selectors.EVENT_READ, lambda d=direction: self.take(d))

    def take(self, direction):
        """Takes in what was sent, and says when it will arrive."""
        try:
            data = direction.source.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.selector.unregister(direction.source)
        now = time.monotonic()
        for start in range(0, max(1, len(data)), SEGMENT):
            due = now + self.delay + random.uniform(-self.jitter, self.jitter)
            if random.random() < self.loss:
                due += self.timeout
            direction.last = due = max(due, direction.last)
            direction.queue.append((due, data[start : start + SEGMENT]))
            self.number += 1
            heapq.heappush(self.due, (due, self.number, direction))

    def deliver(self):
        while self.due and self.due[0][0] <= time.monotonic():
            direction = heapq.heappop(self.due)[2]
            _, data = direction.queue.popleft()
            try:
                if data:
                    direction.sink.setblocking(True)
                    direction.sink.sendall(data)
                else:
                    direction.sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def run(self):
        while True:
            wait = self.due[0][0] - time.monotonic() if self.due else None
            for key, _ in self.selector.select(wait if wait is None else max(0, wait)):
                key.data()
            self.deliver()


def main():
    host, port, delay, jitter, loss = sys.argv[1:]
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        pass
    link = Link(host, int(port), float(delay) / 1e3, float(jitter) / 1e3, float(loss))
    print(link.listener.getsockname()[1], flush=True)
    link.run()


if __name__ == "__main__":
    main()
