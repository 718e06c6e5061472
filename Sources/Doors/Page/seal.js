// ChaCha20-Poly1305 (RFC 8439).
import { joined } from "./hash.js";
const SIGMA = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
/** Adds the key stream to bytes, in place. @param {Uint8Array} key 32 bytes @param {Uint8Array} nonce 12 bytes
 *  @param {number} counter of the first block @param {Uint8Array} bytes */
function chacha20(key, nonce, counter, bytes) {
  const [start, x] = [new Uint32Array(16), new Uint32Array(16)];
  const words = new DataView(joined(key, Uint8Array.of(0, 0, 0, 0), nonce).buffer);
  start.set(SIGMA);
  for (let i = 0; i < 12; i += 1) start[4 + i] = words.getUint32(4 * i, true);
  const block = new DataView(new ArrayBuffer(64));
  const stream = new Uint8Array(block.buffer);
  /** @type {(a: number, b: number, c: number, d: number) => void} */ const quarter = (a, b, c, d) => {
    let t;
    x[a] += x[b]; t = x[d] ^ x[a]; x[d] = (t << 16) | (t >>> 16);
    x[c] += x[d]; t = x[b] ^ x[c]; x[b] = (t << 12) | (t >>> 20);
    x[a] += x[b]; t = x[d] ^ x[a]; x[d] = (t << 8) | (t >>> 24);
    x[c] += x[d]; t = x[b] ^ x[c]; x[b] = (t << 7) | (t >>> 25);
  };
  for (let offset = 0; offset < bytes.length; offset += 64) {
    start[12] = counter + offset / 64;
    x.set(start);
    for (let round = 0; round < 10; round += 1) {
      quarter(0, 4, 8, 12); quarter(1, 5, 9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15);
      quarter(0, 5, 10, 15); quarter(1, 6, 11, 12); quarter(2, 7, 8, 13); quarter(3, 4, 9, 14);
    }
    for (let i = 0; i < 16; i += 1) block.setUint32(4 * i, x[i] + start[i], true);
    const end = Math.min(64, bytes.length - offset);
    for (let i = 0; i < end; i += 1) bytes[offset + i] ^= stream[i];
  }
}
/** A one-time authenticator. @param {Uint8Array} key 32 bytes @param {Uint8Array} bytes whole blocks of 16 */
function poly1305(key, bytes) {
  const number = (/** @type {DataView} */ view, /** @type {number} */ offset) =>
    (view.getBigUint64(offset + 8, true) << 64n) | view.getBigUint64(offset, true);
  const [keys, blocks] = [new DataView(key.buffer), new DataView(bytes.buffer)];
  const factor = number(keys, 0) & 0x0ffffffc0ffffffc0ffffffc0fffffffn;
  let total = 0n;
  for (let offset = 0; offset < bytes.length; offset += 16) {
    total = ((total + (1n << 128n) + number(blocks, offset)) * factor) % ((1n << 130n) - 5n);
  }
  total += number(keys, 16);
  return Uint8Array.from({ length: 16 }, (_, i) => Number((total >> BigInt(8 * i)) & 255n));
}
/** @type {(key: Uint8Array, nonce: Uint8Array, text: Uint8Array, seen: Uint8Array) => Uint8Array} */
function tag(key, nonce, text, seen) {
  const [once, lengths] = [new Uint8Array(32), new DataView(new ArrayBuffer(16))];
  chacha20(key, nonce, 0, once);
  lengths.setBigUint64(0, BigInt(seen.length), true);
  lengths.setBigUint64(8, BigInt(text.length), true);
  const filler = (/** @type {Uint8Array} */ part) => new Uint8Array((16 - (part.length % 16)) % 16);
  return poly1305(once, joined(seen, filler(seen), text, filler(text), new Uint8Array(lengths.buffer)));
}
/** @param {Uint8Array} key @param {Uint8Array} nonce never twice with a key @param {Uint8Array} text
 *  @param {Uint8Array} seen authenticated, not sealed @returns {Uint8Array} 16 bytes longer than the text */
export function seal(key, nonce, text, seen = new Uint8Array()) {
  const sealed = text.slice();
  chacha20(key, nonce, 1, sealed);
  return joined(sealed, tag(key, nonce, sealed, seen));
}
/** @param {Uint8Array} key @param {Uint8Array} nonce @param {Uint8Array} sealed @param {Uint8Array} seen
 *  @returns {Uint8Array | null} the text; null if anything was changed */
export function opened(key, nonce, sealed, seen = new Uint8Array()) {
  if (sealed.length < 16) return null;
  const text = sealed.slice(0, -16);
  const [wanted, given] = [tag(key, nonce, text, seen), sealed.subarray(-16)];
  if (wanted.reduce((difference, byte, i) => difference | (byte ^ given[i]), 0) !== 0) return null;
  chacha20(key, nonce, 1, text);
  return text;
}
