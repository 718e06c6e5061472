// The keeper's copy of the film, through MediaSource: a window around the position, in one buffer. Times in seconds.
/** Film that is kept before the position, and fetched beyond it at first, in steps; sound and picture of a fragment
 *  end at different times, and ranges begin at the first picture. */
const [BEHIND, AHEAD, STEP, SEAM, START_GAP] = [30, 30, 6, 0.6, 0.3];
/** @typedef {[number, number][]} Ranges */
/** @typedef {{number: number, from: number, head: number, upTo: number, isOver: boolean}} Stream `head`: the end of
 *  the last whole fragment, `upTo`: the most that was asked for */
/** @param {Ranges} ranges @param {number} position @returns {[number, number] | null} the range around a position */
export const rangeAt = (ranges, position) =>
  ranges.find(([start, end]) => start - (start < 0.5 ? START_GAP : 0) <= position && position < end - 0.02) ?? null;
/** @param {TimeRanges} ranges @returns {Ranges} */
export const rangesOf = (ranges) => Array.from(ranges, (_, i) => [ranges.start(i), ranges.end(i)]);
/** Decides what to ask the door for: a new stream from a position, more of the current one, or nothing.
 *  @param {{ranges: Ranges, position: number, ahead: number, stream: Stream | null, isAppending: boolean,
 *    duration: number | null}} now @returns {{fetch?: number, more?: number}} */
export function filmRequest({ ranges, position, ahead, stream, isAppending, duration }) {
  const range = rangeAt(ranges, position);
  const end = range ? range[1] : position;
  // A stream for this very place, which went beyond it, shows that a track of the film has a hole here.
  const isHole = stream !== null && Math.abs(stream.from - (range ? end - 0.05 : end)) < 0.001;
  const isNear = isAppending || isHole || (stream !== null && stream.head <= end + 2 * SEAM);
  const reaches = stream !== null && stream.from <= end + SEAM && isNear;
  const isAlive = range !== null || stream?.isOver === false;
  if (stream && reaches && isAlive && stream.head >= end - (range ? SEAM : 2 * ahead)) {
    // In steps: opening much film at once would hold up everything else.
    const upTo = Math.min(position + ahead, Math.max(position, stream.head) + STEP);
    return !stream.isOver && upTo - stream.upTo >= STEP / 2 ? { more: upTo } : {};
  }
  const isEnough = (duration !== null && end >= duration - SEAM) || end - position >= ahead / 2;
  return isEnough ? {} : { fetch: range ? Math.max(position, end - 0.05) : position };
}
/** @param {Ranges} ranges @param {number} position @returns {[number, number] | null} what may go */
export const removable = (ranges, position, behind = BEHIND) =>
  (ranges.length > 0 && ranges[0][0] < position - behind - 5 ? [0, position - behind] : null);
