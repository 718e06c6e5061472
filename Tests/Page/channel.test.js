import assert from "node:assert";
import test from "node:test";
import { bounded } from "../../Sources/Doors/Page/checks.js";
import * as channel from "../../Sources/Doors/Page/channel.js";
import { hkdf, joined } from "../../Sources/Doors/Page/hash.js";
import { opened, seal } from "../../Sources/Doors/Page/seal.js";

const utf8 = new TextEncoder();
const bytes = (count, value = 7) => new Uint8Array(count).fill(value);
const code = Buffer.from(joined(Uint8Array.of(1), bytes(16, 1), bytes(8, 2), bytes(16, 3))).toString("base64url");
const derived = (salt, purpose) => hkdf(bytes(16, 3), salt, utf8.encode(purpose), 32);
const hex = (value) => Buffer.from(value).toString("hex");

test("a link is read with its addresses, the page's own first", () => {
  const link = channel.parsedLink(`${code}@relay.example:4222,[::1]:80+tls,no address,${"x".repeat(300)}`, "10.0.0.1:8080");
  assert.deepEqual(link.addresses, ["10.0.0.1:8080", "relay.example:4222", "[::1]:80+tls"]);
  assert.deepEqual([link.pagesKey, link.id, link.secret], [bytes(16, 1), bytes(8, 2), bytes(16, 3)]);
  assert.deepEqual(link.addresses.map(channel.relayURL),
    ["ws://10.0.0.1:8080", "ws://relay.example:4222", "wss://[::1]:80"]);
  for (const wrong of ["", "@", code, `${code.slice(1)}@h:1`, `B${code.slice(1)}@h:1`, `${code}@h`]) {
    assert.equal(channel.parsedLink(wrong, ""), null, wrong);
  }
});

test("relays that the party names are added once, sixteen at most", () => {
  const known = channel.knownAddresses(["a:1"], ["b:2", "a:1", 7, null, "javascript:alert(1)", "c:3/x"]);
  assert.deepEqual(known, ["a:1", "b:2"]);
  assert.equal(channel.knownAddresses([], Array.from({ length: 99 }, (_, i) => `h:${i}`)).length, 16);
});

test("frames open in order only, and only unchanged", () => {
  const salt = joined(bytes(32, 4), bytes(32, 5));
  const wire = channel.frames(bytes(16, 3), salt);
  const frame = (counter, text) => {
    const nonce = new Uint8Array(12);
    new DataView(nonce.buffer).setBigUint64(4, BigInt(counter));
    const sealed = seal(derived(salt, "matinee door to page v1"), nonce, utf8.encode(text));
    return joined(Uint8Array.of(2), nonce.subarray(4), sealed);
  };
  assert.equal(hex(wire.opened(frame(0, "a"))), hex(utf8.encode("a")));
  assert.equal(wire.opened(frame(0, "a")), null);
  assert.ok(wire.opened(frame(9, "b")));
  assert.equal(wire.opened(frame(8, "c")), null);
  const changed = frame(10, "d");
  changed[12] ^= 1;
  assert.equal(wire.opened(changed), null);
  assert.ok(wire.opened(frame(10, "d")));
  for (const short of [new Uint8Array(), bytes(25, 2), bytes(40, 2)]) assert.equal(wire.opened(short), null);
  const first = wire.sealed(bytes(16, 6), { t: "play" });
  assert.deepEqual(first.subarray(0, 25), joined(Uint8Array.of(2), bytes(16, 6), bytes(8, 0)));
  const content = opened(derived(salt, "matinee page to door v1"), bytes(12, 0), first.slice(25));
  assert.equal(Buffer.from(content).toString(), '\u0000{"t":"play"}');
  assert.equal(wire.sealed(bytes(16, 6), {})[24], 1);
});

test("pieces of film are read with their flags and times", () => {
  const view = new DataView(new ArrayBuffer(25));
  view.setUint8(0, 1);
  view.setUint32(1, 70_000);
  view.setUint8(5, 3);
  view.setFloat64(6, 1.5);
  view.setFloat64(14, 2.5);
  const piece = channel.readPiece(new Uint8Array(view.buffer));
  assert.deepEqual({ ...piece, bytes: piece.bytes.length },
    { stream: 70_000, isWhole: true, isEnd: true, isInit: false, start: 1.5, end: 2.5, bytes: 3 });
  view.setFloat64(14, NaN);
  assert.equal(channel.readPiece(new Uint8Array(view.buffer)), null);
  assert.equal(channel.readPiece(bytes(21)), null);
});

