"""The time that a virtual machine's host gives to others, in which nothing here runs."""


class Steal:
    """Measured from its creation on."""

    def __init__(self):
        self.begun = read()

    def percent(self):
        """The percentage of the processors' time; 0 where the kernel doesn't say."""
        total, stolen = (now - then for now, then in zip(read(), self.begun))
        return 100 * stolen / total if total else 0.0


def read():
    """(all time, stolen time), in ticks of all processors together."""
    try:
        with open("/proc/stat") as file:
            ticks = [int(field) for field in file.readline().split()[1:]]
    except OSError:
        return 0, 0
    # The last two, a guest's time, are part of the first two. The eighth is missing in very old kernels.
    return sum(ticks[:8]), ticks[7] if len(ticks) > 7 else 0


def taken(cases):
    """A line of the report. `cases`: the percentage of each."""
    return "taken from this machine by its host: " + ", ".join(
        f"{name} {percent:.1f} %" for name, percent in cases.items())
