"""Finds out which place of the film is heard at which sample of a recording.

The film's sound is pink noise whose loudness changes at random: no stretch of it is like another. So the place of a
window is where it correlates best with the film. At speed 1 the waveforms are compared, to a fraction of a sample; at
other speeds a filter has changed the waveform, and the loudness is compared, to some tenths of a millisecond.
"""
import wave

import numpy

from sound import RATE, samples_begin

WINDOW = RATE // 2
# A nudge of 0.3 % shifts the end of such a window by a quarter of a millisecond against its beginning.
SHORT = 4096
COARSE = RATE // 1000  # Samples for one value of the loudness: 1 ms.
FINE = RATE // 4000
AUDIBLE = 1e-3


def noise(seconds, seed=20_240_229):
    """Pink noise whose loudness changes every 20 to 150 ms, as float32."""
    generator = numpy.random.default_rng(seed)
    count = int(seconds * RATE)
    spectrum = numpy.fft.rfft(generator.standard_normal(count))
    frequency = numpy.fft.rfftfreq(count, 1 / RATE)
    spectrum *= 1 / numpy.sqrt(numpy.maximum(frequency, 40))
    sound = numpy.fft.irfft(spectrum, count)
    sound /= numpy.std(sound)
    loudness = numpy.empty(count)
    at = 0
    while at < count:
        length = int(generator.integers(RATE // 50, RATE * 3 // 20))
        loudness[at : at + length] = generator.choice([0.12, 0.35, 1.0])
        at += length
    ramp = numpy.ones(96) / 96
    loudness = numpy.convolve(loudness, ramp, mode="same")
    return numpy.clip(sound * loudness * 0.12, -1, 1).astype(numpy.float32)


def write(path, sound):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((sound * 32767).astype("<i2").tobytes())


def sharpened(sound):
    """The sound around 2 kHz: lower tones hide the place, and higher ones are lost where the speed is nudged."""
    result = numpy.zeros_like(sound)
    result[12:] = sound[12:] - sound[:-12]
    return result


def loudness(sound, step):
    count = len(sound) // step
    return numpy.sqrt(numpy.mean(sound[: count * step].reshape(count, step) ** 2, axis=1) + 1e-12)


def peak(values):
    """The place of the largest value, between the samples."""
    at = int(numpy.argmax(values))
    if not 0 < at < len(values) - 1:
        return float(at)
    before, here, after = values[at - 1], values[at], values[at + 1]
    curve = before - 2 * here + after
    return at + (0.5 * (before - after) / curve if curve else 0.0)


def correlate(window, signal):
    """The normalized correlation of the window with each stretch of the signal."""
    window = window - numpy.mean(window)
    size = 1 << int(numpy.ceil(numpy.log2(len(signal) + len(window))))
    count = len(signal) - len(window) + 1
    products = numpy.fft.irfft(
        numpy.fft.rfft(signal, size) * numpy.conj(numpy.fft.rfft(window, size)), size)[:count]
    sums = numpy.concatenate(([0.0], numpy.cumsum(signal, dtype=float)))
    squares = numpy.concatenate(([0.0], numpy.cumsum(signal.astype(float) ** 2)))
    length = len(window)
    total = sums[length:] - sums[:-length]
    energy = squares[length:] - squares[:-length] - total ** 2 / length
    return products / numpy.sqrt(numpy.maximum(energy, 1e-12) * max(float(numpy.sum(window ** 2)), 1e-12))


class Film:
    """The film's sound, which is looked for in recordings."""

    def __init__(self, sound):
        self.sharp = sharpened(sound)
        self.coarse = numpy.log(loudness(self.sharp, COARSE) + 1e-4)
        self.sound = sound

    def place(self, window, speed):
        """Looks everywhere: the place of the window's beginning in s, and how sure that is (up to 1)."""
        heard = numpy.log(loudness(window, COARSE) + 1e-4)
        if speed != 1:
            count = int(len(heard) * speed)
            heard = numpy.interp(numpy.arange(count) / speed, numpy.arange(len(heard)), heard)
        values = correlate(heard, self.coarse)
        at = int(numpy.argmax(values))
        return at * COARSE / RATE, float(values[at])

    def near(self, window, place, speed, reach=0.030):
        """Looks near a place: the place in s, and how sure that is."""
        if speed != 1:
            return self.by_loudness(window, place, speed, reach)
        middle = (len(window) - SHORT) // 2
        found, sure = self.by_waveform(window[middle : middle + SHORT], place + middle / RATE, reach)
        return found - middle / RATE, sure

    def by_waveform(self, window, place, reach):
        first = int(place * RATE) - int(reach * RATE)
        last = first + len(window) + 2 * int(reach * RATE)
        if first < 0 or last > len(self.sharp):
            return place, 0.0
        values = correlate(window, self.sharp[first:last])
        at = peak(values)
        return (first + at) / RATE, float(numpy.max(values))

    def by_loudness(self, window, place, speed, reach):
        first = int(place * RATE) - int(reach * RATE)
        last = first + int(len(window) * speed) + 2 * int(reach * RATE)
        if first < 0 or last > len(self.sharp):
            return place, 0.0
        heard = numpy.log(smooth(loudness(window, FINE)) + 1e-4)
        count = int(len(heard) * speed)
        heard = numpy.interp(numpy.arange(count) / speed, numpy.arange(len(heard)), heard)
        values = correlate(heard, numpy.log(smooth(loudness(self.sharp[first:last], FINE)) + 1e-4))
        return (first + peak(values) * FINE) / RATE, float(numpy.max(values))


def smooth(values, width=9):
    return numpy.convolve(values, numpy.ones(width) / width, mode="same")


class Heard:
    """A recording of several participants, and the film that they played."""

    def __init__(self, path, channels, film):
        samples = numpy.fromfile(path, dtype="<f4", offset=samples_begin(path))
        samples = samples[: len(samples) // channels * channels].reshape(-1, channels)
        self.channels = [numpy.ascontiguousarray(samples[:, index]) for index in range(channels)]
        self.sharp = [sharpened(channel) for channel in self.channels]
        self.film = film

    @property
    def seconds(self):
        return len(self.channels[0]) / RATE

    def onsets(self, channel):
        """The samples (s) at which sound begins after a quarter of a second without."""
        step = RATE // 1000
        loud = loudness(self.channels[channel], step) > AUDIBLE
        found, silence = [], 10_000
        for index, is_loud in enumerate(loud):
            if is_loud and silence >= 250:
                found.append(index * step / RATE)
            silence = 0 if is_loud else silence + 1
        return found

    def places(self, channel, begin, end, speed=1.0, hop=0.5):
        """[(s of the recording, place in the film in s or None)], each for half a second from there."""
        result, last = [], None
        at = begin
        while at + WINDOW / RATE <= end:
            first = int(at * RATE)
            window = self.sharp[channel][first : first + WINDOW]
            place, sure = None, 0.0
            if loudness(self.channels[channel][first : first + WINDOW], WINDOW)[0] > AUDIBLE:
                if last is not None:
                    place, sure = self.film.near(window, last[1] + (at - last[0]) * speed, speed)
                if sure < 0.5:
                    place, sure = self.film.place(window, speed)
                    if sure > 0.4:
                        place, sure = self.film.near(window, place, speed, reach=0.012)
            last = (at, place) if sure > 0.4 else None
            result.append((at, place if last else None))
            at += hop
        return result

    def distances(self, begin, end, speed=1.0):
        """{(a, b): [ms or None for each half second]}, how far a is ahead of b, in time as it passes."""
        places = [self.places(channel, begin, end, speed) for channel in range(len(self.channels))]
        return {
            (a, b): [
                None if p[1] is None or q[1] is None else (p[1] - q[1]) / speed * 1e3
                for p, q in zip(places[a], places[b])]
            for a in range(len(places)) for b in range(a + 1, len(places))}

    def beginnings(self, place=None, until=5.5):
        """For each tenth of a second after a play, or a seek to `place`: {(a, b): [(s since all are heard, ms)]}, how
        far a is ahead of b, and {a: [(s, ms)]}, how far a is ahead of where it is at last.

        Two players whose outputs share a clock may be early or late together: a distance can't show that."""
        lines, arrivals = [], []
        for channel in range(len(self.channels)):
            line, arrival = self.arrival(channel, place)
            lines.append(line)
            arrivals.append(arrival)
        begin = max(arrivals)
        places = []
        for channel, line in enumerate(lines):
            places.append([])
            at = begin
            while at < begin + until and at + SHORT / RATE < self.seconds - 0.6:
                first = int(at * RATE)
                found, sure = self.film.by_waveform(self.sharp[channel][first : first + SHORT], first / RATE + line, 0.1)
                if sure > 0.4:
                    line = found - first / RATE
                places[-1].append((at - begin, line if sure > 0.4 else None))
                at += 0.1
        pairs = {
            (a, b): [(p[0], (p[1] - q[1]) * 1e3) for p, q in zip(places[a], places[b])
                     if p[1] is not None and q[1] is not None]
            for a in range(len(places)) for b in range(a + 1, len(places))}
        own = {}
        for channel, found in enumerate(places):
            known = [(at, line) for at, line in found if line is not None]
            last = numpy.median([line for _, line in known[-10:]])
            own[channel] = [(at, (line - last) * 1e3) for at, line in known]
        return pairs, own

    def arrival(self, channel, place):
        """The place minus the time of the new playback (s), and the time at which it is first heard."""
        found = None
        for at, where in self.places(channel, 0, self.seconds - 0.6, hop=0.25):
            is_new = where is not None and (place is None or place - 0.2 <= where < place + 20)
            if is_new:
                found = found or (at, where)
        if found is None:
            raise ValueError(f"participant {channel + 1} isn't heard")
        at, line = found[0], found[1] - found[0]
        first = int(at * RATE) + (WINDOW - SHORT) // 2
        arrival = first
        while first > 0:
            window = self.sharp[channel][first : first + SHORT]
            if numpy.std(window) < AUDIBLE / 4:
                break
            where, sure = self.film.by_waveform(window, first / RATE + line, 0.15)
            if sure < 0.5:
                break
            line, arrival = where - first / RATE, first
            first -= SHORT // 4
        return line, arrival / RATE

    def faults(self, channel, begin, end):
        """At speed 1: [(s, ms)] where the sound jumps in the film, or (s, None) where there is a hole."""
        size, hop = 1024, 512
        result = []
        anchor = None
        quiet = 0
        last = None
        first = int(begin * RATE)
        while first + size <= min(int(end * RATE), len(self.channels[channel])):
            window = self.sharp[channel][first : first + size]
            level = float(numpy.sqrt(numpy.mean(self.channels[channel][first : first + size] ** 2)))
            if level < AUDIBLE / 4:
                quiet += 1
                if quiet == 1:
                    result.append((first / RATE, None))
            else:
                quiet = 0
                if anchor is None or first - anchor[0] > RATE // 2:
                    long = self.sharp[channel][first : first + WINDOW]
                    if anchor is not None:
                        place, sure = self.film.near(
                            long, anchor[1] + (first - anchor[0]) / RATE, 1)
                    if anchor is None or sure < 0.5:
                        place, sure = self.film.place(long, 1)
                        place, sure = self.film.near(long, place, 1, reach=0.012)
                    anchor = (first, place)
                expected = anchor[1] + (first - anchor[0]) / RATE
                place, sure = self.film.by_waveform(window, expected, 0.022)
                if sure > 0.85:
                    lead = (place - first / RATE) * 1e3
                    if last is not None and first - last[0] <= RATE // 4:
                        # 1 % of the time between the two windows would be a nudge.
                        allowed = 0.15 + (first - last[0]) / RATE * 1e3 * 0.01
                        if abs(lead - last[1]) > allowed:
                            result.append((first / RATE, lead - last[1]))
                    last = (first, lead)
            first += hop
        return result
