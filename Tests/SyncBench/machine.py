"""A guest on another machine, as far as its clock goes."""
import os
import shutil
import subprocess

OFFSET = 300  # s
DRIFT = 100  # ppm
HERE = os.path.dirname(os.path.abspath(__file__))


class Machine:
    def __init__(self, description, **options):
        self.description, self.options = description, options


def other_clock(bench):
    """By a time namespace and a library loaded first; without either where this machine lacks it."""
    said, prefix, environment = [], [], {}
    namespace = ["unshare", "--fork", "--kill-child", "--time", "--monotonic", str(OFFSET),
                 "--boottime", str(OFFSET)]
    if works([*namespace, "true"]):
        prefix = [*namespace, "--"]
        said.append(f"+{OFFSET} s")
    else:
        bench.report.note(f"clock: no time namespace here (root may), so nobody's clock is {OFFSET} s ahead")
    library = drift_library(bench)
    if library:
        environment = {"LD_PRELOAD": library, "DRIFT_PPM": str(DRIFT)}
        said.append(f"+{DRIFT} ppm")
    else:
        bench.report.note(f"clock: no C compiler here, so nobody's clock is {DRIFT} ppm fast")
    return Machine(", ".join(said), prefix=prefix, environment=environment)


def works(command):
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def drift_library(bench):
    path = os.path.join(bench.folder, "drift.so")
    if os.path.exists(path):
        return path
    for compiler in ("cc", "gcc", "clang"):
        if shutil.which(compiler) and works(
                [compiler, "-shared", "-fPIC", "-O2", "-o", path, os.path.join(HERE, "drift.c"), "-ldl"]):
            return path
    return None
