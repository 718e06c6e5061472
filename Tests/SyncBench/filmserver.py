#!/usr/bin/env python3
"""An HTTP server for one film that holds back data when told to: a network that stalls.

    filmserver.py FILM      prints its port; reads `hold NAME` and `release NAME`

NAME is a participant's, who says it in User-Agent.
"""
import http.server
import os
import re
import socket
import sys
import threading

PIECE = 8192

held, changed = set(), threading.Condition()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        # What the system has taken in to send can't be held back any more.
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * PIECE)

    def go_on(self):
        name = self.headers.get("User-Agent")
        with changed:
            changed.wait_for(lambda: name not in held)

    def do_GET(self):
        self.go_on()
        size = os.path.getsize(sys.argv[1])
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        first = int(asked[1]) if asked else 0
        last = min(int(asked[2]), size - 1) if asked and asked[2] else size - 1
        if first >= size:
            self.send_error(416)
            return
        self.send_response(206 if asked else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(last + 1 - first))
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        if self.command == "HEAD":
            return
        with open(sys.argv[1], "rb") as film:
            film.seek(first)
            left = last + 1 - first
            try:
                while left > 0:
                    self.go_on()
                    piece = film.read(min(PIECE, left))
                    self.wfile.write(piece)
                    left -= len(piece)
            except OSError:
                # Whoever seeks goes away in the middle.
                self.close_connection = True

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    for line in sys.stdin:
        word, name = line.split()
        with changed:
            (held.add if word == "hold" else held.discard)(name)
            changed.notify_all()


if __name__ == "__main__":
    main()
