// The visitor's own GPU, with Chromium's adapter that computes on the processor: its program is fetched only if it is chosen, both are
// timed, a run continues there, and a lost device costs no more than the steps since the last checkpoint.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SOFTWARE_GPU, launch } from "../../scripts/chromium.mjs";
import { button, enabled, lab, slowly, steps, trainSteps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const BARS = "#view=train&t.data=bars";
const PROGRAM = /dbm-gpu-worker/;
/** The adapter computes on the processor, alongside other tests, and takes its time. */
const SLOW = { timeout: 300_000 };

let browser;
let adapter;

before(async () => {
  if (!process.env.SLOW) return; // no test needs it
  browser = await launch(SOFTWARE_GPU);
  const page = await browser.newPage();
  await page.goto("chrome://version");
  adapter = await page.evaluate(async () => Boolean(await navigator.gpu?.requestAdapter()));
  await page.close();
});

after(() => browser?.close());

/** Skipped, with the reason, if this browser has no adapter. */
const onGpu = (name, options, body) =>
  slowly(name, async (t) => {
    if (!adapter) return t.skip("this Chromium has no adapter for WebGPU, not even one that computes on the processor");
    await lab({ within: () => browser, ...options }, body)();
  });

const chosen = async (page) => {
  await press(page, enabled(page, "Use the GPU"));
  await page.getByText(/^Ten steps took the processor [\d.]+ s on .+, and the GPU \(.+\) [\d.]+ s\. The (GPU|processor) is [\d.]+ times as fast/).waitFor(SLOW);
  // On the processor it is not the faster of the two.
  await press(page, enabled(page, "Use it anyway"));
  await enabled(page, "Use the processor").waitFor(SLOW);
};

/** Trains on the GPU until a step is stored, and returns it. */
const trainUntilKept = async (page) => {
  await page.getByText(/30 examples, 4 × 4/).waitFor({ timeout: 60_000 });
  await chosen(page);
  await press(page, enabled(page, "Train"));
  const kept = page.getByText(/^Saved at step \d+$/);
  await kept.waitFor(SLOW);
  return Number((await kept.textContent()).match(/\d+/)[0]);
};

onGpu("a run continues on the GPU once it was timed and chosen, and returns to the processor", { search: BARS, prepare: (page) => { page.programs = []; page.on("request", (request) => PROGRAM.test(request.url()) && page.programs.push(request.url())); } }, async ({ page, screenshot }) => {
  await page.getByText(/30 examples, 4 × 4/).waitFor({ timeout: 60_000 });
  await trainSteps(page, 5);
  assert.deepEqual(page.programs, [], "fetched before anybody needed it");
  const step = await steps(page);
  await chosen(page);
  assert.equal(await steps(page), step, "timing moves the run");
  assert.ok(page.programs.some((url) => url.endsWith(".wasm")), `${page.programs}`);
  await press(page, enabled(page, "Train"));
  await page.getByText("a second, on the GPU").waitFor(SLOW);
  await until(() => steps(page), (n) => n >= step + 10, "steps on the GPU", 300);
  await screenshot("gpu-train");
  await press(page, button(page, "Pause"));
  await enabled(page, "Train").waitFor(SLOW);
  await page.getByText(new RegExp(`^Computed by the processor until step ${step}, then the GPU \\(`)).waitFor();
  await until(() => page.getByLabel("Checksum", { exact: true }).textContent(), (sum) => sum.length === 16, "the run as it stands");
  const there = await steps(page);
  await press(page, button(page, "Use the processor"));
  await enabled(page, "Use the GPU").waitFor();
  await press(page, button(page, "Step"));
  await until(() => steps(page), (n) => n === there + 1, "one step by the processor");
  await page.getByText(new RegExp(`until step ${there}, then the processor\\.$`)).waitFor();
});

onGpu("a device that is lost in the middle of training: no step before the last checkpoint is lost, and the page says so", { search: BARS }, async ({ page }) => {
  const step = await trainUntilKept(page);
  // The process that owns all devices ends.
  await (await browser.newBrowserCDPSession()).send("Browser.crashGpuProcess");
  const message = page.getByText(/The GPU has stopped: the GPU failed: .+ The run continues( from step \d+, where its last checkpoint was taken)?, on the processor\./);
  await message.waitFor(SLOW);
  // If nothing was lost, no step is named.
  const [, from] = (await message.textContent()).match(/from step (\d+)/) ?? [, step];
  assert.ok(Number(from) >= step, `from ${from}, though ${step} was kept`);
  await until(() => steps(page), (n) => n > Number(from) + 5, "steps by the processor");
  await page.getByText(/^a second(, on \d+ workers)?$/).waitFor();
  await enabled(page, "Use the GPU").waitFor();
});

onGpu("a tab in the background: training continues behind another tab, and a device lost while the tab is frozen is reported once the tab is back", { search: BARS }, async ({ page }) => {
  const kept = await trainUntilKept(page);
  const other = await page.context().newPage();
  await other.bringToFront();
  const step = await steps(page);
  await until(() => steps(page), (n) => n >= step + 10, "steps behind another tab", 300);
  // Like a browser with a tab that nobody has looked at for minutes.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await (await browser.newBrowserCDPSession()).send("Browser.crashGpuProcess");
  await other.waitForTimeout(2000);
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await page.bringToFront();
  await page.getByText(/The GPU has stopped: the GPU failed: .+, on the processor\./).waitFor(SLOW);
  const back = await steps(page);
  assert.ok(back >= kept, `at step ${back}, though ${kept} was kept`);
  await until(() => steps(page), (n) => n > back + 5, "steps by the processor");
  await enabled(page, "Use the GPU").waitFor();
});

test("where the browser has no GPU to give, nothing is said of one", lab({ search: BARS }, async ({ page }) => {
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  if (await page.evaluate(() => !navigator.gpu)) assert.equal(await button(page, "Use the GPU").count(), 0);
  else await button(page, "Use the GPU").waitFor();
}));
