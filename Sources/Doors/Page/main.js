// The page of a guest: joins the parts.
import { hexOf } from "./checks.js";
import { openChannel, parsedLink, random } from "./channel.js";
import { DoorClock } from "./clock.js";
import { makeFilm, playableCodecs } from "./film.js";
import { joined, sha256 } from "./hash.js";
import { actionFor } from "./keys.js";
import { makePlayer } from "./player.js";
import { addToChat, fillSelect, part, prepareView, render, renderPeople, rise } from "./view.js";
/** @type {any} what the page shows; changed by `update` only */ const state = {
  phase: "start", connection: "connecting", isOpen: false, keeper: "", ending: "", problem: "", refusal: "", card: "",
  party: null, film: null, line: null, position: 0, ahead: 0, error: null, isStalled: false, isShown: false,
};
/** @param {any} changes */ const update = (changes) => render(Object.assign(state, changes));
/** @param {"localStorage" | "sessionStorage"} store @param {string} key @param {string} [value] @returns {string} */
function remembered(store, key, value) {
  // A browser may refuse to keep anything.
  try {
    if (value !== undefined) globalThis[store].setItem(`matinee ${key}`, value);
    return globalThis[store].getItem(`matinee ${key}`) ?? "";
  } catch { return value ?? ""; }
}
/** @type {any} */ let [channel, ownFile, subtitle, source] = [null, null, null, null];
let [copy, openKey, myName, isReacting, beats] = ["keeper", "", "", false, 0];
const [excluded, clock, video] = [new Set(), new DoorClock(), /** @type {HTMLVideoElement} */ (part("video"))];
const codecs = () => playableCodecs().filter((name) => !excluded.has(name));
const cues = video.addTextTrack("subtitles", "Subtitles");
const send = (/** @type {any} */ message) => channel?.send(message);
const film = makeFilm(video, send, (text) => update({ problem: text }));
const player = makePlayer(video, clock, {
  done: (n, ok, at) => send({ t: "done", n, ok, at }), stalled: (is, percent) => send({ t: "stalled", is, percent }),
  blocked: () => update({ card: "Click here to play the film" }), missing: (at) => film.renew(at, at + 1),
});
/** The door's messages, bounded. @type {Record<string, (m: any) => void>} */ const receive = {
  clock: (m) => clock.answered(m.a, m.b, m.c, performance.now()),
  party(m) {
    const party = { ...m, people: [m.people].flat().slice(0, 64), reactions: [m.reactions].flat().slice(0, 12) };
    channel?.learn([m.relays].flat().slice(0, 16));
    update({ phase: "party", party });
    renderPeople(party);
  },
  film(m) {
    // A door doesn't describe a film of which the page plays a copy of its own.
    const known = m.item === state.film?.item ? state.film : {};
    const fps = m.fps ? m.fps[0] / m.fps[1] : known.fps;
    const merged = { ...known, ...m, start: m.start ?? 0, fps: fps > 0.5 && fps < 1000 ? fps : null };
    update({ film: merged, problem: m.problem });
    if (openKey === keyOf(merged) && (copy !== "keeper" || film.isOpen())) return m.problem ? undefined : serveAgain();
    if (m.cost) addToChat(m.cost);
    fillSelect("audio", m.audio, m.audio.find((/** @type {any} */ track) => track.isDefault)?.index);
    fillSelect("subtitles", [{ index: "", language: "none" }, ...m.subtitles], "");
    [subtitle] = [null, openCopy()];
  },
  line(m) {
    if (isLine(m) && !state.party?.apart) player.follow(m);
    if (isLine(m)) update({ line: m });
  },
  command: (m) => { if (isLine(m)) player.perform(m.n, m.do, m); },
  cues(m) {
    for (const [start, end, text] of m.track === subtitle ? m.cues : []) {
      if ((cues.cues?.length ?? 0) < 20_000) cues.addCue(new VTTCue(start, end, text));
    }
  },
  said: (m) => addToChat(m.text, m.name),
  reacted: (m) => rise(`${m.symbol} ${m.name}`),
  notice: (m) => addToChat(m.text),
  refused: (m) => [update({ refusal: m.text }), setTimeout(() => update({ refusal: "" }), 4000)],
  end(m) {
    if (m.reason === "keeper") { channel?.restart(); return; }
    [channel?.close(), closeFilm(), update({ phase: "over", ending: m.text || "The party is over." })];
  },
};
const isLine = (/** @type {any} */ m) => [m.at, m.host, m.rate].every((n) => typeof n === "number") && m.rate > 0;
/** @param {any} m a film @returns {string} the same for a film that needn't be opened again */
const keyOf = (m) => `${[copy, m.item, ...(copy === "keeper" ? [m.mime, m.offset, m.duration, m.size] : [])]}`;
/** The door opened the same film: it has no stream, and doesn't know what this page plays. */ function serveAgain() {
  [copy === "keeper" || send(source), film.reconnected(), subtitle === null || actions.cues(subtitle)];
}
/** @param {any} of what this page plays */ const sendSource = (of) => send(source = { t: "source", ...of });
/** Opens the chosen copy of the film. */ function openCopy() {
  const { item, mime, url, fps, start, duration, offset } = state.film;
  const isOnWeb = /^https?:/.test(url ?? "") && !excluded.has(url);
  if (copy !== "own" && !(mime && isOnWeb)) copy = part("copy").value = isOnWeb ? "url" : "keeper";
  openKey = keyOf(state.film);
  [closeFilm(), player.load({ fps, start, duration, shift: 0, inFragments: copy === "keeper" })];
  if (copy === "own" && item && ownFile) openFile(ownFile);
  else if (copy === "url") [video.src] = [url, sendSource({ kind: "url" })];
  else if (mime && globalThis.MediaSource) [film.open(mime, duration, offset), sendSource({ kind: "keeper" })];
  else if (mime) update({ problem: "This browser can't take the host's copy. Choose your own in the settings (N)." });
}
const closeFilm = () => [film.close(), video.removeAttribute("src"), video.load()];
/** @param {File} file */ async function openFile(file) {
  video.src = URL.createObjectURL(file);
  const isLoaded = await new Promise((resolve) => {
    [video.onloadedmetadata, video.onerror] = [() => resolve(true), () => resolve(false)];
  });
  const { size, duration, fps, start } = state.film;
  const isOther = duration !== null && Math.abs(video.duration - duration) > 2;
  if (!isLoaded || isOther) return useKeeper(`Your file ${isLoaded ? "has another length" : "can't be played here"}.`);
  if (size !== null && size !== file.size) addToChat("Your file isn't the same copy; its cut may differ.");
  // Firefox counts the positions of a file from its first one.
  const shift = "mozHasAudio" in video ? start : 0;
  player.load({ fps, start, duration, shift, inFragments: false });
  // The fingerprint: the size, and samples from the beginning, the middle and the end.
  const [length, sample] = [new DataView(new ArrayBuffer(8)), 256 * 1024];
  length.setBigUint64(0, BigInt(file.size), true);
  const samples = await Promise.all([0, Math.floor(file.size / 2), Math.max(0, file.size - sample)]
    .map(async (from) => new Uint8Array(await file.slice(from, from + sample).arrayBuffer())));
  const hash = `sha256:${hexOf(sha256(joined(new Uint8Array(length.buffer), ...samples)))}`;
  return sendSource({ kind: "own", name: file.name, size: file.size, duration: video.duration, hash });
}
/** @param {string} reason */ function useKeeper(reason) {
  if (state.film.mime) addToChat(`${reason} You get the host's copy.`); else update({ problem: reason });
  [excluded.add(copy === "url" && state.film.url), copy = part("copy").value = "keeper", openCopy()];
}
video.addEventListener("seeking", film.tick);
video.addEventListener("error", () => {
  if (!video.error || !state.film?.item || copy === "own") return;
  if (copy === "url") return void useKeeper("This browser can't play the film's URL. Choose your own copy (N).");
  const codec = /codecs="(\w+)/.exec(state.film.mime)?.[1] ?? "";
  [excluded.add(codec), film.close()];
  update({ problem: `This browser can't decode the film (${codec}). Asking for another encoding…` });
  send({ t: "enter", name: myName, plays: codecs() });
});
/** What keys, buttons and settings do. @type {Record<string, (value: any) => void>} */ const actions = {
  toggle: () => send({ t: player.line?.playing ? "pause" : "play" }),
  skip: (by) => actions.seek((player.line ? player.target() : player.position) + by),
  seek: (to) => send({ t: "seek", to: Math.max(0, Math.min(to, state.film?.duration ?? to)) }),
  frame: (by) => actions.skip(by / (state.film?.fps ?? 25)),
  faster: (by) => actions.speed(Math.round(100 * (state.line?.rate ?? 1) * by) / 100),
  speed: (rate) => send({ t: "rate", rate }),
  volume: (by) => actions.loudness(100 * video.volume + by),
  loudness(percent) {
    video.volume = Math.max(0, Math.min(100, Math.round(percent))) / 100;
    part("volume").value = remembered("localStorage", "volume", String(100 * video.volume));
  },
  mute: () => { video.muted = !video.muted; },
  late: (by) => actions.delay(1000 * player.late + by),
  delay(ms) {
    player.late = Math.max(-100, Math.min(500, Math.round(ms))) / 1000;
    part("late").value = remembered("localStorage", "late", String(1000 * player.late));
    part("late-value").value = `${Math.round(1000 * player.late)} ms`;
  },
  audio: () => actions.track(following("audio", 1)),
  track: (index) => film.choose(Number(part("audio").value = index)),
  subtitles: (by) => actions.cues(following("subtitles", by)),
  cues(value) {
    subtitle = (part("subtitles").value = value) === "" ? null : Number(value);
    cues.mode = "showing";
    for (const cue of [...(cues.cues ?? [])]) cues.removeCue(cue);
    if (subtitle !== null) send({ t: "subtitles", track: subtitle });
  },
  hide: () => { cues.mode = cues.mode === "showing" ? "hidden" : "showing"; },
  copy: (kind) => { if ((copy = kind) === "own") part("file").click(); else if (state.film) openCopy(); },
  chat: () => [document.body.classList.add("chatting"), part("text").focus()],
  react: () => { isReacting = true; },
  kind: (kind) => { if (kind) send({ t: "react", kind }); },
  away: () => send({ t: state.party.apart ? "back" : "apart" }),
  ready: () => send({ t: "ready" }),
  vote: (isYes) => send({ t: "vote", yes: isYes === 1 }),
  full: () => (document.fullscreenElement ? document.exitFullscreen() : part("root").requestFullscreen?.()),
  small: () => (document.pictureInPictureElement ? document.exitPictureInPicture() : video.requestPictureInPicture?.()),
  settings: () => part("settings").showModal(),
  help: () => part("help").showModal(),
  picture: () => update({ card: "" }),
};
/** @param {string} id @param {number} by @returns {string} the value of a following choice */
function following(id, by) {
  const { options, selectedIndex: i, length } = part(id);
  return options[(i + by + length) % length]?.value ?? "";
}
const askClock = () => send({ t: "clock", a: clock.ask(performance.now()) });
/** To be called four times a second, also while the page is hidden. */ function beat() {
  beats += 1;
  if (myName) channel?.checkSilence();
  if (state.isOpen && beats % 2 === 0) askClock();
  if (!state.party || state.phase === "over") return;
  film.tick();
  if (!state.card) player.tick();
  const { error, ahead, isStalled, isWarm } = player;
  const [uncertainty, carries, needs] = [clock.uncertainty, film.carries.rate, film.needs.rate];
  if (beats % 4 === 0 && error !== null) send({ t: "report", error, uncertainty: uncertainty / 1000, buffered: ahead });
  const figures = `line ${carries.toFixed(1)}, film ${needs.toFixed(1)} Mbit/s · clock ±${uncertainty.toFixed(1)} ms`;
  const position = player.line?.playing && !isStalled ? player.target() - player.late : player.position;
  update({ position, error, ahead, isStalled, isShown: isWarm, carries, needs, figures });
}
function enter() {
  clock.reset();
  send({ t: "enter", name: myName, plays: codecs() });
  for (let i = 0; i < 12; i += 1) setTimeout(askClock, 40 * i);
  film.reconnected();
  update({ isOpen: true });
}
function begin() {
  const { protocol, hostname, port, hash } = location;
  const [isTLS, written] = [protocol === "https:", hash.slice(1) || JSON.parse(part("link").textContent)];
  const own = protocol.startsWith("http") ? `${hostname}:${port || (isTLS ? "443" : "80")}${isTLS ? "+tls" : ""}` : "";
  const link = parsedLink(written, own);
  if (!link) { update({ phase: "over", ending: "This link is incomplete. Ask for it again." }); return; }
  const key = `tab ${hexOf(link.id)}`;
  const tab = remembered("sessionStorage", key) || remembered("sessionStorage", key, hexOf(random(16)));
  channel = openChannel(link, tab, {
    status(status, keeper) {
      update({ connection: status, isOpen: false, keeper: keeper || state.keeper });
      if (status === "offered" && myName) enter();
    },
    message: (m) => { if (Object.hasOwn(receive, m.t)) receive[m.t](m); },
    piece: film.received,
  });
  // The timers of hidden pages are slow, those of workers aren't.
  new Worker(URL.createObjectURL(new Blob(["setInterval(() => postMessage(0), 250)"]))).onmessage = beat;
}
/** @param {string} id @param {string} type @param {(event: any) => void} action */
const on = (id, type, action) => part(id).addEventListener(type, action);
on("join", "submit", (event) => {
  event.preventDefault();
  myName = part("rename").value = remembered("localStorage", "name", part("name").value.trim() || "Guest");
  // The click allows the film's sound, also in browsers that ask for each element.
  video.play().catch(() => {});
  video.pause();
  if (channel?.isOpen(4000)) enter(); else channel?.restart();
});
on("have", "click", () => actions.copy("own"));
on("file", "change", () => {
  copy = part("copy").value = ([ownFile] = part("file").files)[0] ? "own" : "keeper";
  part("have").textContent = ownFile ? `Your copy: ${ownFile.name}` : "Play my own copy…";
  if (state.film) openCopy();
});
on("say", "submit", (event) => {
  if (part("text").value.trim()) send({ t: "say", text: part("text").value.trim() });
  [part("text").value] = ["", event.preventDefault()];
});
on("rename", "change", () => send({ t: "rename", name: myName = part("rename").value.trim() || myName }));
const settings = { volume: "loudness", late: "delay", audio: "track", subtitles: "cues", copy: "copy" };
for (const [id, does] of Object.entries(settings)) on(id, "change", (event) => actions[does](event.target.value));
document.addEventListener("keydown", (event) => {
  const element = /** @type {HTMLElement} */ (event.target);
  if (event.key === "Escape") [element.blur(), document.body.classList.remove("chatting")];
  if (state.phase !== "party" || document.querySelector("dialog[open]")) return;
  const focus = element.matches("input:not([type=range]), select") ? "text" : element.matches("button") ? "button" : "";
  const reaction = isReacting && focus !== "text" ? state.party.reactions[Number(event.key) - 1]?.kind : "";
  const action = reaction ? { does: "kind", value: reaction } : actionFor(event, focus);
  isReacting = false;
  if (action) [event.preventDefault(), actions[action.does](action.value)];
});
document.onfullscreenchange = () => document.body.classList.toggle("full", document.fullscreenElement !== null);
/** Media keys, and the buttons of a picture in a picture. @type {Record<string, number>} */
const remote = { play: 0, pause: 0, seekbackward: -5, seekforward: 5 };
for (const [name, by] of Object.entries(remote)) {
  navigator.mediaSession?.setActionHandler(/** @type {any} */ (name), () => actions[by ? "skip" : "toggle"](by));
}
addEventListener("pagehide", () => send({ t: "bye" }));
prepareView((does, value) => actions[does](value));
part("name").value = remembered("localStorage", "name");
actions.loudness(Number(remembered("localStorage", "volume") || 100));
actions.delay(Number(remembered("localStorage", "late")));
begin();
/** The page's state, for tests. */ Object.assign(globalThis, { matinee: { state, player, clock, film } });
