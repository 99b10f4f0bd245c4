// The last steps of building the page into dist/, after Trunk and wasm-opt:
//
// 1. Scripts are minified.
// 2. The script that Trunk writes into index.html gives way to www/start.js, a file of its own: the page's Content-Security-Policy allows no script inside the page.
// 3. The service worker gets the list of all files and their hashes. That list is one version of the page.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { minify } from "terser";
import { writeServiceWorker } from "./service-worker.mjs";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const WWW = fileURLToPath(new URL("../www/", import.meta.url));
const smaller = async (script) => (await minify(script, { module: true, compress: { passes: 2 } })).code;
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** A script of www/ with each of `names` replaced, as a file whose name has its hash. */
async function place(name, names) {
  let script = readFileSync(`${WWW}${name}.js`, "utf8");
  for (const [from, to] of Object.entries(names)) script = script.replaceAll(`"${from}"`, () => `"${to}"`);
  const code = await smaller(script);
  const file = `${name}-${hash(code).slice(0, 16)}.js`;
  writeFileSync(`${DIST}${file}`, code);
  return `./${file}`;
}

for (const file of readdirSync(DIST).filter((file) => file.endsWith(".js"))) writeFileSync(`${DIST}${file}`, await smaller(readFileSync(`${DIST}${file}`, "utf8")));

const INLINE = /<script type="module">([\s\S]*?)<\/script>/g;
const page = readFileSync(`${DIST}index.html`, "utf8");
const scripts = [...page.matchAll(INLINE)];
if (scripts.length !== 1) throw new Error(`expected the one inline script that starts the page in dist/index.html, found ${scripts.length}`);
const [whole, trunks] = scripts[0];
const lab = trunks.match(/from '(\.\/dbm-web-[0-9a-f]+)\.js'/)?.[1];
if (!lab) throw new Error(`expected Trunk's script to start dbm-web, but it reads: ${trunks}`);
const start = await place("start", { "LAB.js": `${lab}.js`, "LAB_bg.wasm": `${lab}_bg.wasm`, OFFLINE: await place("offline", {}) });
writeFileSync(`${DIST}index.html`, page.replace(whole, () => `<script type="module" src="${start}"></script>`));

await writeServiceWorker(DIST);
