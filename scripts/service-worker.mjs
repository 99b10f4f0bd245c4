// Writes the service worker of a built page: www/sw.js with the list of its files. Tests use it to make a second version.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";

const SOURCE = fileURLToPath(new URL("../www/sw.js", import.meta.url));

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Files below `root` that are part of the page, with slashes, in order; no files for people who read the folder, and no hidden files. */
function files(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(".") && !entry.name.endsWith(".md") && entry.name !== "sw.js")
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length).split(sep).filter(Boolean).join("/"))
    .sort();
}

/** Its version is a hash over all files: their names and contents. */
export async function writeServiceWorker(root) {
  const names = files(root);
  const listed = Object.fromEntries(names.map((name) => [name === "index.html" ? "" : name, sha256(readFileSync(join(root, name)))]));
  const version = sha256(JSON.stringify(listed)).slice(0, 16);
  const [, policy] = readFileSync(join(root, "index.html"), "utf8").match(/Content-Security-Policy" content="([^"]+)"/);
  const script = readFileSync(SOURCE, "utf8").split("\n").filter((line) => !line.startsWith("//")).join("\n");
  const filled = script.replace("FILES", () => JSON.stringify(listed)).replaceAll("VERSION", version).replace("POLICY", () => policy);
  const { code } = await minify(filled, { module: true, compress: { passes: 2 } });
  writeFileSync(join(root, "sw.js"), code);
  return version;
}
