// The document: shows the state, and reports what the guest wants.
import { KEYS } from "./keys.js";
/** @param {string} id @returns {any} */
export const part = (id) => document.getElementById(id);
/** @param {string} name @param {any} properties @param {...(Node | string)} inner @returns {any} */
function made(name, properties, ...inner) {
  const element = Object.assign(document.createElement(name), properties);
  Object.assign(element.dataset, properties.data);
  element.append(...inner);
  return element;
}
/** @type {string[]} */ const names = [];
/** Gives out people's colours in turn. @param {string} name @returns {string} a class */ function lookOf(name) {
  if (!names.includes(name) && names.length < 600) names.push(name);
  return `person${Math.max(0, names.indexOf(name)) % 6}`;
}
/** @param {number} seconds @returns {string} "12:41", "1:02:03" */
export function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(String);
  return parts.slice(parts[0] === "0" ? 1 : 0).map((n, i) => n.padStart(i && 2, "0")).join(":");
}
/** Words for each status of the channel. @type {Record<string, string>} */ const CONNECTION = {
  connecting: "Looking for the party…", again: "Looking for the party…", lost: "Reconnecting…", offered: "",
  unreachable: "The party's relay can't be reached from here. Trying again…",
  nobody: "Nobody answers: the host isn't there, or this link was withdrawn. Trying again…",
  inUse: "This link is in use in another window or by another person. Trying again…",
  full: "The party is full. Trying again…",
};
/** The line under the picture, in Matinee's words. @param {any} state @returns {[string, string]} text and look */
export function stateLine(state) {
  const { film, party, line, position, error, connection, isOpen, isStalled, carries, needs } = state;
  if (!isOpen) return [`Connection lost. The film keeps playing. ${CONNECTION[connection]}`, "caution"];
  if (state.refusal) return [state.refusal, "caution"];
  if (state.problem) return [state.problem, "trouble"];
  if (party.connected === false) return ["The host's program lost the party. Reconnecting…", "caution"];
  if (!film?.item) return ["No film yet.", "quiet"];
  if (party.readyCheck) return ["Ready? Press R.", "caution"];
  const isSlow = isStalled && carries > 0 && carries < needs;
  if (isSlow) return [`The line carries ${carries.toFixed(1)} Mbit/s, the film needs ${needs.toFixed(1)}.`, "caution"];
  if (isStalled) return ["Waiting for the film…", "caution"];
  if (line?.waiting) return [`Waiting for ${line.waiting}`, "caution"];
  if (party.apart) return ["You watch at your own pace. Press b to rejoin.", "caution"];
  if (!line?.playing) return [`Paused. ${party.mayControl ? "" : party.rules}`, "quiet"];
  if (film.duration && position > film.duration - 0.5) return ["The film is over.", "quiet"];
  if (error === null) return ["Getting in step…", "quiet"];
  const ms = `${Math.round(Math.abs(error) * 1000)} ms ${error < 0 ? "behind" : "ahead"}`;
  if (Math.abs(error) <= 0.025) return [`in step · ${ms}`, "good"];
  return [`${ms}; ${error < 0 ? "catching up" : "slowing down"}`, "caution"];
}
/** @param {(does: string, value?: any) => void} act */
export function prepareView(act) {
  for (const { keys, label, does, help, hint } of KEYS) {
    part("keys").append(made("dt", {}, label), made("dd", {}, help));
    const [values, labels] = [Object.values(keys), label.split(" ")];
    const buttons = (values[0] ? labels : labels.slice(0, 1)).map((key, i, all) => made("button", {
      ariaLabel: values[0] ? help.replace(/(\S+) \/ (\S+)/, `$${i + 1}`) : help, data: { does, value: values[i] },
    }, made("kbd", {}, key), i === all.length - 1 ? ` ${hint}` : ""));
    if (hint) part("actions").append(made("span", {}, ...buttons));
  }
  document.addEventListener("click", (event) => {
    const { does, value } = /** @type {any} */ (event.target).closest("[data-does]")?.dataset ?? {};
    if (does) act(does, does === "kind" ? value : Number(value));
  });
  const slider = part("seek");
  slider.oninput = () => { part("now").value = clockText(slider.dataset.held = slider.value); };
  slider.onchange = () => [delete slider.dataset.held, act("seek", slider.valueAsNumber)];
  part("picture").ondblclick = () => act("full");
}
/** @param {string} id @param {any} properties */ function set(id, properties) {
  for (const key of Object.keys(properties)) if (part(id)[key] !== properties[key]) part(id)[key] = properties[key];
}
/** @param {any} state shown whole, a few times a second and after each change */
export function render(state) {
  const { film, party, line, position, ending } = state;
  document.body.dataset.phase = state.phase;
  set("title", { textContent: film?.title || party?.title || "" });
  set("invitation", { textContent: ending ? "Goodbye" : `${state.keeper || "A friend"} invites you to watch a film` });
  set("invitation-text", { textContent: ending || CONNECTION[state.connection] || "The party is open." });
  set("join-fields", { hidden: ending !== "" });
  if (!party) return;
  const [[text, look], length] = [stateLine(state), film?.duration || 1];
  set("summary", { textContent: `${party.people.length} watching · encrypted` });
  // Numbers that change all the time aren't read out.
  set("state", { textContent: text, className: look, ariaLive: / ms /.test(text) ? "off" : "polite" });
  set("question", { textContent: party.question ?? "" });
  set("vote", { hidden: !party.question });
  set("card", { textContent: state.card });
  set("video", { className: state.isShown ? "" : "unseen" });
  set("toggle", { textContent: line?.playing ? "▶" : "■", ariaLabel: line?.playing ? "Pause" : "Play" });
  const rate = Number((line?.rate ?? 1).toFixed(2));
  set("length", { textContent: `${film?.duration ? clockText(length) : "-:--"} ${rate}×` });
  set("figures", { textContent: state.figures });
  document.title = `${film?.title || party.title || "Party"} · Matinee`;
  const slider = part("seek");
  if (!slider.dataset.held) {
    set("now", { value: clockText(position) });
    set("seek", { max: `${length}`, value: position, ariaValueText: `${clockText(position)} of ${clockText(length)}` });
  }
  slider.style.setProperty("--played", `${(100 * slider.value) / length}%`);
  slider.style.setProperty("--loaded", `${(100 * Math.min(length, position + state.ahead)) / length}%`);
  for (const element of document.querySelectorAll("[data-does=toggle], [data-does=skip], [data-does=faster], #seek")) {
    /** @type {any} */ (element).disabled = !party.mayControl && !party.apart;
  }
}
/** @param {any} party */
export function renderPeople(party) {
  part("people").replaceChildren(...party.people.map((/** @type {any} */ person) => {
    const [className, sign] = person.waits || person.isReady === false ? ["caution", "◐"] : ["good", "●"];
    const marks = [person.isMe ? "(you)" : "", person.role === "guest" ? "" : person.role, ...(person.marks ?? [])];
    return made("li", {}, made("i", { className }, sign), made("b", { className: lookOf(person.name) }, person.name),
      made("span", {}, marks.filter(Boolean).join(" ")), made("span", {}, person.waits || person.sync || ""));
  }));
  if (part("reactions").childElementCount === party.reactions.length) return;
  part("reactions").replaceChildren(...party.reactions.map((/** @type {any} */ { kind, symbol }) =>
    made("button", { title: kind, ariaLabel: kind, data: { does: "kind", value: kind } }, symbol)));
}
let lastMinute = "";
/** @param {string} text @param {string} name empty for an event */
export function addToChat(text, name = "") {
  const [chat, minute] = [part("chat"), new Date().toTimeString().slice(0, 5)];
  const isAtEnd = chat.scrollHeight - chat.scrollTop - chat.clientHeight < 40;
  const time = name && minute !== lastMinute ? [made("time", {}, lastMinute = minute), " "] : [];
  chat.append(!name ? made("li", { className: "notice" }, `· ${text}`)
    : made("li", {}, ...time, made("b", { className: lookOf(name) }, name), made("p", {}, text)));
  if (chat.childElementCount > 300) chat.firstElementChild.remove();
  if (isAtEnd) chat.scrollTop = chat.scrollHeight;
  if (document.body.classList.contains("full")) rise(name ? `${name}: ${text}` : text, "line");
}
/** @param {string} text @param {string} className "line" for a line of text, else a sign that rises */
export function rise(text, className = "") {
  const [sign, all] = [made("p", { className, onanimationend: () => sign.remove() }, text), part("rising")];
  sign.style.setProperty("--x", `${10 + Math.random() * 70}%`);
  sign.style.setProperty("--y", `${1 + (all.childElementCount % 8) * 1.6}em`);
  all.append(sign);
  if (all.childElementCount > 12) all.firstElementChild.remove();
}
/** @param {string} id @param {any[]} tracks @param {any} chosen the index of one of them */
export function fillSelect(id, tracks, chosen) {
  part(id).replaceChildren(...tracks.map(({ index, title, language }) =>
    made("option", { value: index }, [language, title].filter(Boolean).join(" · ") || `Track ${index}`)));
  part(id).value = chosen;
}
