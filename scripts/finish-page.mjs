// The last steps of building the page, when all its files are in place:
//
// 1. Scripts are minified.
// 2. www/start.js, a separate file, starts the page: the page's Content-Security-Policy allows no inline script.
// 3. Styles of views that are loaded later are only named: the first of these views fetches them (crates/dbm-web/src/app/later.rs).
// 4. The service worker gets the list of all files and their hashes. That list is one version of the page.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";
import { writeServiceWorker } from "./service-worker.mjs";

const WWW = fileURLToPath(new URL("../www/", import.meta.url));
/** `trunk serve` puts a number used once here, in the page and in its own script that reloads the page after a change. */
const NONCE = "{{__TRUNK NONCE__}}";
const PAGE_PROGRAM = /^dbm-web-[0-9a-f]+\.js$/;

const smaller = async (script) => (await minify(script, { module: true, compress: { passes: 2 } })).code;
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Finishes the page in the folder `dist`. */
export async function finishPage(dist) {
  const at = (file) => join(dist, file);

  /** A script of www/ with each of `names` replaced, as a file with its hash in the name. */
  const place = async (name, names) => {
    let script = readFileSync(join(WWW, `${name}.js`), "utf8");
    for (const [from, to] of Object.entries(names)) script = script.replaceAll(`"${from}"`, () => `"${to}"`);
    const code = await smaller(script);
    const file = `${name}-${hash(code).slice(0, 16)}.js`;
    writeFileSync(at(file), code);
    return `./${file}`;
  };

  const scripts = readdirSync(dist).filter((file) => file.endsWith(".js"));
  for (const file of scripts) writeFileSync(at(file), await smaller(readFileSync(at(file), "utf8")));
  const programs = scripts.filter((file) => PAGE_PROGRAM.test(file));
  if (programs.length !== 1) throw new Error(`expected the one program of the page in ${dist}, dbm-web-HASH.js, and found ${programs.length}`);
  const program = `./${programs[0].slice(0, -".js".length)}`;
  const start = await place("start", { "LAB.js": `${program}.js`, "LAB_bg.wasm": `${program}_bg.wasm`, OFFLINE: await place("offline", {}) });
  const page = readFileSync(at("index.html"), "utf8")
    .replace(/<link rel="stylesheet" href="([^"]+)"[^>]* data-later[^>]*>/, '<meta name="later-styles" content="$1">')
    .replace(/\s*<\/head>/, () => `\n    <script type="module" src="${start}"></script>\n  </head>`);
  writeFileSync(at("index.html"), page.includes(NONCE) ? page.replace("script-src 'self'", `$& 'nonce-${NONCE}'`) : page);
  await writeServiceWorker(dist);
}
