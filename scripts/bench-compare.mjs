// dbm natively, the page in Chromium on one worker and on all, and PyTorch at the same work, in turns, so that a machine that is busy with something else for a while is so for all.
//     node scripts/bench-compare.mjs DBM PYTHON THREADS
import { spawnSync } from "node:child_process";
import { measure } from "./measure.mjs";

const PRESETS = ["mnist-500", "mnist-1000"];
const TURNS = 3;
const PROTOCOL = { "warm-up": 30, steps: 20, runs: 3 };
const SHARDS = 4; // of a batch of 100: no more workers than that share a step
const RIVAL = "PyTorch";

const [dbm, python, threadsGiven] = process.argv.slice(2);
const threads = Number(threadsGiven);
if (!dbm || !python || !(threads >= 1)) {
  console.error("error: the command dbm, a Python with torch and a number of threads were expected: use ./run bench compare");
  process.exit(2);
}

/** The one line of JSON that a command ends with. */
function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

async function inChromium(browser, url, preset) {
  const all = Math.min(threads, SHARDS);
  const context = await browser.newContext();
  const page = await context.newPage();
  const counts = all > 1 ? `1,${all}` : "1";
  const protocol = Object.entries(PROTOCOL).map(([name, value]) => `&${name}=${value}`);
  await page.goto(`${url}?bench=${preset}&workers=${counts}${protocol.join("")}`);
  const result = page.locator("#bench-result");
  await result.waitFor({ timeout: 600_000 });
  const { rows } = JSON.parse(await result.textContent());
  await context.close();
  return rows.map((row) => [`Chromium, ${row.workers} worker${row.workers > 1 ? "s" : ""}`, row.milliseconds_per_step]);
}

const options = Object.entries(PROTOCOL).flatMap(([name, value]) => [`--${name}`, String(value)]);
await measure(async (browser, url) => {
  console.log(`milliseconds a step: the median of each of ${TURNS} turns; ratios are of the medians of these`);
  for (const preset of PRESETS) {
    const times = new Map();
    const add = (name, ms) => times.set(name, [...(times.get(name) ?? []), ms]);
    for (let turn = 0; turn < TURNS; turn++) {
      const common = ["--json", "--preset", preset, "--threads", String(threads), ...options];
      add(`dbm, ${threads} threads`, run(dbm, ["bench", ...common]).milliseconds_per_step);
      add(RIVAL, run(python, ["benches/pytorch_baseline.py", ...common]).milliseconds_per_step);
      for (const [name, ms] of await inChromium(browser, url, preset)) add(name, ms);
    }
    const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
    const theirs = median(times.get(RIVAL));
    console.log(`\n${preset}`);
    for (const [name, values] of times) {
      const who = name === RIVAL ? `${RIVAL}, ${threads} threads` : name;
      const turns = values.map((ms) => ms.toFixed(1)).join(" / ");
      console.log(`  ${who.padEnd(22)}${turns.padStart(24)}   ${(theirs / median(values)).toFixed(2)} times ${RIVAL}`);
    }
  }
});
