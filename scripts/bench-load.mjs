// How long a visitor waits for the page, and for how many bytes, measured by Chromium itself: a first visit and, with the service worker, a second one, as the machine is and as a slow
// phone would have it. Prints a table, or with --json JSON; --runs=N visits each time (3), of which the medians are told.
//
// Files are served in gzip, as static hosts do. Slow is what Lighthouse calls slow 4G, 1.6 Mbit/s and 150 ms there and back, in a proxy before the server, so that workers and the service
// worker feel it too; and the page's thread at a quarter of its speed, which the workers' are not.
import { launchProfile } from "./chromium.mjs";
import { serve } from "./serve.mjs";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const QUIET_MS = 5000;
const LONG_TASK_MS = 50;
const SLOWER = 4;
const BYTES_A_MS = 1.6e6 / 8 / 1000;
const ROUND_TRIP_MS = 150;
const MINUTES = 5;

const args = Object.fromEntries(process.argv.slice(2).map((arg) => arg.replace(/^--/, "").split("=")));
const unknown = Object.keys(args).find((name) => !["json", "runs", "hash"].includes(name));
if (unknown !== undefined) {
  console.error(`error: unknown option --${unknown}: --json, --runs=N and --hash=view=train are known`);
  process.exit(2);
}
const runs = Number(args.runs ?? 3);

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** What the page is told of itself, from its first moment on. */
function watch() {
  const seen = (self.seen = { tasks: [], shifts: [], lcp: 0, usable: 0, model: 0 });
  const observe = (type, each) => new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  observe("longtask", ({ startTime, duration }) => seen.tasks.push([startTime, duration]));
  observe("layout-shift", ({ value, hadRecentInput, sources, startTime }) => {
    const name = (node) => (node?.nodeType === 1 ? `${node.localName}${node.id && `#${node.id}`}${[...node.classList].map((name) => `.${name}`).join("")}` : String(node?.nodeName));
    if (!hadRecentInput) seen.shifts.push({ value, startTime, what: sources.map(({ node }) => name(node)) });
  });
  observe("largest-contentful-paint", ({ startTime }) => (seen.lcp = startTime));
  const ready = (name) => [...document.querySelectorAll("button")].some((button) => button.textContent.trim() === name && !button.disabled);
  const look = () => {
    if (!seen.usable && ready("Train")) seen.usable = performance.now();
    if (!seen.model && ready("Complete")) seen.model = performance.now();
    if (!seen.usable || !seen.model) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** The first moment from `usable` on, after which nothing keeps the page's thread for 50 ms in the next five seconds. */
function interactive(usable, tasks) {
  let from = usable;
  for (const [start, length] of tasks) if (start + length > from && start < from + QUIET_MS) from = start + length;
  return from;
}

async function visit(context, url, slow, served) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  if (slow) await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await page.addInitScript(watch);
  served.length = 0;
  await page.goto(url, { timeout: MINUTES * 60_000 });
  await page.waitForFunction(() => self.seen.usable && self.seen.model, undefined, { timeout: MINUTES * 60_000, polling: 500 });
  // The rest, and the five quiet seconds.
  while (!(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === "activated"))) await page.waitForTimeout(500);
  await page.waitForTimeout(QUIET_MS + 500);
  const { seen, fcp } = await page.evaluate(() => ({ seen: self.seen, fcp: performance.getEntriesByName("first-contentful-paint")[0]?.startTime }));
  await page.close();
  const bytes = (requests) => requests.reduce((sum, request) => sum + request.bytes, 0) / 1000;
  // The service worker comes when the model has.
  const before = served.slice(0, served.findIndex(({ path }) => path === "/sw.js")).filter(({ path }) => !path.endsWith(".safetensors"));
  return {
    first_contentful_paint_ms: fcp,
    largest_contentful_paint_ms: seen.lcp,
    usable_ms: seen.usable,
    interactive_ms: interactive(seen.usable, seen.tasks),
    model_ms: seen.model,
    longest_task_ms: Math.max(0, ...seen.tasks.map(([, length]) => length)),
    blocking_ms: seen.tasks.reduce((sum, [, length]) => sum + Math.max(0, length - LONG_TASK_MS), 0),
    layout_shift: seen.shifts.reduce((sum, { value }) => sum + value, 0),
    kb_before_the_model: bytes(before),
    kb_in_all: bytes(served),
    shifts: seen.shifts,
  };
}

/** A slow line to a port: what comes back waits for what came before it, on all connections, and everything for the way. Resolves to its server. */
function slowLine(port) {
  let free = 0;
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    let met = 2; // ways for making the connection
    near.on("data", (chunk) => setTimeout(() => far.write(chunk), (ROUND_TRIP_MS / 2) * (1 + met)).unref());
    far.on("data", (chunk) => {
      met = 0;
      free = Math.max(free, performance.now()) + chunk.length / BYTES_A_MS;
      far.pause();
      setTimeout(() => far.resume(), free - performance.now());
      setTimeout(() => near.write(chunk), free - performance.now() + ROUND_TRIP_MS / 2);
    });
    for (const [one, other] of [[near, far], [far, near]]) one.on("error", () => {}).on("close", () => setTimeout(() => other.end(), 2 * ROUND_TRIP_MS));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function measured(slow) {
  const visits = { first: [], second: [] };
  for (let run = 0; run < runs; run++) {
    const served = [];
    const server = await serve({ gzip: true, ...(process.env.DIST && { root: process.env.DIST }) });
    server.on("request", (request, response) => {
      const entry = { path: request.url.split("?")[0], bytes: 0 };
      served.push(entry);
      const { socket } = request;
      const before = socket.bytesWritten;
      response.on("close", () => (entry.bytes = socket.bytesWritten - before));
    });
    const line = slow ? await slowLine(server.address().port) : server;
    const folder = mkdtempSync(join(tmpdir(), "dbm-load-"));
    const url = `http://127.0.0.1:${line.address().port}/${args.hash ? `#${args.hash}` : ""}`;
    try {
      for (const which of ["first", "second"]) {
        // A browser of its own each, so that nothing but what is stored helps the second.
        const context = await launchProfile(folder, { viewport: { width: 1280, height: 800 } });
        visits[which].push(await visit(context, url, slow, served));
        await context.close();
      }
    } finally {
      server.closeAllConnections();
      for (const open of new Set([server, line])) open.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }); // the browser may still be writing
    }
  }
  const names = Object.keys(visits.first[0]).filter((name) => name !== "shifts");
  return Object.fromEntries(
    Object.entries(visits).map(([which, all]) => [which, { ...Object.fromEntries(names.map((name) => [name, median(all.map((one) => one[name]))])), shifts: all[0].shifts }]),
  );
}

