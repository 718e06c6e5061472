import assert from "node:assert";
import test from "node:test";
import { DoorClock, positionOn } from "../../Sources/Doors/Page/clock.js";
import { filmRequest, Meter, rangeAt, removable } from "../../Sources/Doors/Page/film.js";
import { actionFor, KEYS } from "../../Sources/Doors/Page/keys.js";
import { Estimator, frameMiddle, Lead, Servo } from "../../Sources/Doors/Page/servo.js";
import { clockText, stateLine } from "../../Sources/Doors/Page/view.js";

/** Pseudo-random numbers from 0 to 1, the same in each run. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("the door's clock is known from the quickest exchanges", () => {
  const [clock, random] = [new DoorClock(), numbers(1)];
  for (let i = 0; i < 30; i += 1) {
    const asked = clock.ask(1000 + 40 * i);
    const [there, back] = [2 + 20 * random() ** 4, 2 + 20 * random() ** 4];
    clock.answered(asked, asked + there + 5000, asked + there + 5000.2, asked + there + 0.2 + back);
  }
  assert.ok(clock.isSet);
  assert.ok(Math.abs(clock.offset - 5000) < 1, `${clock.offset}`);
  assert.ok(clock.uncertainty < 3);
});

test("answers that weren't asked for, or contradict themselves, change nothing", () => {
  const clock = new DoorClock();
  clock.answered(1, 2, 3, 4);
  clock.answered(clock.ask(10), 30, 20, 50);
  clock.answered(clock.ask(11), undefined, null, 50);
  clock.answered(clock.ask(12), 0, 100, 50);
  const asked = clock.ask(13);
  clock.answered(asked, 20, 20, 27);
  clock.answered(asked, 99, 99, 27);
  assert.deepEqual([clock.isSet, clock.offset], [false, 0]);
});

test("a line's position follows its rate, and rests while paused", () => {
  const line = { at: 10, host: 1000, rate: 1.5, playing: true };
  assert.equal(positionOn(line, 3000), 13);
  assert.equal(positionOn(line, 0), 8.5);
  assert.equal(positionOn({ ...line, playing: false }, 3000), 10);
});

/** Plays a simulated film under the servo; returns its distances from the line, one each 80 ms. */
function steered({ step, error, seconds, skip = 0, noise = 0 }) {
  const [estimator, servo, random] = [new Estimator(), new Servo(), numbers(3)];
  let [position, judged] = [error, 0];
  const distances = [];
  for (let ms = 0; ms < seconds * 1000; ms += 5) {
    position += 0.005 * servo.factor;
    const shown = step ? Math.floor(position / step) * step : position + noise * (random() - 0.5);
    estimator.add(ms, shown, ms / 1000 + 0.005, servo.factor - 1);
    if (ms - judged < 80) continue;
    judged = ms;
    distances.push(position - ms / 1000 - 0.005);
    if (estimator.error === null || ms < 300) continue;
    const before = servo.factor;
    servo.judge(estimator.error, ms / 1000, estimator.isCoarse);
    assert.notEqual(servo.factor, 1);
    assert.ok(Math.abs(servo.factor - 1) <= 0.0201);
    // Firefox skips sound at changes across 1.
    if ((before - 1) * (servo.factor - 1) < 0) position += skip;
  }
  return { distances, isCoarse: estimator.isCoarse };
}

test("a smooth engine comes within 2 ms in two seconds, from either side", () => {
  for (const error of [0.03, -0.03, 0.004, -0.09]) {
    const { distances, isCoarse } = steered({ step: 0, error, seconds: 10, noise: 0.004 });
    assert.equal(isCoarse, false);
    const settled = distances.slice(Math.abs(error) > 0.04 ? 95 : 30);
    assert.ok(settled.every((distance) => Math.abs(distance) < 0.002), `${error}: ${Math.max(...settled.map(Math.abs))}`);
  }
});

test("an engine whose clock steps by 40 ms is recognized, and held within 8 ms", () => {
  for (const error of [0.04, -0.04, 0.0]) {
    const { distances, isCoarse } = steered({ step: 0.04, error, seconds: 12, skip: 0.003 });
    assert.equal(isCoarse, true);
    const settled = distances.slice(50);
    assert.ok(settled.every((distance) => Math.abs(distance) < 0.008), `${error}: ${Math.max(...settled.map(Math.abs))}`);
  }
});

test("three far estimates in a row ask for a seek", () => {
  const servo = new Servo();
  assert.deepEqual([0.2, 0.2, 0.05, 0.2, -0.2, 0.2].map((error) => servo.judge(error, 9, false)),
    [false, false, false, false, false, true]);
});

test("the lead is learned from starts, less and less, and wild ones teach nothing", () => {
  const lead = new Lead(0.09);
  lead.learn(0.05);
  assert.ok(Math.abs(lead.value - 0.045) < 1e-9);
  lead.learn(-0.01);
  assert.ok(lead.value > 0.045 && lead.value < 0.055);
  const before = lead.value;
  lead.learn(0.45);
  assert.equal(lead.value, before);
  for (let i = 0; i < 50; i += 1) lead.learn(0.2);
  assert.equal(lead.value, 0);
});

test("a paused position is shown as the middle of its frame", () => {
  for (const fps of [24000 / 1001, 25, 60]) {
    for (const phase of [0, 0.021, 5.3]) {
      for (let n = 0; n < 5000; n += 7) {
        const time = phase + n / fps;
        // Players report a frame's time, rounded to milliseconds by some containers.
        for (const at of [time, Math.round(time * 1000) / 1000, time - 0.5 / fps]) {
          assert.ok(Math.abs(frameMiddle(at, fps, phase) - time - 0.5 / fps) < 1e-6, `${fps} ${phase} ${n} ${at}`);
        }
      }
    }
  }
  assert.equal(frameMiddle(7, null, 0), 7.002);
});

