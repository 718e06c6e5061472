// The sealed channel to a door: link, hello, offers, frames, and the way back after a loss.
import { bounded, bytesOfHex, hexOf } from "./checks.js";
import { connectTo, fromUTF8, subjectPrefix, utf8 } from "./connection.js";
import { hkdf, joined } from "./hash.js";
import { opened, seal } from "./seal.js";
import { publicKey } from "./signature.js";
const ADDRESS = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}(\+[\w:-]+)?$/i;
/** The silence after which a connection counts as lost, and the wait for an offer, in ms. */
const [SILENCE, NO_OFFER, NONE] = [6000, 5000, new Uint8Array()];
export const random = (/** @type {number} */ count) => crypto.getRandomValues(new Uint8Array(count));
/** @param {Uint8Array} secret @param {Uint8Array} salt @param {string} purpose */
const derived = (secret, salt, purpose) => hkdf(secret, salt, utf8.encode(purpose), 32);
/** @typedef {{id: Uint8Array, secret: Uint8Array, pagesKey: Uint8Array, addresses: string[]}} Link */
/** @param {string} written `LINK@HOST:PORT,HOST:PORT+tls` @param {string} own the address of the page itself
 *  @returns {Link | null} */
export function parsedLink(written, own) {
  const [code, rest = ""] = written.trim().split("@");
  if (!/^[\w-]{55}$/.test(code)) return null;
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/") + "="), (c) => c.charCodeAt(0));
  const addresses = knownAddresses([], [own, ...rest.split(",")]);
  if (bytes[0] !== 1 || addresses.length === 0) return null;
  return { pagesKey: bytes.slice(1, 17), id: bytes.slice(17, 25), secret: bytes.slice(25), addresses };
}
/** @param {string[]} known @param {any[]} more @returns {string[]} both, without what isn't an address, 16 at most */
export const knownAddresses = (known, more) =>
  [...new Set([...known, ...more.filter((address) => ADDRESS.test(String(address)))])].slice(0, 16);
