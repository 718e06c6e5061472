"""A film to measure with: long enough, and rich enough in data for a network to stall."""
import os
import subprocess

import stripes


def make(folder, seconds):
    """25 frames a second of H.264, and AAC sound.

    As MP4: in Matroska AAC's priming would move the first frame away from 0.
    """
    path = os.path.join(folder, "film.mp4")
    subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin",
         "-f", "lavfi", "-i", f"testsrc2=size=640x360:rate=25:duration={seconds:g}",
         "-f", "lavfi", "-i", f"sine=frequency=330:sample_rate=48000:duration={seconds:g}",
         "-c:v", "libx264", "-preset", "ultrafast", "-crf", "30", "-g", "50",
         "-c:a", "aac", "-b:a", "96k", "-shortest",
         "-movflags", "+faststart", path],
        check=True)
    return path


def make_one_sided(folder, sound, seconds):
    """A film that a page may play as it is, with B-frames, and the sound of that file on the right alone.

    Without noise substitution, which would put other noise in the place of the film's.
    """
    path = os.path.join(folder, "one-sided.mp4")
    subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-i", sound,
         "-f", "lavfi", "-i", f"testsrc2=size=640x360:rate=25:duration={seconds:g}",
         "-map", "1:v", "-map", "0:a", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-pix_fmt", "yuv420p",
         "-crf", "30", "-g", "50", "-af", "pan=stereo|c1=0.9*c0", "-c:a", "aac", "-aac_pns", "0", "-b:a", "256k",
         "-shortest", path],
        check=True)
    return path


def make_noisy(folder, sound):
    """The same picture, small, with the sound of that file, unchanged.

    As MOV: its times are exact to a sample, Matroska's to a millisecond.
    """
    path = os.path.join(folder, "noise.mov")
    subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-i", sound, "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25",
         "-map", "1:v", "-map", "0:a", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "35", "-g", "25",
         "-c:a", "copy", "-shortest", path],
        check=True)
    return path


def make_numbered(folder, sound, rate, seconds):
    """A picture of vertical stripes that say its frame's number (`stripes.py`), with the sound of that file, unchanged."""
    path = os.path.join(folder, f"numbered-{rate}.mov")
    width, height = stripes.SIZE
    process = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{width}x{height}", "-r", str(rate),
         "-i", "-", "-i", sound, "-map", "0:v", "-map", "1:a", "-pix_fmt", "yuv420p", "-c:v", "libx264",
         "-preset", "ultrafast", "-crf", "30", "-g", str(rate), "-c:a", "copy", "-shortest", path],
        stdin=subprocess.PIPE)
    with process.stdin as pipe:
        for number in range(int(rate * seconds)):
            pipe.write(stripes.picture(number))
    if process.wait() != 0:
        raise RuntimeError("ffmpeg could not make the film")
    return path
