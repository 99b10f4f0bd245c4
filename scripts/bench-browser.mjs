// Times training in Chromium: opens the built page's benchmarks one after another and prints what they measured, as a table or,
// with --json, as JSON. --steps=N, --runs=N and --warm-up=N go on to the page; DIST names another build than dist/.
// --scale goes through widths and depths instead, and writes the table that `dbm bench --scale --browser` draws to --csv=FILE.
import { writeFileSync } from "node:fs";
import { scale } from "./bench-scale.mjs";
import { measure } from "./measure.mjs";

const PRESETS = ["mnist-500", "mnist-1000"];
const MINUTES = 10; // for one preset, on a slow machine

const COLUMNS = [
  ["preset", ({ preset }) => preset],
  ["workers", (_, row) => row.workers],
  ["steps/s", (_, row) => row.steps_per_second.median],
  ["min", (_, row) => row.steps_per_second.min],
  ["max", (_, row) => row.steps_per_second.max],
  ["ms/step", (_, row) => row.milliseconds_per_step],
  ["search +", (_, row) => row.milliseconds.positive_search],
  ["search -", (_, row) => row.milliseconds.negative_search],
  ["coupling", (_, row) => row.milliseconds.coupling],
  ["update", (_, row) => row.milliseconds.update],
  ["other", (_, row) => row.milliseconds.other],
  ["T +", (_, row) => row.sweeps.positive],
  ["T -", (_, row) => row.sweeps.negative],
];

async function time(browser, url, preset, options) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}?${[`bench=${preset}`, ...options].join("&")}`);
  const result = page.locator("#bench-result");
  await result.or(page.getByRole("alert")).first().waitFor({ timeout: MINUTES * 60_000 });
  if ((await result.count()) === 0) throw new Error(`${preset}: ${await page.getByRole("alert").first().textContent()}`);
  const report = JSON.parse(await result.textContent());
  await context.close();
  return report;
}

function print(reports) {
  const text = (cell) => (typeof cell === "number" && !Number.isInteger(cell) ? cell.toFixed(2) : String(cell));
  const rows = reports.flatMap((report) => report.rows.map((row) => COLUMNS.map(([, of]) => text(of(report, row)))));
  const table = [COLUMNS.map(([name]) => name), ...rows];
  const widths = COLUMNS.map((_, at) => Math.max(...table.map((cells) => cells[at].length)));
  for (const cells of table) console.log(cells.map((cell, at) => (at ? cell.padStart(widths[at]) : cell.padEnd(widths[at]))).join("  "));
  const [{ cross_origin_isolated: isolated, hardware_concurrency: threads, user_agent: agent }] = reports;
  console.log(`\nsearch, coupling, update and other in ms a step; + data clamped, - free; T in sweeps`);
  console.log(`${agent}; ${threads} threads; ${isolated ? "" : "not "}isolated from other origins`);
}

const json = process.argv.includes("--json");
const scaling = process.argv.includes("--scale");
const options = process.argv.slice(2).filter((option) => option !== "--json" && option !== "--scale");
const known = scaling ? /^--(?:(?:widths|depths|batches)=[1-9]\d*(?:,[1-9]\d*)*|csv=.+)$/ : /^--(steps|runs|warm-up)=\d+$/;
const unknown = options.find((option) => !known.test(option));
if (unknown !== undefined) {
  const names = scaling ? "--json, --csv=FILE, --widths=N,N, --depths=N,N and --batches=N,N" : "--json, --steps=N, --runs=N and --warm-up=N";
  console.error(`error: unknown option ${unknown}: ${names} are known`);
  process.exit(2);
}
/** All shapes, as the table that `dbm bench --scale --browser` draws. */
async function tabulate(url) {
  const given = (name) => options.find((option) => option.startsWith(`--${name}=`))?.slice(name.length + 3);
  const list = (name) => given(name)?.split(",").map(Number);
  const shapes = { widths: list("widths"), depths: list("depths"), batches: list("batches") };
  const table = await scale(url, shapes, (point) => {
    if (json) console.log(JSON.stringify(point));
    else console.error(`${point.depth} x ${point.width}, batch ${point.batch}: ${point.skipped ?? `${point.milliseconds_per_step} ms a step`}`);
  });
  if (given("csv")) writeFileSync(given("csv"), table);
  else if (!json) process.stdout.write(table);
}

await measure(async (browser, url) => {
  if (scaling) return tabulate(url);
  const reports = [];
  for (const preset of PRESETS) reports.push(await time(browser, url, preset, options.map((option) => option.slice(2))));
  if (json) console.log(JSON.stringify(reports, null, 2));
  else print(reports);
});