export const relayURL = (/** @type {string} */ at) => `${at.includes("+") ? "wss" : "ws"}://${at.split("+")[0]}`;
/** @param {Uint8Array} bytes @returns {any} an object, else null */
export function parsedJSON(bytes) {
  try {
    const value = bounded(JSON.parse(fromUTF8.decode(bytes)));
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch { return null; }
}
/** @param {Link} link @param {{page: Uint8Array, random: Uint8Array, tab: string}} self */
export function helloFrame(link, self, nonce = random(12)) {
  const seen = joined(Uint8Array.of(1), link.id);
  const body = JSON.stringify({ page: hexOf(self.page), random: hexOf(self.random), tab: self.tab });
  return joined(seen, nonce, seal(derived(link.secret, NONE, "matinee page hello v1"), nonce, utf8.encode(body), seen));
}
/** @param {Link} link @param {Uint8Array} page @param {Uint8Array} frame @returns {any} null for what isn't an offer */
export function readOffer(link, page, frame) {
  if (frame[0] !== 1 || frame.length > 4096) return null;
  const key = derived(link.secret, NONE, "matinee page offer v1");
  const content = opened(key, frame.slice(1, 13), frame.slice(13), joined(Uint8Array.of(1), page));
  const offer = content && parsedJSON(content);
  const [door, salt] = [bytesOfHex(offer?.door, 16), bytesOfHex(offer?.random, 32)];
  return door && salt ? { ...offer, door, salt, rank: Number(offer.rank) } : null;
}
/** @param {bigint} counter @returns {Uint8Array} the nonce of a frame; its last 8 bytes are sent */
function nonceOf(counter) {
  const view = new DataView(new ArrayBuffer(12));
  view.setBigUint64(4, counter);
  return new Uint8Array(view.buffer);
}
/** Frames between a page and a door; counters rise. @param {Uint8Array} secret @param {Uint8Array} salt both randoms */
export function frames(secret, salt) {
  const toDoor = derived(secret, salt, "matinee page to door v1");
  const toPage = derived(secret, salt, "matinee door to page v1");
  let [sent, last] = [0n, -1n];
  return {
    /** @param {Uint8Array} page @param {object} message */ sealed(page, message) {
      const [nonce, content] = [nonceOf(sent), joined(Uint8Array.of(0), utf8.encode(JSON.stringify(message)))];
      sent += 1n;
      return joined(Uint8Array.of(2), page, nonce.slice(4), seal(toDoor, nonce, content));
    },
    /** @param {Uint8Array} frame @returns {Uint8Array | null} */ opened(frame) {
      if (frame[0] !== 2 || frame.length < 26) return null;
      const counter = new DataView(frame.buffer, frame.byteOffset).getBigUint64(1);
      const content = counter > last ? opened(toPage, nonceOf(counter), frame.slice(9)) : null;
      if (content) last = counter;
      return content;
    },
  };
}
/** @param {Uint8Array} content @returns part of a fragment of film, times in seconds; null for anything else */
export function readPiece(content) {
  if (content.length < 22) return null;
  const view = new DataView(content.buffer, content.byteOffset);
  const [start, end] = [view.getFloat64(6), view.getFloat64(14)];
  const [isWhole, isEnd, isInit] = [1, 2, 4].map((bit) => (content[5] & bit) > 0);
  if (!(Math.abs(start) < 1e9 && Math.abs(end) < 1e9)) return null;
  return { stream: view.getUint32(1), isWhole, isEnd, isInit, start, end, bytes: content.slice(22) };
}
/** Finds a door, stays with it, and comes back after a loss, over each known relay in turn.
 *  @param {Link} link @param {string} tab names this tab to doors @param {{piece: (piece: any) => void,
 *    status: (status: string, keeper: string) => void, message: (message: any) => void}} handlers */
export function openChannel(link, tab, handlers, connect = connectTo) {
  const seed = derived(link.pagesKey, NONE, "matinee pages admission v1");
  const prefix = subjectPrefix(publicKey(seed));
  /** @type {ReturnType<typeof connectTo> | undefined} */ let connection;
  /** @type {ReturnType<typeof frames> | null} */ let wire = null;
  /** @type {any[]} */ let [offers, timers] = [[], []];
  let self = { page: NONE, random: NONE, tab };
  let [door, turn, failures, heard, offeredAt, isOver] = ["", 0, 0, 0, 0, false];
  const after = (/** @type {number} */ ms, /** @type {() => void} */ action) => timers.push(setTimeout(action, ms));
  function drop() {
    timers.forEach(clearTimeout);
    const old = connection;
    [timers, connection, wire, offers] = [[], undefined, null, []];
    old?.close();
  }
  /** @param {string} reason */ function lose(reason) {
    if (isOver) return;
    // The first try after a loss goes to the same relay, the next ones around all of them.
    if (!wire) turn += 1;
    handlers.status(wire ? "lost" : reason, "");
    drop();
    after(reason === "again" ? 0 : Math.min(5000, 300 * 1.5 ** failures), begin);
    failures += 1;
  }
  function begin() {
    self = { page: random(16), random: random(32), tab };
    let isAdmitted = false;
    const isCurrent = () => own !== undefined && own === connection;
    /** @type {typeof connection} */ let own;
    // A page from `https` may not open `ws` addresses: the browser throws.
    try {
      own = connection = connect(relayURL(link.addresses[turn % link.addresses.length]), seed, {
        opened() {
          if (!isCurrent()) return;
          isAdmitted = true;
          own?.subscribe(`${prefix}.page.${hexOf(self.page)}`);
          hello();
          after(2000, hello);
        },
        message(frame) { if (isCurrent()) hear(frame); },
        closed() { if (isCurrent()) lose("unreachable"); },
      });
      after(NO_OFFER, () => { if (!wire && offers.length === 0) lose(isAdmitted ? "nobody" : "unreachable"); });
    } catch { lose("unreachable"); }
  }
  function hello() {
    if (offers.length === 0) connection?.publish(`${prefix}.door`, helloFrame(link, self));
  }
  /** @param {Uint8Array} frame */ function hear(frame) {
    const content = wire?.opened(frame);
    const offer = wire || offers.length > 31 ? null : readOffer(link, self.page, frame);
    if (offer) {
      offers.push(offer);
      if (offer.rank === 0 && !offer.refused) choose(); else if (offers.length === 1) after(300, choose);
    }
    if (!content) return;
    heard = performance.now();
    const value = content[0] === 0 ? parsedJSON(content.subarray(1)) : content[0] === 1 ? readPiece(content) : null;
    if (value) (content[0] === 0 ? handlers.message : handlers.piece)(value);
  }
  function choose() {
    if (wire) return;
    const [best] = offers.filter((offer) => !offer.refused).sort((a, b) => a.rank - b.rank);
    if (!best) { lose(offers[0].refused === "inUse" ? "inUse" : "full"); return; }
    wire = frames(link.secret, joined(self.random, best.salt));
    [door, failures, heard, offeredAt] = [hexOf(best.door), 0, performance.now(), performance.now()];
    handlers.status("offered", best.keeper);
  }
  begin();
  return {
    /** A Boolean value that indicates whether a door offered itself within so many ms, and wasn't lost. */
    isOpen: (age = Infinity) => wire !== null && performance.now() - offeredAt < age,
    /** @param {any[]} addresses further relays, tried after the link's own */
    learn(addresses) { link.addresses = knownAddresses(link.addresses, addresses); },
    /** @param {object} message */
    send(message) { if (wire) connection?.publish(`${prefix}.door.${door}`, wire.sealed(self.page, message)); },
    /** To be called while a door is expected to answer. */
    checkSilence() { if (wire && performance.now() - heard > SILENCE) lose("lost"); },
    /** Begins again with a hello: the door is gone, or its offer is old. */ restart() { lose("again"); },
    close() { isOver = true; drop(); },
  };
}
