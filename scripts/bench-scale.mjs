// Time and memory of a training step in Chromium by width, depth and batch: a fresh browser for each point, so that the peak of its
// page's process is that point's.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { launch } from "./chromium.mjs";

const VISIBLE = 784;
const USUAL = { widths: [250, 500, 1000, 2000, 4000], depths: [1, 2, 3, 4], batches: [100, 1000] };
const DEPTH_OF_LARGE_BATCH = 2; // every batch but the first goes with this depth alone, as in `dbm bench --scale`
const SHARD = 32; // chains that one worker takes at most
const MOST_WORKERS = 16;
const RUNS = 3; // of one step each, after one to warm up
const MOST_SECONDS = 60; // a step that would take longer is left out
const MINUTES = 15; // for one point, its start included

// The columns that `dbm bench --scale` writes and reads; what is left empty it counts itself.
const COLUMNS = [
  "where",
  "width",
  "depth",
  "batch",
  "workers",
  "parameters",
  "footprint_bytes",
  "milliseconds_per_step",
  "milliseconds_min",
  "milliseconds_max",
  "steps",
  "peak_bytes",
  "skipped",
];

/** Measures every shape, telling `tell` each point; resolves to the table as CSV. */
export async function scale(url, { widths = USUAL.widths, depths = USUAL.depths, batches = USUAL.batches }, tell) {
  const points = [];
  let slowest = 0; // milliseconds a parameter and example, so far
  for (const [place, batch] of batches.entries()) {
    for (const depth of depths.filter((depth) => place === 0 || depth === DEPTH_OF_LARGE_BATCH)) {
      for (const width of widths) {
        const shape = { where: "browser", width, depth, batch, parameters: count(width, depth) };
        const work = shape.parameters * batch;
        const seconds = (slowest * work) / 1000;
        const tooSlow = { skipped: `would take ${seconds.toFixed(0)} s a step` };
        const measured = seconds > MOST_SECONDS ? tooSlow : await measure(url, shape);
        // Small models wait more than they compute: what they take says nothing of larger ones.
        if (measured.milliseconds_per_step > 100) slowest = Math.max(slowest, measured.milliseconds_per_step / work);
        points.push({ ...shape, ...measured });
        tell(points.at(-1));
      }
    }
  }
  const cell = (value) => String(value ?? "").replace(/[,"\s]+/g, " ").trim();
  const rows = points.map((point) => COLUMNS.map((name) => cell(point[name])));
  return [COLUMNS, ...rows].map((cells) => `${cells.join(",")}\n`).join("");
}

/** Weights and biases. */
function count(width, depth) {
  return VISIBLE * width + (depth - 1) * width * width + VISIBLE + depth * width;
}

async function measure(url, { width, depth, batch }) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const hidden = Array(depth).fill(width).join(",");
    const workers = Math.min(availableParallelism(), Math.ceil(batch / SHARD), MOST_WORKERS);
    await page.goto(`${url}?bench=scale&hidden=${hidden}&batch=${batch}&workers=${workers}&steps=1&runs=${RUNS}&warm-up=1`);
    const result = page.locator("#bench-result");
    const alert = page.getByRole("alert");
    await result.or(alert).first().waitFor({ timeout: MINUTES * 60_000 });
    if ((await result.count()) === 0) return { skipped: await alert.first().textContent() };
    const { rows } = JSON.parse(await result.textContent());
    const [row] = rows; // of fewer workers where there is no memory for so many
    return {
      workers: row.workers,
      milliseconds_per_step: row.milliseconds_per_step,
      milliseconds_min: milliseconds(row.steps_per_second.max, row),
      milliseconds_max: milliseconds(row.steps_per_second.min, row),
      steps: RUNS,
      peak_bytes: await peak(browser),
    };
  } catch (error) {
    if (error.name === "TimeoutError") return { skipped: `took more than ${MINUTES} minutes` };
    throw error;
  } finally {
    await browser.close();
  }
}

/** Of a step at this rate. The page rounds rates to a thousandth: of a step of several seconds the median alone is exact enough. */
function milliseconds(rate, { milliseconds_per_step: median }) {
  return median > 2000 ? median : Number((1000 / rate).toFixed(3));
}

/** The most memory that the page's process has held, workers and all, in bytes; undefined where /proc does not tell. */
async function peak(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  const peaks = renderers.map(({ id }) => highWater(id)).filter(Number.isFinite);
  return peaks.length > 0 ? Math.max(...peaks) : undefined;
}

function highWater(process) {
  try {
    return 1024 * Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${process}/status`, "utf8"))?.[1]);
  } catch {
    return Number.NaN; // ended meanwhile, or no Linux
  }
}
