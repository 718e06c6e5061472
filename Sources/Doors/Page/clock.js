// The door's clock, seen from the page, by exchanges of three readings. All times in ms.
/** Exchanges that are kept, and how far beyond the quickest one an exchange still counts. */
const [KEPT_EXCHANGES, SPREAD] = [24, 1.2];
export class DoorClock {
  /** @type {{offset: number, trip: number}[]} */ #exchanges = [];
  #asked = new Set();
  /** Added to a time of the page (`performance.now()`), gives a time of the door. */ offset = 0;
  get isSet() { return this.#exchanges.length >= 4; }
  /** The offset's largest error. */
  get uncertainty() { return Math.max(0, Math.min(...this.#exchanges.map((exchange) => exchange.trip))) / 2; }
  /** @param {number} now @returns {number} the reading to send */ ask(now) {
    if (this.#asked.size > 64) this.#asked.clear();
    this.#asked.add(now);
    return now;
  }
  /** Answers that weren't asked for, or that contradict themselves, are dropped.
   *  @param {any} asked the page's time of the question @param {any} arrived the door's time of its arrival
   *  @param {any} answered the door's time of the answer @param {number} now */
  answered(asked, arrived, answered, now) {
    if (!this.#asked.delete(asked) || !(answered >= arrived)) return;
    const trip = now - asked - (answered - arrived);
    if (trip < -2) return;
    this.#exchanges.push({ offset: (arrived - asked + (answered - now)) / 2, trip });
    if (this.#exchanges.length > KEPT_EXCHANGES) this.#exchanges.shift();
    const good = this.#exchanges.filter((exchange) => exchange.trip <= 2 * this.uncertainty + SPREAD);
    this.offset = good.reduce((total, exchange) => total + exchange.offset, 0) / good.length;
  }
  /** Another door has another clock. */ reset() { [this.#exchanges, this.#asked] = [[], new Set()]; }
}
/** @typedef {{at: number, host: number, rate: number, playing: boolean}} Line of positions: `at` s at `host` ms */
/** @param {Line} line @param {number} host the door's time @returns {number} seconds */
export const positionOn = (line, host) =>
  (line.playing ? line.at + ((host - line.host) / 1000) * line.rate : line.at);
