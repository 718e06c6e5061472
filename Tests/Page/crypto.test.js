import assert from "node:assert";
import * as node from "node:crypto";
import test from "node:test";
import { hkdf, hmac, sha256, sha512 } from "../../Sources/Doors/Page/hash.js";
import { opened, seal } from "../../Sources/Doors/Page/seal.js";
import { publicKey, signature } from "../../Sources/Doors/Page/signature.js";

const eq = (a, b) => assert.deepStrictEqual(Buffer.from(a), Buffer.from(b));

test("hashes agree with node's", () => {
  for (let n = 0; n < 400; n += 1) {
    const bytes = node.randomBytes(n);
    eq(sha256(bytes), node.createHash("sha256").update(bytes).digest());
    if (n % 7 === 0) eq(sha512(bytes), node.createHash("sha512").update(bytes).digest());
    const key = node.randomBytes(n % 100);
    eq(hmac(key, bytes), node.createHmac("sha256", key).update(bytes).digest());
  }
  eq(hkdf(Buffer.from("s"), Buffer.from("salt"), Buffer.from("p"), 100),
    Buffer.from(node.hkdfSync("sha256", "s", "salt", "p", 100)));
});

test("seals agree with node's, and no changed bit is accepted", () => {
  for (let n = 0; n < 300; n += 1) {
    const [key, nonce, text, seen] = [32, 12, n * 3, n % 40].map((c) => new Uint8Array(node.randomBytes(c)));
    const cipher = node.createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 });
    cipher.setAAD(seen, { plaintextLength: text.length });
    const wanted = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    const sealed = seal(key, nonce, text, seen);
    eq(sealed, wanted);
    eq(opened(key, nonce, sealed, seen), text);
    sealed[n % sealed.length] ^= 1 << (n % 8);
    assert.strictEqual(opened(key, nonce, sealed, seen), null);
  }
  assert.strictEqual(opened(new Uint8Array(32), new Uint8Array(12), new Uint8Array(15)), null);
});

test("signatures agree with node's", () => {
  for (let n = 0; n < 20; n += 1) {
    const seed = node.randomBytes(32);
    const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
    const key = node.createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
    eq(publicKey(seed), node.createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32));
    const text = node.randomBytes(n * 5);
    eq(signature(text, seed), node.sign(null, text, key));
  }
});
