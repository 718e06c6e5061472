"""Figures beside their targets."""
import math
import statistics


def quantile(values, part):
    """The value below which so large a part of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


class Figure:
    def __init__(self, case, name, unit, target):
        self.case, self.name, self.unit, self.target = case, name, unit, target
        self.ours, self.theirs = [], {}  # By the peer's name.
        self.targets = []  # Where the target follows from what was measured, one for each run.

    def limit(self):
        return statistics.median(self.targets) if self.targets else self.target

    def reached(self):
        """None: nothing to reach."""
        limit = self.limit()
        if limit is None or not self.ours:
            return None
        # Nobody is nearly on the same frame: what must never happen is counted over all runs.
        value = max(self.ours) if limit == 0 else statistics.median(self.ours)
        return value <= limit

    def line(self, peers):
        limit = self.limit()
        reached = {True: "reached", False: "NOT REACHED", None: "-"}[self.reached()]
        target = "" if limit is None else f"<= {limit:.4g} {self.unit:2}"
        line = f"  {self.name:44} {spread(self.ours):>27} {self.unit:2} {target:>12} {reached:12} "
        return (line + "".join(f"{spread(self.theirs.get(peer, [])):28} " for peer in peers)).rstrip()


def spread(values):
    """The median and the range over the runs."""
    if not values:
        return ""
    if len(values) == 1:
        return number(values[0])
    return f"{number(statistics.median(values))} [{number(min(values))} to {number(max(values))}]"


def number(value):
    return "never" if math.isinf(value) else f"{value:.2f}"


class Report:
    """`peers`: the programs that are measured in the same run; the first is the one that isn't named.
    `ours`: the heading of the figures that have targets."""

    def __init__(self, peers=("Syncplay",), closing="", ours="matinee"):
        self.ours = ours
        self.figures, self.notes, self.failures = {}, [], []
        self.peers, self.closing = peers, closing

    def add(self, case, name, value, unit="ms", target=None, theirs=False, target_of_run=None):
        figure = self.figures.setdefault((case, name), Figure(case, name, unit, target))
        if figure.target is None:
            figure.target = target
        if theirs:
            figure.theirs.setdefault(self.peers[0] if theirs is True else theirs, []).append(value)
            return
        figure.ours.append(value)
        if target_of_run is not None:
            figure.targets.append(target_of_run)

    def note(self, text):
        """Says something once, above the table."""
        if text not in self.notes:
            self.notes.append(text)

    def fail(self, case, error):
        self.failures.append((case, str(error)))

    def all_reached(self):
        return not self.failures and all(figure.reached() is not False for figure in self.figures.values())

    def write(self):
        for note in self.notes:
            print(note)
        print(f"\n  {'':44} {self.ours:>27} {'':2} {'target':>12} {'':12} "
              + "".join(f"{peer:28} " for peer in self.peers).rstrip())
        shown = None
        for figure in sorted(self.figures.values(), key=lambda figure: int(figure.case.split()[0])):
            if figure.case != shown:
                shown = figure.case
                print(shown)
            print(figure.line(self.peers))
        for case, error in self.failures:
            print(f"{case}: FAILED: {error}")
        if any(math.isinf(value) for figure in self.figures.values()
               for value in figure.ours + sum(figure.theirs.values(), [])):
            print("never: not for good within the time looked at")
        if self.closing:
            print(self.closing)
