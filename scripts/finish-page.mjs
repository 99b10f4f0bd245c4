// The last steps of building the page into dist/: scripts without a word too many, and none inside index.html.
//
// 1. A name by which a wasm program imports a function is as long as the function's signature makes it, with a hash, and stands in the program and in its script:
//    both get short ones.
// 2. Scripts are minified.
// 3. What Trunk writes into index.html to start the page becomes www/start.js, a file beside it, as the page's Content-Security-Policy wants.
// 4. The service worker gets the list of all files, which is what one version of the page is.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { minify } from "terser";
import { writeServiceWorker } from "./service-worker.mjs";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const WWW = fileURLToPath(new URL("../www/", import.meta.url));
const IMPORTS = 2; // the number of that section in a wasm program

/** A cursor over a wasm program's bytes. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }
  name() {
    const length = this.number();
    this.at += length;
    return this.bytes.toString("utf8", this.at - length, this.at);
  }
}

function number(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

const name = (text) => Buffer.concat([number(Buffer.byteLength(text)), Buffer.from(text)]);

/** Gives the functions that a program imports short names; returns the program and a map from the old names. */
function rename(program) {
  const names = new Map();
  const parts = [program.subarray(0, 8)];
  const reader = new Reader(program, 8);
  while (reader.at < program.length) {
    const start = reader.at;
    const id = reader.bytes[reader.at++];
    const length = reader.number();
    const end = reader.at + length;
    if (id === IMPORTS) {
      const inside = renamed(reader, names);
      parts.push(Buffer.from([id]), number(inside.length), inside);
    } else {
      parts.push(program.subarray(start, end));
    }
    reader.at = end;
  }
  return { program: Buffer.concat(parts), names };
}

function renamed(reader, names) {
  const count = reader.number();
  const entries = [number(count)];
  for (let place = 0; place < count; place++) {
    const module = reader.name();
    const field = reader.name();
    const start = reader.at;
    if (reader.bytes[reader.at++] !== 0) throw new Error(`expected only functions among the imports, found ${module}.${field}`);
    reader.number();
    const short = `$${names.size.toString(36)}`;
    names.set(field, short);
    entries.push(name(module), name(short), reader.bytes.subarray(start, reader.at));
  }
  return Buffer.concat(entries);
}

for (const file of readdirSync(DIST).filter((file) => file.endsWith("_bg.wasm"))) {
  const script = `${DIST}${file.replace("_bg.wasm", ".js")}`;
  const { program, names } = rename(readFileSync(`${DIST}${file}`));
  const found = new Set();
  const text = readFileSync(script, "utf8").replace(/[A-Za-z_$][\w$]*/g, (word) => {
    if (!names.has(word)) return word;
    found.add(word);
    return names.get(word);
  });
  if (found.size !== names.size) throw new Error(`${file} imports ${names.size} functions, of which its script has ${found.size}`);
  if (!WebAssembly.validate(program)) throw new Error(`${file} is no valid program once its imports are renamed`);
  writeFileSync(`${DIST}${file}`, program);
  writeFileSync(script, text);
}

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
