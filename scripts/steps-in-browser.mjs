// Measures how long a training step takes in a browser: opens the built page's Train view with a run in its address, and compares the
// page's own counter of steps with the clock. This measures training as a visitor has it, with samples and curves; nothing in the page
// exists for this purpose.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "./engines.mjs";
import { DIST, serve } from "./serve.mjs";

/** More steps than any measurement takes. */
const FAR = 1_000_000;
/** Milliseconds between two checks whether the page has measured enough. */
const LOOK_MS = 200;
/** Time limit in minutes for one measurement, on a slow machine. */
const MINUTES = 10;
/** The page's name for the worker that owns the run, and how a worker's name gives the number of workers that share its runs: dbm-web/src/worker. */
const [OWNER, WORKER_COUNT] = ["dbm-lab", "dbm-workers-"];

/**
 * Runs in the page before its own scripts: the worker that owns the run starts no more helpers than its new name allows. `?workers=N` in
 * the address sets how many may share the run.
 */
function limitWorkers(owner, prefix) {
  const count = new URLSearchParams(location.search).get("workers");
  const { Worker } = window;
  window.Worker = class extends Worker {
    constructor(url, options) {
      const owns = options?.name === owner;
      super(url, owns ? { ...options, name: prefix + count } : options);
      if (owns) window.workersLimited = true;
    }
  };
}

/** The same as a script. */
export const LIMIT_WORKERS = `(${limitWorkers})(${JSON.stringify(OWNER)}, ${JSON.stringify(WORKER_COUNT)});`;

/** The built page in a temporary folder, with that script before all others. */
function pageThatLimitsWorkers() {
  const folder = mkdtempSync(join(tmpdir(), "dbm-steps-"));
  for (const name of readdirSync(DIST).filter((name) => name !== "index.html")) symlinkSync(join(DIST, name), join(folder, name));
  // A file: the page's policy allows no inline script.
  writeFileSync(join(folder, "limit-workers.js"), LIMIT_WORKERS);
  const page = readFileSync(join(DIST, "index.html"), "utf8");
  writeFileSync(join(folder, "index.html"), page.replace(/<head>/, '<head><script src="limit-workers.js"></script>'));
  return folder;
}

/** Runs in the page: records step and time each time the counter has advanced by this many steps, after the warm-up steps. */
function watchSteps(warmUp, steps, runs) {
  const counter = document.querySelector("output[aria-label='Gradient steps']");
  if (!counter || !window.workersLimited) return false;
  const marks = [];
  const note = () => {
    const now = Number(counter.textContent);
    const next = marks.length ? marks.at(-1).step + steps : warmUp;
    if (marks.length <= runs && now >= next) marks.push({ step: now, time: performance.now() });
  };
  new MutationObserver(note).observe(counter, { childList: true, characterData: true, subtree: true });
  window.stepMarks = marks;
  return true;
}

/** What the page reports while it trains: the number of workers. */
const workersSaid = () => Number(document.querySelector(".transport")?.innerText.match(/a second, on (\d+) workers/)?.[1] ?? 1);

/**
 * Milliseconds per step of 784-HIDDEN with the settings of `dbm bench` in this engine, as the median of `runs` measurements of at least
 * `steps` steps each, after `warmUp`; and the engine's version. The run is shared by `workers` workers, which is checked.
 */
export async function millisecondsPerStep(name, { hidden, workers, warmUp, steps, runs }) {
  const folder = pageThatLimitsWorkers();
  const [server, engine] = [await serve({ root: folder }), await open(name)];
  try {
    const run = { "t.hidden": hidden.join(), "t.decay": 0, "t.average": "", "t.conditional": 0, "t.go": FAR };
    const keys = Object.entries(run).map(([key, value]) => `&${key}=${value}`).join("");
    // An embedded view stores nothing in the browser: no checkpoint is written, and no service worker fetches the page again.
    await engine.go(`http://127.0.0.1:${server.address().port}/?embed=train&workers=${workers}#view=train${keys}`);
    await engine.until("the counter of steps", watchSteps, warmUp, steps, runs);
    const end = Date.now() + 60_000 * MINUTES;
    let marks = [];
    while (marks.length <= runs) {
      if (Date.now() > end) {
        const shown = (await engine.text()).slice(0, 1500);
        throw new Error(`${name}: not yet ${runs} measurements after ${MINUTES} minutes; the page shows: ${shown}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      marks = await engine.evaluate(() => window.stepMarks);
    }
    const shared = await engine.evaluate(workersSaid);
    if (shared !== workers) throw new Error(`${name}: ${workers} workers were to share the run, but ${shared} did`);
    const each = marks.slice(1).map((mark, at) => (mark.time - marks[at].time) / (mark.step - marks[at].step));
    return { version: engine.version, milliseconds: each.sort((a, b) => a - b)[Math.floor(each.length / 2)] };
  } finally {
    await engine.close();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
}
