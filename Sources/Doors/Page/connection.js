// A connection with a relay or a nats-server: the NATS protocol in binary WebSocket messages.
import { hexOf } from "./checks.js";
import { joined, sha256 } from "./hash.js";
import { publicKey, signature } from "./signature.js";
export const utf8 = new TextEncoder();
export const fromUTF8 = new TextDecoder();
/** The longest line and payload that a server may send, in bytes. */
const [LINE_LIMIT, PAYLOAD_LIMIT] = [65_536, 1 << 20];
/** @param {Uint8Array} key @returns {string} the nkey of a user's public key */ function nkey(key) {
  const bytes = [0b10100_000, ...key];
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  const bits = [...bytes, crc & 255, crc >> 8].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[parseInt(five, 2)]).join("");
}
export const subjectPrefix = (/** @type {Uint8Array} */ key) =>
  `matinee.${hexOf(sha256(joined(utf8.encode("matinee subject v1"), key)).subarray(0, 16))}`;
/** @param {string} url @param {Uint8Array} seed of the key by which the relay admits @param {{opened: () => void,
 *    message: (payload: Uint8Array, subject: string) => void, closed: () => void}} handlers */
export function connectTo(url, seed, handlers) {
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  let [unread, isOver, subscriptions] = [new Uint8Array(), false, 0];
  /** @param {...(string | Uint8Array)} parts */ function send(...parts) {
    if (isOver || socket.readyState !== 1) return;
    socket.send(joined(...parts.map((part) => (typeof part === "string" ? utf8.encode(part) : part))));
  }
  function close() {
    if (isOver) return;
    isOver = true;
    socket.close();
    handlers.closed();
  }
  /** @param {string} line */ function perform(line) {
    if (line === "PING") send("PONG\r\n");
    else if (line === "PONG") handlers.opened();
    else if (line.startsWith("-ERR")) close();
    else if (line.startsWith("INFO ")) greet(JSON.parse(line.slice(5)).nonce);
  }
  /** @param {unknown} nonce */ function greet(nonce) {
    const proof = typeof nonce !== "string" ? {} : {
      nkey: nkey(publicKey(seed)),
      sig: btoa(String.fromCharCode(...signature(utf8.encode(nonce), seed)))
        .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
    };
    const options = { verbose: false, pedantic: false, echo: false, protocol: 1, name: "page", ...proof };
    send(`CONNECT ${JSON.stringify(options)}\r\nPING\r\n`);
  }
  /** Performs the first operation of what arrived. @returns {boolean} false until the rest of it is there */
  function next() {
    const end = unread.indexOf(10);
    if (end > LINE_LIMIT || (end < 0 && unread.length > LINE_LIMIT)) throw new RangeError("line");
    if (end < 0 || isOver) return false;
    const line = fromUTF8.decode(unread.subarray(0, end)).trimEnd();
    const [verb, subject, ...sizes] = line.split(" ");
    const size = verb === "MSG" ? Number(sizes.at(-1)) : -2;
    if (!Number.isInteger(size) || size < -2 || size > PAYLOAD_LIMIT) throw new RangeError("payload");
    if (unread.length < end + 3 + size) return false;
    const payload = unread.slice(end + 1, end + 1 + Math.max(0, size));
    unread = unread.subarray(end + 3 + size);
    if (verb === "MSG") handlers.message(payload, subject); else perform(line);
    return true;
  }
  socket.onmessage = ({ data }) => {
    try {
      unread = joined(unread, new Uint8Array(data));
      while (next());
    } catch { close(); }
  };
  socket.onclose = close;
  return {
    close,
    /** @param {string} subject */ subscribe(subject) { send(`SUB ${subject} ${(subscriptions += 1)}\r\n`); },
    /** @param {string} subject @param {Uint8Array} payload */
    publish(subject, payload) { send(`PUB ${subject} ${payload.length}\r\n`, payload, "\r\n"); },
  };
}
