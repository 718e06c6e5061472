"""Works out, from when which frame was shown and which sound was heard, how far apart participants are.

What was shown is a list of (s of CLOCK_MONOTONIC, frame's number), one for each change of a participant's picture.
"""
import bisect
import itertools

from report import quantile

REFRESH = 1000 / 60  # ms: what a display of 60 Hz adds at most, and what Xvfb, which shows at once, leaves out.


def between(shown, begin, end):
    return [(instant, frame) for instant, frame in shown if begin <= instant < end]


def since(shown, begun, frame):
    """What was shown from an instant on, without the pictures from before a seek to that frame."""
    later = between(shown, begun, float("inf"))
    return list(itertools.dropwhile(lambda one: not frame - 1 <= one[1] < frame + 250, later)) if frame else later


def firsts(shown):
    """{frame: the first instant at which it was shown}."""
    result = {}
    for instant, frame in shown:
        result.setdefault(frame, instant)
    return result


def distances(a, b):
    """[ms by which `b` shows a frame later than `a`], for the frames that both show."""
    there, here = firsts(b), firsts(a)
    return [(there[frame] - instant) * 1e3 for frame, instant in here.items() if frame in there]


def faults(shown):
    """(frames that were never shown, frames that came again) between the first and the last."""
    dropped = repeated = 0
    for (_, before), (_, after) in itertools.pairwise(shown):
        dropped += max(0, after - before - 1)
        repeated += after < before
    return dropped, repeated


def uneven(shown, rate):
    """[ms by which a frame is later than the one before and the film's rate say], of frames in succession."""
    return [(after[0] - before[0]) * 1e3 - 1e3 / rate for before, after in itertools.pairwise(shown)
            if after[1] == before[1] + 1]


def lags(shown, places, rate):
    """[s from a frame's sound to its picture], all with the same unknown: the recording's beginning.

    `places`: (s of the recording, place in the film in s or None), as `hearing.Heard.places` returns them.
    """
    known = [(place, at) for at, place in places if place is not None]
    begins = [place for place, _ in known]
    result = []
    for frame, instant in firsts(shown).items():
        place = frame / rate
        index = bisect.bisect_right(begins, place) - 1
        if 0 <= index < len(known) - 1 and begins[index + 1] - begins[index] < 1:
            here, at = known[index]
            result.append(instant - (at + place - here))
    return result


def middle(values):
    return quantile(values, 0.5)
