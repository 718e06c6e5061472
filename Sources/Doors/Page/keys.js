// The keys, as in Matinee and mpv.
/** The keys with the values of their action, for the help, and with a hint for the toolbar.
 *  @type {{keys: Record<string, number>, label: string, does: string, help: string, hint?: string}[]} */
export const KEYS = [
  { keys: { " ": 0, p: 0 }, label: "space p", does: "toggle", help: "play or pause, for everyone", hint: "play/pause" },
  { keys: { ArrowLeft: -5, ArrowRight: 5 }, label: "← →", does: "skip", help: "back / forward 5 s", hint: "seek" },
  { keys: { "Shift+ArrowLeft": -1, "Shift+ArrowRight": 1 }, label: "shift+←/→", does: "skip", help: "1 s" },
  { keys: { ArrowDown: -60, ArrowUp: 60 }, label: "↓ ↑", does: "skip", help: "back / forward 1 min" },
  { keys: { "[": 1 / 1.1, "]": 1.1 }, label: "[ ]", does: "faster", help: "10 % slower / faster", hint: "speed" },
  { keys: { "{": 0.5, "}": 2 }, label: "{ }", does: "faster", help: "half / double speed" },
  { keys: { Backspace: 1 }, label: "backspace", does: "speed", help: "normal speed" },
  { keys: { ",": -1, ".": 1 }, label: ", .", does: "frame", help: "one frame back / forward" },
  { keys: { Enter: 0, t: 0 }, label: "enter t", does: "chat", help: "write to everyone", hint: "chat" },
  { keys: { r: 0 }, label: "r 1…8", does: "react", help: "send a reaction" },
  { keys: { y: 1, n: 0 }, label: "y n", does: "vote", help: "answer yes / no" },
  { keys: { b: 0 }, label: "b", does: "away", help: "watch at your own pace / rejoin", hint: "own pace" },
  { keys: { R: 0 }, label: "R", does: "ready", help: "I'm ready" },
  { keys: { 9: -5, 0: 5, "/": -5, "*": 5 }, label: "9 0", does: "volume", help: "volume (just you)" },
  { keys: { m: 0 }, label: "m", does: "mute", help: "mute (just you)", hint: "mute" },
  { keys: { "Alt+-": -10, "Alt++": 10 }, label: "alt+- alt++", does: "late", help: "sound late by 10 ms less / more" },
  { keys: { "#": 0 }, label: "#", does: "audio", help: "next audio track" },
  { keys: { j: 1, J: -1 }, label: "j J", does: "subtitles", help: "next / previous subtitles" },
  { keys: { v: 0 }, label: "v", does: "hide", help: "subtitles on or off" },
  { keys: { f: 0 }, label: "f", does: "full", help: "full screen", hint: "full screen" },
  { keys: { P: 0 }, label: "P", does: "small", help: "picture-in-picture" },
  { keys: { N: 0 }, label: "N", does: "settings", help: "name, sound, tracks, your own copy", hint: "settings" },
  { keys: { "?": 0 }, label: "?", does: "help", help: "keys", hint: "keys" },
];
/** @param {{key: string, shiftKey: boolean, altKey: boolean, ctrlKey: boolean, metaKey: boolean}} press
 *  @param {string} focus text, button or other: the element that has the keyboard */
export function actionFor(press, focus) {
  if (focus === "text" || press.ctrlKey || press.metaKey) return null;
  if (focus === "button" && (press.key === " " || press.key === "Enter")) return null;
  const name = (press.altKey ? "Alt+" : "") + (press.shiftKey && press.key.length > 1 ? "Shift+" : "") + press.key;
  const key = KEYS.find(({ keys }) => Object.hasOwn(keys, name));
  return key ? { does: key.does, value: key.keys[name] } : null;
}
