import assert from "node:assert";
import test, { afterEach } from "node:test";
import { makePlayer } from "../../Sources/Doors/Page/player.js";

/** The film of these tests has 25 frames per second. */
const FPS = 25;
const FILM = { fps: FPS, start: 0, duration: 100, shift: 0, inFragments: true };
const pauseFor = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** A `<video>` with all of its film, whose seeks take some milliseconds. */
class Video extends EventTarget {
  volume = 1;
  paused = true;
  ended = false;
  seeking = false;
  readyState = 4;
  seeks = [];
  /** The time of the frame that is shown for a position. */
  frameAt = (at) => Math.floor(at * FPS) / FPS;
  isAllowed = true;
  #position = 0;
  #callback = null;
  buffered = { length: 1, start: () => 0, end: () => 100 };
  get currentTime() { return this.#position; }
  set currentTime(at) {
    [this.#position, this.seeking] = [at, true];
    this.seeks.push(at);
    setTimeout(() => {
      this.seeking = false;
      this.#callback?.(0, { mediaTime: this.frameAt(at) });
    }, 30);
  }
  requestVideoFrameCallback(callback) { this.#callback = callback; }
  async play() {
    if (!this.isAllowed) throw Object.assign(new Error("click first"), { name: "NotAllowedError" });
    this.paused = false;
  }
  pause() { this.paused = true; }
}

let seated = null;
// A film that plays is looked at for ever.
afterEach(() => seated.load(FILM));
function seat() {
  const [video, said] = [new Video(), []];
  const report = Object.fromEntries(["done", "stalled", "blocked", "missing"]
    .map((name) => [name, (...values) => said.push([name, ...values])]));
  const player = makePlayer(video, { isSet: true, offset: 0 }, report);
  player.load(FILM);
  seated = player;
  const times = (name) => said.filter((entry) => entry[0] === name);
  return { video, player, said, times };
}
const lineAt = (at) => ({ at, host: performance.now(), rate: 1, playing: false });
async function until(condition, player) {
  for (const end = performance.now() + 5000; !condition(); await pauseFor(20)) {
    assert(performance.now() < end, "the deadline");
    player.tick();
  }
}

test("a line that moves while a command's frame is sought takes nothing from the command", async () => {
  const { video, player, times } = seat();
  player.perform(1, "seek", lineAt(10));
  await until(() => video.seeks.length > 0, player);
  player.follow(lineAt(10.2));
  await until(() => times("done").length > 0 && player.landed !== null, player);
  assert.deepEqual(times("done").map(([, n, ok]) => [n, ok]), [[1, true]]);
  await until(() => Math.abs(video.currentTime - 10.22) < 0.001 && player.landed !== null, player);
});

test("a command that a newer one supersedes isn't answered", async () => {
  const { player, times } = seat();
  player.perform(1, "seek", lineAt(10));
  player.perform(2, "seek", lineAt(20));
  await until(() => times("done").length > 0, player);
  await pauseFor(100);
  assert.deepEqual(times("done").map(([, n, ok]) => [n, ok]), [[2, true]]);
});

test("a page that may not play yet stalls, and comes back with the click that allows it", async () => {
  const { video, player, times } = seat();
  video.isAllowed = false;
  await player.perform(1, "play", { ...lineAt(0), host: performance.now() + 300 });
  assert.deepEqual(times("done"), [["done", 1, false, null]]);
  assert.deepEqual(times("stalled").map(([, is]) => is), [true]);
  video.isAllowed = true;
  await until(() => !video.paused && !player.isStalled, player);
  assert.equal(times("stalled").at(-1)[1], false);
});

test("where a browser shows a later frame than the position's, the film is fetched again", async () => {
  const { video, player, times } = seat();
  // The frames between two keyframes are missing, until they are fetched.
  video.frameAt = (at) => (times("missing").length > 0 ? Math.floor(at * FPS) / FPS : 12);
  player.perform(1, "seek", lineAt(10));
  await until(() => times("done").length > 0, player);
  assert.deepEqual(times("missing").map(([, at]) => at), [10.02]);
  assert.deepEqual(times("done").map(([, n, ok]) => [n, ok]), [[1, true]]);
});

test("a page that comes to a film at its end has nothing to play, and stays with the group", async () => {
  const { player, times } = seat();
  player.perform(1, "play", lineAt(120));
  await until(() => times("done").length > 0, player);
  assert.deepEqual(times("done"), [["done", 1, true, null]]);
});
