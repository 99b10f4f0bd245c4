// What a visitor feels: how smooth the built page stays while it trains at full speed in Chromium, how long 400 steps and a completion take from press to picture. Prints the
// numbers, or with --json JSON. --data=FILE is trained on (any that the page reads; generated digits without it), --screenshots=FOLDER keeps what was seen.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { measure } from "./measure.mjs";

const WINDOW = { width: 1280, height: 800 };
const TRACED_SECONDS = 10;
const LONG_TASK_MS = 50;
const TURNS = 5;
const TURN_SECONDS = 6;
const SHARDS = 4; // of a batch of 100: no more workers than that share a step
const STEPS = 400;
/** Where `Answer` stands among the variants of `dbm_protocol::Reply`, and `Completions` among those of `dbm_protocol::Event`. */
const COMPLETIONS_ANSWER = "3,11";
const COMPLETIONS = 15;
const MINUTES = 5; // for anything, on a slow machine

const args = Object.fromEntries(process.argv.slice(2).map((arg) => arg.replace(/^--/, "").split("=")));
const unknown = Object.keys(args).find((name) => !["json", "data", "screenshots"].includes(name));
if (unknown !== undefined) {
  console.error(`error: unknown option --${unknown}: --json, --data=FILE and --screenshots=FOLDER are known`);
  process.exit(2);
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const rounded = (x) => Math.round(10 * x) / 10;
const button = (page, name) => page.getByRole("button", { name, exact: true }).and(page.locator(":enabled"));
const counter = (page) => page.getByLabel("Gradient steps", { exact: true });

async function open(browser, url) {
  const context = await browser.newContext({ viewport: WINDOW });
  const page = await context.newPage();
  // When the worker's answers arrive, seen from beside the page: a message begins with the version, the id of its request if there is one, and the places of its two variants.
  await page.addInitScript((completions) => {
    const kind = (bytes) => {
      let at = 0;
      const number = () => {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
          const byte = bytes[at++];
          value += (byte & 127) * 2 ** shift;
          if (byte < 128) return value;
        }
      };
      number();
      if (bytes[at++] === 1) number();
      return `${number()},${number()}`;
    };
    window.Worker = class extends Worker {
      constructor(...how) {
        super(...how);
        this.addEventListener("message", ({ data }) => {
          if (data?.[0] instanceof Uint8Array && kind(data[0]) === completions) window.answered?.();
        });
      }
    };
  }, COMPLETIONS_ANSWER);
  page.setDefaultTimeout(MINUTES * 60_000);
  const started = Date.now();
  await page.goto(url);
  await button(page, "Train").waitFor();
  const interactive = Date.now() - started;
  await button(page, "Complete").waitFor();
  return { context, page, interactive };
}

/** The settings of the benchmark mnist-500, so that speeds can be compared. */
async function asInTheBenchmark(page) {
  const summaries = page.locator("form details:not([open]) > summary");
  while ((await summaries.count()) > 0) await summaries.first().click();
  for (const [label, value] of [["Hidden layers", "500, 500"], ["Batch size", "100"], ["Weight decay", "0"], ["Averaging", ""], ["Conditional share", "0"]]) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
}

/** Main-thread tasks of the page, in milliseconds, from a trace. */
function mainThreadTasks(trace) {
  const events = JSON.parse(trace.toString()).traceEvents;
  const mains = new Set(events.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain").map((e) => `${e.pid}/${e.tid}`));
  return events
    .filter((e) => e.ph === "X" && e.name.endsWith("RunTask") && mains.has(`${e.pid}/${e.tid}`))
    .map((e) => e.dur / 1000);
}

/** The lab's page, training as the benchmark does, past its first steps. */
async function training(browser, url) {
  const { context, page } = await open(browser, url);
  await asInTheBenchmark(page);
  await button(page, "Train").click();
  await page.waitForFunction((label) => Number(document.querySelector(`[aria-label="${label}"]`).textContent) >= 40, "Gradient steps");
  return { context, page };
}

/** Steps a second in the lab, which shows what it does, and in the benchmark, which shows nothing, in turns. */
async function speeds(browser, url) {
  const [lab, bench] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    const { context, page } = await training(browser, url);
    const [start, before] = [Date.now(), Number(await counter(page).textContent())];
    await page.waitForTimeout(1000 * TURN_SECONDS);
    lab.push((Number(await counter(page).textContent()) - before) / ((Date.now() - start) / 1000));
    await page.goto(`${url}?bench=mnist-500&workers=${Math.min(availableParallelism(), SHARDS)}&warm-up=40&steps=60&runs=5`);
    const report = JSON.parse(await page.locator("#bench-result").textContent());
    bench.push(report.rows[0].steps_per_second.median);
    await context.close();
  }
  return { lab, bench, ratio_of_medians: median(lab) / median(bench) };
}

