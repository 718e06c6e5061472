// Ed25519 (RFC 8032), for the one signature by which a relay admits a connection.
import { joined, sha512 } from "./hash.js";
/** @typedef {[bigint, bigint, bigint, bigint]} Point in extended coordinates: X, Y, Z, T */
const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = mod(-121665n * power(121666n, P - 2n));
const Y = mod(4n * power(5n, P - 2n));
const X = 15112221349535400772501151409588531511454012693041857206046113283949847762202n;
/** @param {bigint} x */ function mod(x, by = P) { return ((x % by) + by) % by; }
/** @param {bigint} x @param {bigint} exponent */ function power(x, exponent) {
  let result = 1n;
  for (let base = x; exponent > 0n; exponent >>= 1n, base = mod(base * base)) {
    if (exponent & 1n) result = mod(result * base);
  }
  return result;
}
/** @param {Point} p @param {Point} q @returns {Point} */ function sum(p, q) {
  const [a, b] = [mod((p[1] - p[0]) * (q[1] - q[0])), mod((p[1] + p[0]) * (q[1] + q[0]))];
  const [c, d] = [mod(2n * D * p[3] * q[3]), mod(2n * p[2] * q[2])];
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}
/** @param {bigint} factor of the base point @returns {Uint8Array} the point's 32 bytes */ function multiple(factor) {
  /** @type {Point[]} */ let [result, point] = [[0n, 1n, 1n, 0n], [X, Y, 1n, mod(X * Y)]];
  for (; factor > 0n; factor >>= 1n, point = sum(point, point)) if (factor & 1n) result = sum(result, point);
  const inverse = power(result[2], P - 2n);
  return bytesOf(mod(result[1] * inverse) | ((mod(result[0] * inverse) & 1n) << 255n));
}
/** @param {bigint} number @returns {Uint8Array} 32 bytes, least significant first */
function bytesOf(number) { return Uint8Array.from({ length: 32 }, (_, i) => Number((number >> BigInt(8 * i)) & 255n)); }
/** @param {Uint8Array} bytes least significant first @returns {bigint} */
function numberOf(bytes) { return Array.from(bytes).reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n); }
/** @param {Uint8Array} seed */ function halves(seed) {
  const hash = sha512(seed);
  [hash[0], hash[31]] = [hash[0] & 248, (hash[31] & 127) | 64];
  return { secret: numberOf(hash.subarray(0, 32)), prefix: hash.subarray(32) };
}
/** @param {Uint8Array} seed 32 bytes @returns {Uint8Array} 32 bytes */
export function publicKey(seed) { return multiple(halves(seed).secret); }
/** @param {Uint8Array} text @param {Uint8Array} seed 32 bytes @returns {Uint8Array} 64 bytes */
export function signature(text, seed) {
  const { secret, prefix } = halves(seed);
  const once = mod(numberOf(sha512(joined(prefix, text))), ORDER);
  const point = multiple(once);
  const challenge = numberOf(sha512(joined(point, multiple(secret), text)));
  return joined(point, bytesOf(mod(once + challenge * secret, ORDER)));
}
