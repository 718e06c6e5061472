"""The picture in a terminal, worked out from what a program wrote to it.

Just as much of a terminal as pictures need: the cursor, 24-bit colours and half blocks (ECMA-48; xterm's `CSI 38;2`).
"""
import itertools
import re

import stripes

TOKEN = re.compile(
    rb"\x1b\[([0-9;:]*)([@-~])|\x1b\[[?>=<][0-9;]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    rb"|\x1b[P_^][^\x1b]*\x1b\\|\x1b[()][0-9A-Za-z]|\x1b.|([\xc2-\xf4][\x80-\xbf]+)|([\x20-\x7e])|([\r\n\b])", re.DOTALL)
UNFINISHED = re.compile(rb"(\x1b(\[[0-9;:?>=<]*)?|[\xc2-\xf4][\x80-\xbf]{0,2})\Z")
FULL, UPPER, LOWER = "█".encode(), "▀".encode(), "▄".encode()


class Cells:
    """A cursor and a pen; `draw` returns the cells that were drawn in 24-bit colours."""

    def __init__(self):
        self.row = self.column = 0
        self.saved = (0, 0)
        self.ink = self.paper = None  # Brightness, or None for a colour of the palette.
        self.rest = b""

    def draw(self, piece):
        """[(row, column, brightness of the cell's lower half)]."""
        data = self.rest + piece
        unfinished = UNFINISHED.search(data)
        self.rest = unfinished.group() if unfinished else b""
        drawn = []
        for token in TOKEN.finditer(data, 0, len(data) - len(self.rest)):
            parameters, final, wide, narrow, control = token.groups()
            if wide or narrow:
                light = self.ink if wide in (FULL, LOWER) else self.paper
                if light is not None and (narrow == b" " or wide in (FULL, UPPER, LOWER)):
                    drawn.append((self.row, self.column, light))
                self.column += 1
            elif final:
                self.control(parameters, final)
            elif control == b"\n":
                self.row += 1
            elif control == b"\r":
                self.column = 0
            elif token.group() == b"\x1b7":
                self.saved = (self.row, self.column)
            elif token.group() == b"\x1b8":
                self.row, self.column = self.saved
        return drawn

    def control(self, parameters, final):
        numbers = [int(number or 0) for number in re.split(b"[;:]", parameters)]
        if final == b"m":
            return self.color(numbers)
        first = max(1, numbers[0])
        if final in b"Hf":
            self.row, self.column = first - 1, max(1, numbers[1] if len(numbers) > 1 else 1) - 1
        elif final == b"C":
            self.column += first
        elif final == b"D":
            self.column -= first
        elif final == b"A":
            self.row -= first
        elif final == b"B":
            self.row += first
        elif final == b"G":
            self.column = first - 1
        elif final == b"d":
            self.row = first - 1

    def color(self, numbers):
        numbers = iter(numbers)
        for number in numbers:
            if number in (38, 48):
                light = None
                if next(numbers, None) == 2:
                    light = sum(itertools.islice(numbers, 3)) // 3
                else:
                    next(numbers, None)
                if number == 38:
                    self.ink = light
                else:
                    self.paper = light
            elif number == 0:
                self.ink = self.paper = None
            elif 30 <= number <= 39 or 90 <= number <= 97:
                self.ink = None
            elif 40 <= number <= 49 or 100 <= number <= 107:
                self.paper = None


def shown(pieces):
    """[(instant, frame)] for each change of the picture, from [(instant, bytes written)]."""
    cells = Cells()
    drawn = [(instant, cells.draw(piece)) for instant, piece in pieces]
    # The first stripe is always white, the last one often.
    white = [(row, column) for _, each in drawn for row, column, light in each if light >= stripes.LIGHT]
    if not white:
        return []
    rows, columns = sorted({row for row, _ in white}), [column for _, column in white]
    left, width = min(columns), max(columns) + 1 - min(columns)
    places = [(row, left + int(width * (index + 0.5) / stripes.COUNT))
              for row in (rows[len(rows) // 4], rows[-1]) for index in range(stripes.COUNT)]
    picture = dict.fromkeys(places, 0)
    result, latest = [], None
    for instant, each in drawn:
        picture.update({(row, column): light for row, column, light in each if (row, column) in picture})
        lights = [picture[place] for place in places]
        frame = stripes.number(lights[: stripes.COUNT])
        if frame is not None and frame != latest and frame == stripes.number(lights[stripes.COUNT :]):
            result.append((instant, frame))
            latest = frame
    return result
