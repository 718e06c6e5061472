// Carries out the door's commands on the `<video>`: starts at an instant, stays on the line, lands on a frame.
import { positionOn } from "./clock.js";
import { rangeAt, rangesOf } from "./film.js";
import { Estimator, frameMiddle, Lead, Servo } from "./servo.js";
/** Film that is needed for a start, and the error at which an engine with a coarse clock starts again. Seconds. */
const [ENOUGH, BAD_START] = [2, 0.025];
/** @param {number} ms */ const pauseFor = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
/** @typedef {import("./clock.js").Line} Line */
/** @typedef {{fps: number | null, start: number, duration: number | null, shift: number, inFragments: boolean}} Loaded
 *  `start`: the first position; `shift` is added to the browser's positions; one waits for a film `inFragments` */
/** @param {HTMLVideoElement} video @param {import("./clock.js").DoorClock} clock
 *  @param {{done: (n: number, ok: boolean, at: number | null) => void, blocked: () => void,
 *    missing: (at: number) => void, stalled: (is: boolean, percent: number) => void}} report */
export function makePlayer(video, clock, report) {
  const [estimator, servo] = [new Estimator(), new Servo()];
  /** @type {any} */ let polling;
  /** @type {Loaded} */ let loaded = { fps: null, start: 0, duration: null, shift: 0, inFragments: true };
  // Each command begins a turn, which ends what earlier ones began.
  let [turn, isStarting, isLanding, isJudged, startedAt, retries, phase] = [0, false, false, true, 0, 0, 0];
  const player = {
    /** The line that this page follows: the last command's, updated by the group's. @type {Line | null} */ line: null,
    /** Seconds by which the sound comes late from the loudspeaker. */ late: 0,
    /** The position of the frame that is shown while paused. @type {number | null} */ landed: null,
    /** The errors at the first look after each start, for tests. @type {number[]} */ starts: [],
    isStalled: false, isWarm: false, lead: new Lead(0.09),
    get position() { return video.currentTime + loaded.shift; },
    get isRunning() { return player.line?.playing === true && !isStarting && !video.paused; },
    /** The distance ahead of the line in seconds; null while it isn't known. */
    get error() { return player.isRunning ? estimator.error : null; },
    /** Seconds of film that are there beyond the position. */ get ahead() {
      const at = video.currentTime;
      return (rangeAt(rangesOf(video.buffered), at)?.[1] ?? at) - at;
    },
    /** Where the film has to be. @param {number} now the page's time in ms */ target(now = performance.now()) {
      return player.line ? positionOn(player.line, now + clock.offset + player.late * 1000) : player.position;
    },
    /** @param {Loaded} film another film: nothing of the earlier one holds */ load(film) {
      begin();
      [loaded, phase, player.isWarm, player.landed] = [film, film.start, false, null];
    },
    /** @param {number} n @param {string} verb play, pause, seek or ready @param {Line} line */
    async perform(n, verb, line) {
      const own = begin();
      [player.line, retries] = [{ ...line, playing: verb === "play" }, 0];
      const answer = (/** @type {boolean} */ ok) => own === turn && [ok || stall(true), report.done(n, ok, null)];
      if (verb === "play") return void answer(await start(own));
      video.pause();
      stall(false);
      if (verb === "pause") report.done(n, true, player.position);
      while (own === turn && !(await land(line.at, own)));
      while (own === turn && verb === "ready" && !(await until(() => isEnough(ENOUGH), own, 30_000)));
      if (own === turn && verb !== "pause") report.done(n, true, player.position);
    },
    /** The group's line changed. @param {Line} line */ follow(line) {
      const old = player.line;
      if (!old || old.playing !== line.playing) return;
      if (old.rate === line.rate && Math.abs(positionOn(old, line.host) - line.at) < 0.001) return;
      [player.line, player.landed] = [line, null, estimator.reset()];
    },
    /** To be called a few times a second: the film belongs on its line, whatever happened meanwhile. */ tick() {
      if (player.line?.playing && !isStarting && video.paused && !video.ended) player.restart();
      if (player.isStalled) stall(true);
      if (player.line && !player.line.playing && !isLanding && player.landed === null) land(player.line.at, turn);
    },
    /** Moves to the line again. */ restart() {
      video.pause();
      if (player.line?.playing) start(begin());
    },
  };
  function begin() {
    clearInterval(polling);
    [isStarting, isLanding] = [false, false];
    return (turn += 1);
  }
  /** @param {number} seconds */ function isEnough(seconds) {
    const rest = loaded.duration === null ? Infinity : loaded.duration - player.position - 0.3;
    if (!loaded.inFragments) return video.readyState >= 3;
    return video.readyState >= 2 && player.ahead >= Math.min(seconds, rest);
  }
  /** @param {boolean} is */ function stall(is) {
    if (is || player.isStalled) report.stalled(is, is ? Math.min(99, 100 * player.ahead / ENOUGH) : 100);
    player.isStalled = is;
  }
  /** @param {() => boolean} condition @param {number} own the turn @param {number} limit in ms */
  async function until(condition, own, limit) {
    for (const end = performance.now() + limit; performance.now() < end && own === turn; await pauseFor(8)) {
      if (condition()) return true;
    }
    return false;
  }
  /** @param {number} position @param {number} own */ function move(position, own) {
    [player.landed, video.currentTime] = [null, Math.max(0, position - loaded.shift)];
    return until(() => !video.seeking && video.readyState >= 2, own, 30_000);
  }
  /** Shows the frame of a paused position. @param {number} at @param {number} own @returns {Promise<boolean>} */
  async function land(at, own) {
    isLanding = true;
    await until(() => video.readyState > 0, own, 30_000);
    await warmUp(own);
    if (own !== turn) return false;
    const middle = frameMiddle(Math.max(at, loaded.start), loaded.fps, phase);
    const target = Math.min((loaded.duration ?? Infinity) - 0.001, middle);
    let frame = await show(target, own);
    // Where frames are missing, a browser shows the next one that there is.
    for (let tries = 0; tries < 4 && frame !== null && frame > target && own === turn; tries += 1) {
      if (tries > 0) [report.missing(target - loaded.shift), await pauseFor(100)];
      frame = await show(target, own);
    }
    const ok = frame !== null && own === turn;
    // The line may have moved meanwhile.
    if (ok && at === player.line?.at) player.landed = target;
    if (own === turn) isLanding = false;
    return ok;
  }
  /** @param {number} target @param {number} own @returns {Promise<any>} the time of the frame on the screen */
  async function show(target, own) {
    const moved = move(target, own);
    // It is there after the callback and `seeked`, whichever comes last.
    const shown = new Promise((done) => { video.requestVideoFrameCallback?.((_, frame) => done(frame.mediaTime)); });
    return await moved ? (await Promise.race([shown, pauseFor(300)]) ?? target - loaded.shift) + loaded.shift : null;
  }
  /** The first `play()` of an engine is slow (Firefox: 0.45 s): it happens muted and unseen. @param {number} own */
  async function warmUp(own) {
    if (player.isWarm || !(await until(() => video.readyState >= 3, own, 10_000))) return;
    const volume = video.volume;
    video.volume = 0;
    setRate(1);
    if (await play()) poll();
    await until(() => false, own, 600);
    clearInterval(polling);
    video.pause();
    [video.volume, player.isWarm, player.lead] = [volume, true, new Lead(estimator.isCoarse ? 0.02 : 0.09)];
  }
  /** Firefox sometimes never answers to `play()`. @returns {Promise<boolean>} */ async function play() {
    try {
      await Promise.race([video.play(), pauseFor(2000)]);
      return true;
    } catch (error) {
      if (/** @type {Error} */ (error).name === "NotAllowedError") report.blocked();
      return false;
    }
  }
  /** Starts on the line: the film is paused at a position beforehand, and plays a lead before the line reaches it. If
   *  the line has passed, the film moves to where the line will be. @param {number} own @returns {Promise<boolean>} */
  async function start(own) {
    isStarting = true;
    await until(() => video.readyState > 0 && clock.isSet, own, 60_000);
    // After a new connection, and for another speed, the film goes on.
    if (own === turn && !video.paused && Math.abs(player.position - player.target()) < 0.05) return resume(true);
    video.pause();
    await warmUp(own);
    for (let wait = 500; own === turn && player.line; wait = Math.min(4000, wait * 1.5)) {
      const { rate, host, at } = player.line;
      const left = () => ((player.position - player.target()) / rate - player.lead.value) * 1000;
      const isFuture = host > performance.now() + clock.offset;
      const isNear = isFuture ? Math.abs(player.position - at) < 0.15 : left() > 0 && left() < wait + 500;
      if (isNear && isEnough(ENOUGH)) {
        [stall(false), setRate(rate)];
        await pauseFor(Math.max(0, left() - 20));
        // Timers are late by milliseconds; this waits for the rest.
        while (own === turn && left() > 0);
        return run(own);
      }
      const end = loaded.duration ?? Infinity;
      const target = Math.min(end, Math.max(loaded.start, isFuture ? at : player.target(performance.now() + wait)));
      await move(target, own);
      if (target === end) return own === turn && resume(true);
      if (await until(() => isEnough(ENOUGH), own, 400) || own !== turn) continue;
      stall(true);
      await until(() => isEnough(ENOUGH), own, 5000);
    }
    return false;
  }
  /** @param {number} own @returns {Promise<boolean>} */ async function run(own) {
    if (own !== turn) return false;
    servo.reset();
    [player.landed, startedAt, isJudged] = [null, performance.now(), false];
    const isPlaying = await play();
    return own === turn && resume(isPlaying);
  }
  /** @param {boolean} isPlaying */ function resume(isPlaying) {
    isStarting = false;
    if (isPlaying) [setRate(player.line?.rate ?? 1), poll()];
    return isPlaying;
  }
  /** @param {number} rate the line's */ function setRate(rate) {
    // Nudges without stretching can't be heard; a party's speed of 1.5 should keep its pitch.
    video.preservesPitch = Math.abs(rate - 1) > 0.02;
    try { video.playbackRate = rate * servo.factor; } catch { /* Browsers play 0.0625× to 16×. */ }
  }
  function poll() {
    clearInterval(polling);
    estimator.reset();
    let judgedAt = performance.now();
    polling = setInterval(() => {
      const [now, rate] = [performance.now(), player.line?.rate ?? 1];
      estimator.add(now, player.position, player.target(now), video.playbackRate - rate);
      if (now - judgedAt < 80 || !player.isRunning) return;
      judgedAt = now;
      judge((now - startedAt) / 1000, rate);
    }, 5);
  }
  /** @param {number} age seconds since the start @param {number} rate */ function judge(age, rate) {
    const { error, isCoarse } = estimator;
    if (error === null || age < 0.3) return;
    let isBad = servo.judge(error, age, isCoarse);
    if (!isJudged) {
      isJudged = true;
      player.lead.learn(error / rate);
      player.starts = [...player.starts.slice(-99), error];
      isBad ||= isCoarse && Math.abs(error) > BAD_START && (retries += 1) < 3;
    }
    if (isBad) player.restart(); else setRate(rate);
  }
  /** Learns the times of frames, while frames follow each other. */ function watchFrames() {
    video.requestVideoFrameCallback?.((_, frame) => {
      const isSteady = player.isRunning && performance.now() - startedAt > 1000;
      if (isSteady && loaded.fps !== null) phase = (frame.mediaTime + loaded.shift) % (1 / loaded.fps);
      watchFrames();
    });
  }
  watchFrames();
  video.addEventListener("waiting", () => { if (player.isRunning && !isEnough(0.1)) player.restart(); });
  return player;
}
