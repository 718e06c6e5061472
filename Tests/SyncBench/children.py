"""Processes that end with this one, however it ends."""
import atexit
import ctypes
import os
import signal
import subprocess

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
running = []


def start(command, **options):
    """A process that leads a group of its own: what it starts ends with it."""
    process = subprocess.Popen(
        command, start_new_session=True,
        preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL), **options)
    running.append(process)
    return process


def end(process, patience=0.0):
    """Waits so many seconds for it to end, then ends it and all it started."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    if process in running:
        running.remove(process)


@atexit.register
def end_all():
    for process in list(running):
        end(process)


def end_all_on_signals():
    def stop(number, _):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
