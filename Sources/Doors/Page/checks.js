// Bounds for everything that a door or a relay sends.
/** @param {any} value of JSON @returns {any} the same with bounded lengths, depth and numbers, and with texts that have
 *  no control characters and no changes of direction; null for anything else */
export function bounded(value, depth = 0) {
  if (typeof value === "string") {
    return value.slice(0, 4000).replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ");
  }
  if (typeof value === "number") return Math.abs(value) < 1e15 ? value : null;
  if (typeof value !== "object" || value === null || depth > 4) return typeof value === "boolean" ? value : null;
  if (Array.isArray(value)) return value.slice(0, 1000).map((item) => bounded(item, depth + 1));
  return Object.fromEntries(Object.entries(value).slice(0, 64).map(([key, item]) => [key, bounded(item, depth + 1)]));
}
/** @param {Uint8Array} bytes */
export function hexOf(bytes) { return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""); }
/** @param {unknown} digits @param {number} count of bytes @returns {Uint8Array | null} null for other texts */
export function bytesOfHex(digits, count) {
  if (typeof digits !== "string" || digits.length !== 2 * count || !/^[0-9a-f]*$/.test(digits)) return null;
  return Uint8Array.from({ length: count }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
