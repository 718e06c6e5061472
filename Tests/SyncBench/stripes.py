"""A frame's number as vertical stripes, black and white, so wide that scaling and chroma leave them legible.

From the left: a white stripe, a black one, 14 bits in Gray code, the highest first, and their parity. No two frames of
a film are alike, and neighbours differ in one bit and the parity: a picture that is half one frame and half the next
is rejected or is one of the two, never a third.
"""
BITS = 14
COUNT = BITS + 3
SIZE = (COUNT * 32, 304)
LIGHT = 128


def bits(number):
    """The stripes of a frame, as 0 (black) and 1 (white)."""
    gray = number ^ number >> 1
    digits = [gray >> bit & 1 for bit in reversed(range(BITS))]
    return [1, 0, *digits, sum(digits) & 1]


def number(stripes):
    """The frame with these stripes (brightness up to 255), or None if they are no frame's."""
    digits = [int(value >= LIGHT) for value in stripes]
    if len(digits) != COUNT or digits[:2] != [1, 0] or sum(digits[2:-1]) & 1 != digits[-1]:
        return None
    result = 0
    for digit in digits[2:-1]:
        result = result << 1 | digit ^ result & 1
    return result


def picture(frame):
    """The frame's picture, a byte for each pixel."""
    width, height = SIZE
    return b"".join(bytes([235 if bit else 16]) * (width // COUNT) for bit in bits(frame)) * height
