// Puts the page together as the program does: `node assemble.mjs [LINK] > page.html`.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = new URL("../../Sources/Doors/Page/", import.meta.url);

/** The modules, each after those that it imports. */
export const modules = [
  "checks.js", "hash.js", "seal.js", "signature.js", "connection.js", "channel.js", "clock.js", "servo.js", "film.js",
  "player.js", "keys.js", "view.js", "main.js",
];

/** @param {string} link for the page's element; empty in a page that is served @returns {string} the page */
export function assembledPage(link = "") {
  const read = (/** @type {string} */ name) => readFileSync(new URL(name, folder), "utf8");
  const script = modules
    .map((name) => read(name).replace(/^import .* from "\.\/.*";\n/gm, "").replace(/^export /gm, "")).join("\n");
  const style = read("style.css");
  const hash = (/** @type {string} */ content) => createHash("sha256").update(content).digest("base64");
  return read("page.html")
    .replace("{script}", () => hash(script)).replace("{style}", () => hash(style))
    .replace("/*style*/", () => style).replace("/*script*/", () => script)
    .replace('id="link">""<', () => `id="link">${JSON.stringify(link).replaceAll("<", "\\u003c")}<`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.stdout.write(assembledPage(process.argv[2]));
}