test("what a door says is bounded, and has no control characters", () => {
  assert.equal(bounded("a\u202eb\u0007c\nd"), "a b c\nd");
  assert.equal(bounded("x".repeat(9000)).length, 4000);
  assert.equal(bounded(1e300), null);
  assert.equal(bounded(Array(5000).fill(1)).length, 1000);
  assert.deepEqual(bounded({ a: [{ b: true, c: null }] }), { a: [{ b: true, c: null }] });
  let deep = 1;
  for (let i = 0; i < 5000; i += 1) deep = [deep];
  assert.ok(JSON.stringify(bounded(deep)).length < 50);
  assert.equal(channel.parsedJSON(utf8.encode("[1]")), null);
  assert.equal(channel.parsedJSON(utf8.encode("{")), null);
  assert.equal(Object.getPrototypeOf(channel.parsedJSON(utf8.encode('{"__proto__": {"a": 1}}'))), Object.prototype);
});

/** A relay of the test's own: it records, and answers as told. */
function makeRelay() {
  const relay = { urls: [], connections: [], sent: [], refuses: new Set(), statuses: [], messages: [] };
  relay.connect = (url, seed, handlers) => {
    relay.urls.push(url);
    if (relay.refuses.has(url)) throw new Error("SecurityError");
    const connection = {
      handlers, isClosed: false, subscribe(subject) { connection.subject = subject; },
      publish: (subject, payload) => relay.sent.push({ subject, payload, connection }),
      close() { if (!connection.isClosed) { connection.isClosed = true; handlers.closed(); } },
    };
    relay.connections.push(connection);
    return connection;
  };
  relay.open = () => {
    const link = channel.parsedLink(`${code}@a:1,b:2+tls`, "");
    return channel.openChannel(link, "tab", {
      status: (status, keeper) => relay.statuses.push([status, keeper].filter(Boolean).join(" ")),
      message: (message) => relay.messages.push(message), piece: () => {},
    }, relay.connect);
  };
  relay.hello = () => {
    const { payload } = relay.sent.at(-1);
    const seen = payload.slice(0, 9);
    const key = derived(new Uint8Array(), "matinee page hello v1");
    return JSON.parse(Buffer.from(opened(key, payload.slice(9, 21), payload.slice(21), seen)));
  };
  relay.offer = (fields) => {
    const page = Buffer.from(relay.hello().page, "hex");
    const body = { door: hex(bytes(16, fields.rank)), random: hex(bytes(32)), refused: null, ...fields };
    const key = derived(new Uint8Array(), "matinee page offer v1");
    const sealed = seal(key, bytes(12), utf8.encode(JSON.stringify(body)), joined(Uint8Array.of(1), page));
    relay.connections.at(-1).handlers.message(joined(Uint8Array.of(1), bytes(12), sealed));
  };
  return relay;
}

test("the door with the lowest rank is taken, the host's at once", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const relay = makeRelay();
  const open = relay.open();
  relay.connections[0].handlers.opened();
  assert.match(relay.connections[0].subject, /^matinee\.[0-9a-f]{32}\.page\.[0-9a-f]{32}$/);
  assert.equal(relay.hello().tab, "tab");
  relay.offer({ rank: 2, keeper: "Cleo" });
  relay.offer({ rank: 1, keeper: "Ben" });
  assert.deepEqual([open.isOpen(), relay.statuses], [false, []]);
  context.mock.timers.tick(300);
  assert.deepEqual([open.isOpen(), relay.statuses], [true, ["offered Ben"]]);
  open.send({ t: "enter" });
  assert.match(relay.sent.at(-1).subject, /\.door\.01010101010101010101010101010101$/);
  open.restart();
  context.mock.timers.tick(0);
  relay.connections[1].handlers.opened();
  relay.offer({ rank: 0, keeper: "Ana" });
  assert.deepEqual(relay.statuses, ["offered Ben", "lost", "offered Ana"]);
  open.close();
});

test("refusals, silence and lost relays are reported, and all addresses are tried in turn", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const relay = makeRelay();
  const open = relay.open();
  relay.connections[0].handlers.opened();
  relay.offer({ rank: 0, keeper: "Ana", refused: "inUse" });
  context.mock.timers.tick(300);
  assert.deepEqual(relay.statuses, ["inUse"]);
  context.mock.timers.tick(300);
  assert.deepEqual(relay.urls, ["ws://a:1", "wss://b:2"]);
  relay.connections[1].handlers.opened();
  context.mock.timers.tick(2000);
  assert.equal(relay.sent.filter(({ connection }) => connection === relay.connections[1]).length, 2, "a second hello");
  context.mock.timers.tick(3000);
  assert.deepEqual(relay.statuses, ["inUse", "nobody"]);
  relay.refuses.add("ws://a:1");
  for (let i = 0; i < 20; i += 1) context.mock.timers.tick(500);
  assert.ok(relay.statuses.includes("unreachable"));
  assert.ok(relay.urls.slice(2).includes("wss://b:2"));
  open.close();
  const count = relay.urls.length;
  context.mock.timers.tick(60_000);
  assert.equal(relay.urls.length, count);
});