/** How fast the line carries the film, and how fast the film needs it: both have pairs of time and bytes. */
export class Meter {
  /** @type {[number, number][]} */ #pairs = [];
  /** @param {number} time ms on the line, or ms of film @param {number} bytes */ add(time, bytes) {
    this.#pairs.push([time, bytes]);
    if (this.#pairs.length > 300) this.#pairs.shift();
  }
  /** In Mbit/s. */ get rate() {
    const [time, bytes] = this.#pairs.reduce(([t, b], [moreTime, more]) => [t + moreTime, b + more], [0, 0]);
    return time > 0 ? bytes / 125 / time : 0;
  }
}
const CODECS = {
  avc1: "avc1.640028", "avc1.10bit": "avc1.6e0028", hvc1: "hvc1.1.6.L120.90", vp9: "vp09.00.40.08",
  av01: "av01.0.08M.08", aac: "mp4a.40.2", opus: "opus", flac: "flac", mp3: "mp3",
};
/** @returns {string[]} the names of codecs that this browser plays through MediaSource */
export function playableCodecs() {
  const isPlayable = (/** @type {string} */ codec) => MediaSource.isTypeSupported(`video/mp4; codecs="${codec}"`);
  if (!("MediaSource" in globalThis)) return [];
  return Object.entries(CODECS).filter(([, codec]) => isPlayable(codec)).map(([name]) => name);
}
/** The film's bytes on their way from the door into the `<video>`.
 *  @param {HTMLVideoElement} video @param {(message: object) => void} send @param {(text: string) => void} fail */
export function makeFilm(video, send, fail) {
  /** @type {MediaSource | null} */ let source = null;
  /** @type {SourceBuffer | null} */ let buffer = null;
  /** @type {Stream | null} */ let stream = null;
  /** @type {Uint8Array[]} */ let queue = [];
  /** @type {number | null} */ let [audio, length] = [null, null];
  let [number, received, acknowledged, ahead, last, isIdle, isRemoving, url] = [0, 0, 0, AHEAD, 0, true, false, ""];
  const [carries, needs] = [new Meter(), new Meter()];
  function append() {
    if (!buffer || buffer.updating || video.error) return;
    const isComplete = queue.length === 0 && stream?.isOver && source?.readyState === "open";
    if (isComplete && buffer.buffered.length > 0) source?.endOfStream();
    if (queue.length === 0) return;
    try {
      buffer.appendBuffer(queue[0]);
      queue.shift();
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "QuotaExceededError") return;
      // The buffer is full: less is kept, and less asked for from now on. The bytes wait for their turn.
      ahead = Math.max(6, ahead * 0.6);
      remove(removable(rangesOf(buffer.buffered), video.currentTime, 3));
    }
  }
  /** @param {[number, number] | null} range */ function remove(range) {
    if (!buffer || buffer.updating || !range) return;
    [isRemoving] = [true, buffer.remove(...range)];
    if (stream) stream.from = Math.max(stream.from, range[1]);
  }
  /** @param {number} upTo */ function more(upTo) {
    if (!stream) return;
    stream.upTo = upTo;
    send({ t: "more", stream: stream.number, upTo });
  }
  /** @param {number} from */ function fetch(from) {
    number += 1;
    stream = { number, from, head: from, upTo: from, isOver: false };
    [queue, received, acknowledged, isIdle] = [[], 0, 0, true];
    // The parser may be inside a fragment of the earlier stream.
    if (source?.readyState === "open") buffer?.abort();
    send({ t: "fetch", stream: number, from, audio });
    more(from + STEP);
  }
  const film = {
    carries, needs,
    isOpen: () => source !== null,
    close() {
      URL.revokeObjectURL(url);
      [source, buffer, queue, stream, ahead, audio] = [null, null, [], null, AHEAD, null];
    },
    /** @param {string} mime @param {number | null} duration */ open(mime, duration, offset = 0) {
      film.close();
      const own = source = new MediaSource();
      [length, url] = [duration, URL.createObjectURL(own)];
      own.addEventListener("sourceopen", () => {
        if (source !== own || buffer) return;
        try {
          buffer = own.addSourceBuffer(mime);
          [own.duration, buffer.timestampOffset] = [duration ?? Infinity, -offset];
          buffer.addEventListener("updateend", () => { isRemoving = false; append(); });
        } catch { fail(`This browser doesn't play the film's format (${mime}).`); }
      });
      video.src = url;
    },
    /** A new connection has no stream: what is buffered stays, the rest is fetched again. */
    reconnected() { [stream, queue] = [null, []]; },
    /** Fetches film again: everything, or a second. */ renew(from = 0, to = Infinity) {
      film.reconnected();
      if (source?.readyState === "open" && !isRemoving) buffer?.abort();
      remove([from, to]);
    },
    /** @param {number} track of the sound */ choose(track) { [audio] = [track, film.renew()]; },
    /** To be called a few times a second. */ tick() {
      append();
      // The parser can't be stopped while film is removed, which takes milliseconds.
      if (!buffer || isRemoving) return;
      const [ranges, position, isAppending] = [rangesOf(buffer.buffered), video.currentTime, buffer.updating];
      const request = filmRequest({ ranges, position, ahead, stream, isAppending, duration: length });
      if (request.fetch !== undefined) fetch(request.fetch);
      else if (request.more !== undefined) more(request.more);
      else remove(removable(ranges, position));
    },
    /** @param {NonNullable<ReturnType<typeof import("./channel.js").readPiece>>} piece */ received(piece) {
      // A door that sends without being asked doesn't fill the memory.
      if (!stream || piece.stream !== stream.number || queue.length > 4000) return;
      const [isEnd, size, now] = [piece.isWhole && !piece.isInit, piece.bytes.length, performance.now()];
      if (!isIdle) carries.add(now - last, size);
      needs.add(isEnd ? 1000 * Math.max(0, piece.end - piece.start) : 0, size);
      [last, received] = [now, received + size];
      if (piece.isWhole || received - acknowledged >= 32_768) {
        send({ t: "got", stream: stream.number, bytes: acknowledged = received });
      }
      if (isEnd) stream.head = Math.max(stream.head, piece.end);
      stream.isOver ||= piece.isWhole && piece.isEnd;
      isIdle = stream.head >= stream.upTo;
      queue.push(piece.bytes);
      append();
    },
  };
  return film;
}