/** Trains at full speed for a while: frames a second, and tasks of the main thread. */
async function smoothness(browser, url, screenshots) {
  const { context, page } = await training(browser, url);
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"] });
  const watched = await page.evaluate(async (seconds) => {
    const start = performance.now();
    let [frames, last, longest] = [0, start, 0];
    while (last - start < 1000 * seconds) {
      const time = await new Promise(requestAnimationFrame).then(() => performance.now());
      longest = Math.max(longest, time - last);
      [frames, last] = [frames + 1, time];
    }
    const elapsed = (last - start) / 1000;
    return { frames_per_second: frames / elapsed, longest_frame_ms: longest };
  }, TRACED_SECONDS);
  const tasks = mainThreadTasks(await browser.stopTracing());
  if (screenshots) await page.screenshot({ path: join(screenshots, "training.png") });
  await context.close();
  if (tasks.length === 0) throw new Error("the trace has no tasks of the main thread: this Chromium writes other names than were expected");
  return {
    ...watched,
    main_thread_tasks: tasks.length,
    longest_task_ms: Math.max(...tasks),
    [`tasks_above_${LONG_TASK_MS}_ms`]: tasks.filter((ms) => ms > LONG_TASK_MS).length,
  };
}

/** From the press of Train to the 400th step, with the page's own settings and with those of the benchmark. */
async function hurry(browser, url, data, screenshots, settings) {
  const { context, page } = await open(browser, url);
  if (data) {
    await page.getByLabel("Upload data set", { exact: true }).setInputFiles({ name: "data", mimeType: "application/octet-stream", buffer: readFileSync(data) });
    await button(page, "Use this data").click();
    await page.getByText("Now training on").first().waitFor();
  }
  if (settings === "benchmark") await asInTheBenchmark(page);
  const started = Date.now();
  await button(page, "Train").click();
  await page.waitForFunction(([label, steps]) => Number(document.querySelector(`[aria-label="${label}"]`).textContent) >= steps, ["Gradient steps", STEPS], { polling: "raf" });
  const seconds = (Date.now() - started) / 1000;
  const at = Number(await counter(page).textContent());
  await page.waitForTimeout(500); // the next samples
  if (screenshots) await page.screenshot({ path: join(screenshots, `train-${settings}.png`), fullPage: true });
  await context.close();
  return { settings, steps: at, seconds };
}

/** From the press of Complete to the answers on the page, and what of it the worker computed. */
async function completions(browser, url, screenshots, way) {
  const { context, page, interactive } = await open(browser, url);
  await page.locator("details.completion-more > summary").click();
  await page.locator("#answers").selectOption("16");
  await page.locator("#by").selectOption(way);
  const [pressed, computed] = [[], []];
  for (let i = 0; i < COMPLETIONS; i++) {
    const took = await page.evaluate(async () => {
      const press = [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === "Complete");
      const answered = new Promise((resolve) => (window.answered = resolve));
      const before = performance.now();
      press.click();
      await answered;
      // They are drawn in the next frame; the one after it begins when that is done.
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return [performance.now() - before, document.querySelector(".answers-status").textContent];
    });
    pressed.push(took[0]);
    const [, number, unit] = took[1].match(/in ([\d.]+) (ms|s)/);
    computed.push(Number(number) * (unit === "s" ? 1000 : 1));
    const [, answers] = took[1].match(/of (\d+),/);
    if (Number(answers) !== 16) throw new Error(`16 answers were expected, ${answers} came`);
  }
  if (screenshots) await page.screenshot({ path: join(screenshots, "complete.png") });
  await context.close();
  return { way, answers: 16, presses: COMPLETIONS, median_ms_press_to_picture: median(pressed), median_ms_computed: median(computed), interactive_ms: interactive };
}

await measure(async (browser, url) => {
  const report = {
    completion: [await completions(browser, url, args.screenshots, "search"), await completions(browser, url, undefined, "gibbs")],
    smoothness: await smoothness(browser, url, args.screenshots),
    steps_per_second: await speeds(browser, url),
    to_step_400: [await hurry(browser, url, args.data, args.screenshots, "benchmark"), await hurry(browser, url, args.data, args.screenshots, "page")],
    data: args.data ? "as given" : "generated digits",
  };
  if ("json" in args) {
    console.log(JSON.stringify(report, null, 2));
  } else {
    const { completion, smoothness, steps_per_second: speed, to_step_400: runs } = report;
    for (const { way, answers, median_ms_computed: computed, median_ms_press_to_picture: pressed } of completion) {
      const how = way === "search" ? "search only" : "100 Gibbs sweeps, then search";
      console.log(`completion, ${how}: ${answers} answers in ${rounded(computed)} ms, ${rounded(pressed)} ms from press to picture (medians of ${COMPLETIONS})`);
    }
    console.log(`training at full speed, ${WINDOW.width} x ${WINDOW.height}: ${rounded(smoothness.frames_per_second)} frames a second, the longest ${rounded(smoothness.longest_frame_ms)} ms;`);
    console.log(`  longest of ${smoothness.main_thread_tasks} tasks of the main thread ${rounded(smoothness.longest_task_ms)} ms`);
    const turns = (values) => values.map((rate) => rate.toFixed(1)).join(" / ");
    console.log(`steps a second in the lab ${turns(speed.lab)}, in the benchmark ${turns(speed.bench)}: ${speed.ratio_of_medians.toFixed(2)} of its speed (medians)`);
    for (const { settings, steps, seconds } of runs) console.log(`Train to step ${STEPS} (${settings} settings, ${report.data}): ${rounded(seconds)} s, at step ${steps} then`);
    console.log(`the page can be used ${completion[0].interactive_ms} ms after it was opened`);
  }
});
