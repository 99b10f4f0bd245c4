// Makes the built page one without inline script, as its Content-Security-Policy wants: what Trunk writes into index.html becomes a file beside it.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const INLINE = /<script type="module">([\s\S]*?)<\/script>/g;

const page = readFileSync(`${DIST}index.html`, "utf8");
const scripts = [...page.matchAll(INLINE)];
if (scripts.length !== 1) throw new Error(`expected the one inline script that starts the page in dist/index.html, found ${scripts.length}`);
const [whole, script] = scripts[0];
const name = `start-${createHash("sha256").update(script).digest("hex").slice(0, 16)}.js`;
writeFileSync(`${DIST}${name}`, `${script.trim()}\n`);
writeFileSync(`${DIST}index.html`, page.replace(whole, () => `<script type="module" src="./${name}"></script>`));
