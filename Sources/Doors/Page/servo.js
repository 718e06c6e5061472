// Keeps the film on the group's line: estimates how far it is off, and chooses the speed that takes it back. Seconds.
/** Within HOLD an engine with a coarse clock keeps its speed; beyond it corrects until SETTLED. Beyond NEAR corrections
 *  are quick, beyond FAR a seek is better. */
const [HOLD, SETTLED, NEAR, FAR] = [0.006, 0.0015, 0.015, 0.1];
/** Corrections per second of error, and the rest beside the speed 1: changing to 1 skips 28 ms of sound in Firefox. */
const [GAIN, REST] = [1.5, 0.0001];
/** The film's distance from the line, from many readings of `currentTime`. */
export class Estimator {
  /** @type {{now: number, error: number, pushed: number}[]} */ #samples = [];
  #last = -1; #lastNow = 0; #pushed = 0; #polls = 0; #changes = 0;
  /** A Boolean value that indicates whether `currentTime` advances in steps of many milliseconds (Firefox: 40). */
  isCoarse = false;
  /** The line changed, or the film was moved: earlier readings mean nothing. */
  reset() { [this.#samples, this.#last] = [[], -1]; }
  /** @param {number} now in ms @param {number} current the film's position @param {number} line the line's
   *  @param {number} push how fast the film overtakes the line: seconds per second */
  add(now, current, line, push) {
    const [passed, isChange] = [this.#last < 0 ? 0 : now - this.#lastNow, current !== this.#last];
    [this.#lastNow, this.#last, this.#pushed] = [now, current, this.#pushed + (push * Math.min(passed, 1000)) / 1000];
    // Readings that are further apart than a coarse step say nothing about steps.
    if (passed > 0 && passed < 15) {
      [this.#polls, this.#changes] = [this.#polls + 1, this.#changes + Number(isChange)];
      if (this.#polls === 60) [this.isCoarse, this.#polls, this.#changes] = [this.#changes < 24, 0, 0];
    }
    if (!isChange) return;
    this.#samples.push({ now, error: current - line, pushed: this.#pushed });
    while (now - this.#samples[0].now > (this.isCoarse ? 600 : 400)) this.#samples.shift();
  }
  /** The distance ahead of the line; null before there are enough readings. A coarse clock is late between its steps,
   *  so that its highest readings count. */
  get error() {
    if (this.#samples.length < (this.isCoarse ? 5 : 8)) return null;
    const errors = this.#samples.map((sample) => sample.error + this.#pushed - sample.pushed).sort((a, b) => a - b);
    return errors[Math.floor((errors.length - 1) * (this.isCoarse ? 0.9 : 0.5))];
  }
}
/** Chooses the speed, relative to the line's, and says when a seek is needed instead. */
export class Servo {
  #isCorrecting = false; #far = 0; #side = 1;
  /** The factor of the line's rate, never exactly 1. */ factor = 1 + REST;
  reset() { [this.#isCorrecting, this.#far, this.factor] = [false, 0, 1 + REST * this.#side]; }
  /** @param {number} error @param {number} age since the start @param {boolean} isCoarse @returns true to seek */
  judge(error, age, isCoarse) {
    const distance = Math.abs(error);
    this.#far = distance > FAR ? this.#far + 1 : 0;
    this.#isCorrecting = distance > (isCoarse ? (this.#isCorrecting ? SETTLED : HOLD) : SETTLED / 3);
    const most = distance > NEAR || age < 2.5 ? 0.02 : 0.005;
    const push = this.#isCorrecting ? Math.max(-most, Math.min(most, -error * GAIN)) : 0;
    this.#side = Math.sign(push) || this.#side;
    this.factor = 1 + this.#side * Math.max(REST, Math.abs(push));
    return this.#far >= 3;
  }
}
/** How long before an instant `play()` has to be called: learned from the errors of starts, less from each. */
export class Lead {
  #gain = 0.9;
  /** @param {number} value */ constructor(value) { this.value = value; }
  /** @param {number} error the film's distance ahead of the line at the first look after a start */ learn(error) {
    if (Math.abs(error) > 0.3) return;
    this.value = Math.max(0, Math.min(0.3, this.value - this.#gain * error));
    this.#gain = Math.max(0.3, this.#gain * 0.6);
  }
}
/** The middle of the frame that players show when paused at a position: the first that begins there or later, give or
 *  take the rounding of containers. A frame's edge would be ambiguous.
 *  @param {number} at @param {number | null} fps null if unknown or variable @param {number} phase any frame's time */
export const frameMiddle = (at, fps, phase) =>
  (fps === null ? at + 0.002 : phase + (Math.ceil((at - phase - 0.005) * fps) + 0.5) / fps);