const report = { runs, unthrottled: await measured(false), throttled: await measured(true) };
if ("json" in args) {
  console.log(JSON.stringify(report, null, 2));
} else {
  const columns = [report.unthrottled.first, report.unthrottled.second, report.throttled.first, report.throttled.second];
  const row = (name, cells) => console.log(`${name.padEnd(44)}${cells.map((cell) => String(cell).padStart(16)).join("")}`);
  row(`medians of ${runs}`, ["first visit", "second visit", "slow, first", "slow, second"]);
  for (const [name, field, text] of [
    ["first contentful paint, s", "first_contentful_paint_ms", (ms) => (ms / 1000).toFixed(2)],
    ["largest contentful paint, s", "largest_contentful_paint_ms", (ms) => (ms / 1000).toFixed(2)],
    ["Train can be pressed, s", "usable_ms", (ms) => (ms / 1000).toFixed(2)],
    ["interactive (and 5 s without a long task), s", "interactive_ms", (ms) => (ms / 1000).toFixed(2)],
    ["the pretrained model can complete, s", "model_ms", (ms) => (ms / 1000).toFixed(2)],
    ["longest task, ms", "longest_task_ms", (ms) => ms.toFixed(0)],
    ["total blocking time, ms", "blocking_ms", (ms) => ms.toFixed(0)],
    ["cumulative layout shift", "layout_shift", (shift) => shift.toFixed(4)],
    ["transferred before the model, kB", "kb_before_the_model", (kb) => kb.toFixed(0)],
    ["transferred in all, kB", "kb_in_all", (kb) => kb.toFixed(0)],
  ]) row(name, columns.map((column) => text(column[field])));
  for (const [name, { first, second }] of Object.entries({ unthrottled: report.unthrottled, throttled: report.throttled })) {
    for (const [which, { shifts }] of Object.entries({ first, second })) {
      for (const { value, startTime, what } of shifts) console.log(`${name}, ${which} visit: shifted ${value.toFixed(4)} at ${startTime.toFixed(0)} ms: ${what.join(", ")}`);
    }
  }
}
