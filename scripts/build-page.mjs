// Builds the page from what index.html lists, and splits its program: each view that is not shown first is a separate file.
//
//     node scripts/build-page.mjs [--quick] FOLDER     (--quick: without link-time optimization and wasm-opt, for work on the page and tests)
//
// cargo compiles all programs at once; page-tools splits the page's program and writes the JavaScript next to each; wasm-opt shrinks what
// computes little and speeds up what computes; finish-page.mjs does the rest. `run` calls this script, also as Trunk's hook: Trunk has
// placed all files but the programs in TRUNK_STAGING_DIR by then. RUSTUP_TOOLCHAIN names the toolchain with the wasm target, PAGE_TOOLS and
// WASM_OPT are the commands.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { finishPage } from "./finish-page.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const { PAGE_TOOLS, WASM_OPT, TRUNK_STAGING_DIR } = process.env;
const { values: { quick }, positionals: [folder] } = parseArgs({ options: { quick: { type: "boolean" } }, allowPositionals: true });
const DIST = TRUNK_STAGING_DIR ?? join(ROOT, folder);
const PROFILE = quick ? "web-quick" : "web";
const BUILT = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "wasm32-unknown-unknown", PROFILE);
const STAGE = join(BUILT, "page");
const FEATURES = ["--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-simd"];

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
const empty = (folder) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
};

/** Runs a command to the end; its output goes where ours does. */
const run = (command, ...words) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: ROOT, stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${command} ${words.join(" ")}: exit status ${code}`))));
  });

/** The attributes of an element; those without a value are true. */
const attributes = (element) => Object.fromEntries([...element.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].slice(1).map(([, name, value]) => [name, value ?? true]));

const ASSET = /^ *<link data-trunk [^>]*>\n/gm;
const source = readFileSync(join(ROOT, "index.html"), "utf8");
const assets = [...source.matchAll(ASSET)].map(([element]) => ({ element, ...attributes(element) }));
const programs = assets.filter(({ rel }) => rel === "rust").map(({ href, "data-type": type }) => ({ name: href.split("/").at(-2), isWorker: type === "worker" }));

/** What Trunk does with a file: it becomes part of the page, and its element, if it leaves one, names it. */
const PLACE = {
  css({ href, "data-later": later }) {
    const bytes = readFileSync(join(ROOT, href));
    const file = basename(href).replace(".css", `-${hash(bytes)}.css`);
    writeFileSync(join(DIST, file), bytes);
    return `    <link rel="stylesheet" href="./${file}"${later ? " data-later" : ""}>\n`;
  },
  "copy-file": ({ href }) => cpSync(join(ROOT, href), join(DIST, basename(href))),
  "copy-dir": ({ href }) => cpSync(join(ROOT, href), join(DIST, basename(href)), { recursive: true }),
  rust: () => {},
};

/** The page with all files but the programs. */
function placeFiles() {
  empty(DIST);
  return assets.reduce((page, asset) => {
    if (!PLACE[asset.rel]) throw new Error(`index.html lists an asset of a kind that scripts/build-page.mjs does not know: ${asset.element.trim()}`);
    return page.replace(asset.element, () => PLACE[asset.rel](asset) ?? "");
  }, source);
}

/** The JavaScript next to a program, and the program without the parts that only that was generated from. */
const bind = (wasm, name, ...options) => run(PAGE_TOOLS, "bind", wasm, name, DIST, ...options);

/** A worker keeps its file name, by which the page starts it. */
async function placeWorker({ name }) {
  await bind(join(BUILT, `${name}.wasm`), name);
  writeFileSync(join(DIST, `${name}_loader.js`), `import init from './${name}.js';await init();`);
}

/**
 * The page's program: a file that starts it and files that are loaded later, all named after one hash, because they only fit each other.
 * Resolves to the elements that fetch it early.
 */
async function placeProgram({ name }) {
  const whole = join(BUILT, `${name}.wasm`);
  const versioned = `${name}-${hash(readFileSync(whole))}`;
  empty(STAGE);
  await run(PAGE_TOOLS, "split", whole, versioned, STAGE);
  await bind(join(STAGE, `${versioned}.wasm`), versioned, "--keep-lld-exports"); // its table and memory are shared by the parts
  const rename = (file) => `${versioned}-${file.replace(/^_+/, "")}`;
  const parts = readdirSync(STAGE).filter((file) => file !== `${versioned}.wasm`);
  for (const file of parts.filter((file) => file.endsWith(".wasm"))) cpSync(join(STAGE, file), join(DIST, rename(file)));
  const renamed = (script) => parts.reduce((text, file) => text.replaceAll(`./${file}`, `./${rename(file)}`), script);
  for (const file of parts.filter((file) => file.endsWith(".js"))) writeFileSync(join(DIST, rename(file)), renamed(readFileSync(join(STAGE, file), "utf8")));
  // Only where it fetches them: the program still uses the names from page-tools.
  const script = join(DIST, `${versioned}.js`);
  writeFileSync(script, readFileSync(script, "utf8").replace(/\bfrom ['"][^'"]+['"]/g, renamed));
  return `    <link rel="modulepreload" href="./${versioned}.js" crossorigin="anonymous">\n    <link rel="preload" href="./${versioned}_bg.wasm" crossorigin="anonymous" as="fetch" type="application/wasm">\n`;
}

/** Programs that compute are optimized for speed, all others for size. */
const optimize = (file) => run(WASM_OPT, /^dbm-(worker|diagnostics)/.test(file) ? "-O3" : "-Oz", ...FEATURES, join(DIST, file), "-o", join(DIST, file));

const page = TRUNK_STAGING_DIR ? readFileSync(join(DIST, "index.html"), "utf8").replaceAll(ASSET, "") : placeFiles();
await run("cargo", "build", "--target", "wasm32-unknown-unknown", "--profile", PROFILE, ...programs.flatMap(({ name }) => ["--package", name]), "--features", "dbm-web/split");
let early = "";
for (const program of programs) early += program.isWorker ? ((await placeWorker(program)), "") : await placeProgram(program);
writeFileSync(join(DIST, "index.html"), page.replace(/ *<\/head>/, () => `${early}  </head>`));

if (!quick) {
  const waiting = readdirSync(DIST).filter((file) => file.endsWith(".wasm"));
  const lane = async () => {
    for (let file = waiting.pop(); file; file = waiting.pop()) await optimize(file);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
}
await finishPage(DIST);
