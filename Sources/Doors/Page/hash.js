// SHA-256, SHA-512, HMAC and HKDF. `crypto.subtle` is missing on pages from `http://` addresses.
/** The first bits of the fractional parts of roots of the first primes (FIPS 180-4 §4.2); `root` is 2 or 3.
 *  @param {number} count @param {bigint} root @param {bigint} bits @returns {bigint[]} */
function rootsOfPrimes(count, root, bits) {
  /** @type {bigint[][]} */ const [primes, constants] = [[], []];
  for (let prime = 2n; primes.length < count; prime += 1n) {
    if (primes.some((smaller) => prime % smaller === 0n)) continue;
    primes.push(prime);
    // The integer root of prime · 2^(root · bits), by bisection.
    let [low, high] = [0n, 1n << (bits + 8n)];
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** root <= prime << (root * bits)) low = middle; else high = middle;
    }
    constants.push(low & ((1n << bits) - 1n));
  }
  return constants;
}
/** 1.4 MB/s, enough for keys, signatures and a file's samples. @param {number} size of a word in bytes
 *  @param {number} rounds @param {bigint[][]} turns for σ0, σ1, Σ0, Σ1 @returns {(bytes: any) => Uint8Array} */
function secureHash(size, rounds, turns) {
  const bits = BigInt(8 * size);
  const [k, start, whole] = [rootsOfPrimes(rounds, 3n, bits), rootsOfPrimes(8, 2n, bits), (1n << bits) - 1n];
  const turn = (/** @type {bigint} */ x, /** @type {bigint} */ n) => (x >> n) | (x << (bits - n));
  const [small0, small1] = turns.slice(0, 2).map(([a, b, shift]) => (/** @type {bigint} */ x) =>
    ((turn(x, a) ^ turn(x, b)) & whole) ^ (x >> shift));
  const [large0, large1] = turns.slice(2).map(([a, b, c]) => (/** @type {bigint} */ x) =>
    (turn(x, a) ^ turn(x, b) ^ turn(x, c)) & whole);
  return (bytes) => {
    const blocks = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 1 + 2 * size) / (16 * size)) * 16 * size));
    new Uint8Array(blocks.buffer).set(bytes);
    blocks.setUint8(bytes.length, 0x80);
    blocks.setBigUint64(blocks.byteLength - 8, BigInt(bytes.length) * 8n);
    const [state, w] = [[...start], /** @type {bigint[]} */ ([])];
    for (let offset = 0; offset < blocks.byteLength; offset += 16 * size) {
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < rounds; i += 1) {
        const at = offset + size * i;
        if (i < 16) w[i] = size === 8 ? blocks.getBigUint64(at) : BigInt(blocks.getUint32(at));
        else w[i] = (w[i - 16] + small0(w[i - 15]) + w[i - 7] + small1(w[i - 2])) & whole;
        const t = h + large1(e) + ((e & f) ^ ((e ^ whole) & g)) + k[i] + w[i];
        const u = large0(a) + ((a & b) ^ (a & c) ^ (b & c));
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + t) & whole, c, b, a, (t + u) & whole];
      }
      [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] = (state[i] + value) & whole; });
    }
    return Uint8Array.from({ length: 8 * size }, (_, i) =>
      Number((state[Math.floor(i / size)] >> BigInt(8 * (size - 1 - (i % size)))) & 255n));
  };
}
export const sha256 = secureHash(4, 64, [[7n, 18n, 3n], [17n, 19n, 10n], [2n, 13n, 22n], [6n, 11n, 25n]]);
export const sha512 = secureHash(8, 80, [[1n, 8n, 7n], [19n, 61n, 6n], [28n, 34n, 39n], [14n, 18n, 41n]]);
/** @param {...Uint8Array} parts @returns {Uint8Array} */
export function joined(...parts) {
  const result = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) { result.set(part, end); end += part.length; }
  return result;
}
/** HMAC-SHA-256 (RFC 2104). @param {Uint8Array} key @param {Uint8Array} bytes */
export function hmac(key, bytes) {
  const block = joined(key.length > 64 ? sha256(key) : key, new Uint8Array(64)).subarray(0, 64);
  return sha256(joined(block.map((byte) => byte ^ 0x5c), sha256(joined(block.map((byte) => byte ^ 0x36), bytes))));
}
/** HKDF with SHA-256 (RFC 5869).
 *  @param {Uint8Array} secret @param {Uint8Array} salt @param {Uint8Array} purpose @param {number} count of bytes */
export function hkdf(secret, salt, purpose, count) {
  const key = hmac(salt, secret);
  let [result, last] = [new Uint8Array(), new Uint8Array()];
  for (let number = 1; result.length < count; number += 1) {
    last = hmac(key, joined(last, purpose, Uint8Array.of(number)));
    result = joined(result, last);
  }
  return result.slice(0, count);
}
