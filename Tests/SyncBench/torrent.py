"""One end of a torrent, to compare a shared film with: `torrent.py seed FILE` or `torrent.py fetch TORRENT PORT PLACES`.

The first prints the path of its torrent file. The second prints, for each place from 0 to 1 in order, the seconds until
the pieces there have arrived; the first place also needs the film's end, where an index may be. It plays as a player on
libtorrent does: in sequence, with deadlines for the place that is needed.
"""
import os
import sys
import tempfile
import time

import libtorrent

WINDOW = 2 << 20  # Bytes that a player needs for a picture: two seconds of the film.


def session(port):
    return libtorrent.session({
        "listen_interfaces": f"0.0.0.0:{port}", "enable_dht": False, "enable_lsd": False, "enable_upnp": False,
        "enable_natpmp": False, "allow_multiple_connections_per_ip": True})


def seed(path):
    storage = libtorrent.file_storage()
    libtorrent.add_files(storage, path)
    torrent = libtorrent.create_torrent(storage)
    libtorrent.set_piece_hashes(torrent, os.path.dirname(path))
    file = path + ".torrent"
    with open(file, "wb") as out:
        out.write(libtorrent.bencode(torrent.generate()))
    serving = session(6881)
    handle = serving.add_torrent({"ti": libtorrent.torrent_info(file), "save_path": os.path.dirname(path)})
    while not handle.status().is_seeding:
        time.sleep(0.05)
    print(file, flush=True)
    sys.stdin.read()


def fetch(file, port, places):
    with tempfile.TemporaryDirectory() as folder:
        info = libtorrent.torrent_info(file)
        fetching = session(6882)
        handle = fetching.add_torrent({"ti": info, "save_path": folder})
        handle.set_sequential_download(True)
        handle.connect_peer(("127.0.0.1", port))
        size, piece = info.total_size(), info.piece_length()
        for number, place in enumerate(places):
            begun, first = time.monotonic(), int(place * size)
            needed = set(range(first // piece, min(first + WINDOW, size - 1) // piece + 1))
            if number == 0:
                needed.add((size - 1) // piece)
            for deadline, index in enumerate(sorted(needed)):
                handle.set_piece_deadline(index, deadline)
            while not all(handle.have_piece(index) for index in needed):
                time.sleep(0.005)
            print(f"{time.monotonic() - begun:.4f}", flush=True)


if sys.argv[1] == "seed":
    seed(sys.argv[2])
else:
    fetch(sys.argv[2], int(sys.argv[3]), [float(word) for word in sys.argv[4:]])