const now = { ranges: [], position: 0, ahead: 30, stream: null, isAppending: false, duration: 600 };
const stream = { number: 1, from: 0, head: 0, upTo: 30, isOver: false };

test("film is fetched where nothing is, and once only", () => {
  assert.deepEqual(filmRequest({ ...now, position: 90 }), { fetch: 90 });
  assert.deepEqual(filmRequest({ ...now, position: 90, stream: { ...stream, from: 90, head: 90, upTo: 120 } }), {});
  assert.deepEqual(filmRequest({ ...now, position: 10, stream: { ...stream, from: 90, head: 99 } }), { fetch: 10 });
  assert.deepEqual(filmRequest({ ...now, position: 300, stream: { ...stream, head: 40 } }), { fetch: 300 });
});

test("a stream is continued 30 s ahead of the position", () => {
  const ranges = [[0, 30]];
  assert.deepEqual(filmRequest({ ...now, ranges, position: 2, stream: { ...stream, head: 30 } }), {});
  assert.deepEqual(filmRequest({ ...now, ranges, position: 4, stream: { ...stream, head: 30 } }), { more: 34 });
  assert.deepEqual(filmRequest({ ...now, ranges, position: 4, stream: { ...stream, head: 30, isOver: true } }), {});
});

test("a seek back into what is there fetches nothing until the end of it is near", () => {
  const ranges = [[0, 40], [300, 330]];
  const far = { ...stream, from: 300, head: 330, upTo: 330 };
  assert.deepEqual(filmRequest({ ...now, ranges, position: 5, stream: far }), {});
  assert.deepEqual(filmRequest({ ...now, ranges, position: 30, stream: far }), { fetch: 39.95 });
  assert.deepEqual(filmRequest({ ...now, ranges: [[570, 599.8]], position: 595, stream: null }), {});
});

test("a hole in a track is fetched once, and the film goes on beyond it", () => {
  const hole = { ...now, position: 8, ranges: [[0, 10], [14, 22]] };
  assert.deepEqual(filmRequest({ ...hole, stream: { ...stream, head: 22 } }), { fetch: 9.95 });
  const tried = { ...stream, from: 9.95, head: 22, upTo: 22 };
  assert.deepEqual(filmRequest({ ...hole, stream: tried }), { more: 28 });
  // Film that was removed isn't missing in the track.
  assert.deepEqual(filmRequest({ ...hole, position: 3, ranges: [[6, 22]], stream: { ...tried, from: 2.95 } }), { fetch: 3 });
  // The sound ends before the picture.
  assert.deepEqual(filmRequest({ ...hole, ranges: [[0, 10]], stream: tried }), { more: 28 });
});

test("film behind the position goes, and gaps at a film's start don't matter", () => {
  assert.equal(removable([[0, 90]], 30), null);
  assert.deepEqual(removable([[0, 90]], 60), [0, 30]);
  assert.deepEqual(rangeAt([[0.08, 9]], 0), [0.08, 9]);
  assert.equal(rangeAt([[0, 9]], 9), null);
  assert.equal(rangeAt([[14.08, 60]], 13.86), null);
});

test("the line's speed and the film's need are in Mbit/s", () => {
  const meter = new Meter();
  assert.equal(meter.rate, 0);
  for (let i = 0; i < 1000; i += 1) meter.add(10, 1250);
  assert.ok(Math.abs(meter.rate - 1) < 1e-9);
});

test("keys mean what they mean in Matinee, and typing is typing", () => {
  const press = (key, more = {}) => ({ key, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...more });
  assert.deepEqual(actionFor(press(" "), "other"), { does: "toggle", value: 0 });
  assert.deepEqual(actionFor(press("ArrowLeft"), "other"), { does: "skip", value: -5 });
  assert.deepEqual(actionFor(press("ArrowLeft", { shiftKey: true }), "button"), { does: "skip", value: -1 });
  assert.deepEqual(actionFor(press("{", { shiftKey: true }), "other"), { does: "faster", value: 0.5 });
  assert.deepEqual(actionFor(press("+", { altKey: true }), "other"), { does: "late", value: 10 });
  assert.equal(actionFor(press(" "), "button"), null);
  assert.equal(actionFor(press("f", { ctrlKey: true }), "other"), null);
  assert.equal(actionFor(press("f"), "text"), null);
  assert.equal(actionFor(press("toString"), "other"), null);
  const names = KEYS.flatMap(({ keys }) => Object.keys(keys));
  assert.equal(new Set(names).size, names.length);
});

test("the state line says what is the matter, the worst first", () => {
  const fine = {
    isOpen: true, connection: "offered", film: { item: "x" }, party: { connected: true, mayControl: true }, error: 0.0031,
    line: { playing: true }, isStalled: false, carries: 3, needs: 8,
  };
  assert.deepEqual(stateLine(fine), ["in step · 3 ms ahead", "good"]);
  assert.deepEqual(stateLine({ ...fine, error: -0.038 }), ["38 ms behind; catching up", "caution"]);
  assert.deepEqual(stateLine({ ...fine, line: { playing: false, waiting: "Ben" } }), ["Waiting for Ben", "caution"]);
  assert.equal(stateLine({ ...fine, isStalled: true })[0], "The line carries 3.0 Mbit/s, the film needs 8.0.");
  assert.match(stateLine({ ...fine, isOpen: false, connection: "lost" })[0], /keeps playing\. Reconnecting…$/);
});

test("positions are written as clocks write them", () => {
  assert.deepEqual([0, 61, 761.9, 3723, -4].map(clockText), ["0:00", "1:01", "12:41", "1:02:03", "0:00"]);
});
