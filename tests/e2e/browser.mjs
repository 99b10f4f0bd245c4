// What every end-to-end test needs: the built page, served; a Chromium; and a page whose errors fail the test.
//
//     import { lab } from "./browser.mjs";
//     test("…", lab({ width: 390, search: "#view=train" }, async ({ page, screenshot }) => { … }));
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { connect, launch } from "../../scripts/chromium.mjs";
import { start } from "./host.mjs";
import { press } from "./hand.mjs";

const SCREENSHOTS = fileURLToPath(new URL("../../test-results", import.meta.url));

let hosts;
let browser;

before(async () => {
  // What together.mjs has started for all files.
  const { ports, browser: address } = JSON.parse(process.env.LAB ?? "{}");
  hosts = ports ? { ports, close() {} } : await start();
  browser = address ? await connect(address) : await launch();
});

after(async () => {
  await browser?.close();
  hosts?.close();
});

/** For tests that open their own contexts: the shared browser, and the page's address. */
export const shared = () => ({ browser, url: `http://127.0.0.1:${hosts.ports.isolated}/` });

/** A test of what rarely breaks and takes long: `./run test slow` runs it, and so does SLOW=1. */
export const slowly = (name, body) => test(name, { skip: !process.env.SLOW && "./run test slow runs it" }, body);

/** A returning visitor does not get the first visit. */
const wasHere = (page) =>
  page.addInitScript(() => {
    try {
      localStorage.setItem("dbm-seen", "1");
    } catch {} // a browser without storage
  });

/** Unfolds Complete's More section. */
export async function more(page) {
  const details = page.locator("details.completion-more");
  await details.waitFor();
  if (!(await details.evaluate((it) => it.open))) await press(page, details.locator("summary").first());
}

/**
 * A test body: opens the page (its address ending with `search`, on `view` if given) in a new browser context, runs `body`, and fails if
 * the page threw or wrote an error to its console. `host` is "isolated", which sends the headers of cross-origin isolation, or "plain",
 * which does not; or a function that returns the test's own server. `within` provides the test's own browser instead of the shared one.
 * `prepare` gets the page before it is opened. The visitor is a newcomer, unless `returning`. `body` gets Playwright's page, the page's
 * address, the list of errors so far (a test that provokes some removes them), and `screenshot(name)`, which saves test-results/name.png.
 * The service worker, which fetches and hashes the complete page once more, is only active with `serviceWorkers: "allow"`.
 */
export function lab({ width = 1280, height = 900, search = "", view, host = "isolated", within = () => browser, returning = false, prepare = () => {}, serviceWorkers = "block", ...context } = {}, body) {
  return async () => {
    const port = typeof host === "function" ? host().address().port : hosts.ports[host];
    const url = `http://127.0.0.1:${port}/`;
    const opened = await within().newContext({ viewport: { width, height }, serviceWorkers, ...context });
    try {
      const page = await opened.newPage();
      const errors = collectErrors(page);
      if (returning) await wasHere(page);
      await prepare(page);
      await page.goto(url + search + (view ? `#view=${view}` : ""));
      await body({ page, url, errors, screenshot: (name) => screenshot(page, name) });
      assert.deepEqual(errors, [], "the page reported errors");
    } finally {
      await opened.close();
    }
  };
}

/** Uncaught exceptions and console errors, of the page and of its workers, and failed requests. */
export function collectErrors(page) {
  const errors = [];
  page.on("pageerror", (error) => errors.push(`uncaught: ${error.stack ?? error}`));
  page.on("crash", () => errors.push("the page crashed"));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText;
    // Leaving a page aborts its pending requests: these have not failed.
    if (why !== "net::ERR_ABORTED") errors.push(`did not load: ${request.url()} (${why})`);
  });
  return errors;
}

/** Waits until all moving parts have come to rest. Animations that have not begun yet, or never end, do not count. */
export const atRest = (page) =>
  page.waitForFunction(() => document.getAnimations().every((animation) => animation.playState === "finished" || animation.effect.getTiming().iterations === Infinity || animation.effect.getTiming().delay > 0));

/** Saves test-results/name.png, of the complete page or of the visible part. */
export async function screenshot(page, name, fullPage = true) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const path = join(SCREENSHOTS, `${name}.png`);
  await page.screenshot({ path, fullPage });
  return path;
}

/** The workers that compute: the one that the page started, and those that it started. */
export const crew = (page) => page.workers().filter((worker) => worker.url().includes("dbm-worker"));

/** Goes to a view through the menu: "Train", "Complete", "Coupling" or "Proof". */
export const goTo = (page, view) => press(page, page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view, exact: true }));

/** Unfolds everything that folds in a form. */
export const unfold = (page) => page.locator("form details").evaluateAll((all) => all.forEach((details) => (details.open = true)));

/** The page's counter of gradient steps. */
export const steps = async (page) => Number(await page.locator("output[aria-label='Gradient steps']").textContent());

/** Waits until `value()` passes `check`; a slow machine gets the time it needs. */
export async function until(value, check, what, seconds = 120) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const now = await value();
    if (check(now)) return now;
    if (Date.now() > end) assert.fail(`${what}: still ${JSON.stringify(now)?.slice(0, 200)} after ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

/**
 * Waits for a period during which something must not happen: the one thing that has no event to wait for. Things that happen are awaited
 * with `until`.
 */
export const quiet = (page, milliseconds) => page.waitForTimeout(milliseconds);

/** The bytes of a file that the page has saved. */
export async function bytesOf(download) {
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A button by its name, and the same once it can be pressed. */
export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const enabled = (page, name) => button(page, name).and(page.locator(":enabled"));

/** Presses "Use this data" in the dialog that describes a file, and waits until the page uses it. */
export async function useData(page) {
  await press(page, button(page, "Use this data"), { timeout: 60_000 });
  await page.getByText(/ is loaded\. (Press Train|Fill its gaps, or train)\.$/).first().waitFor({ timeout: 60_000 });
  await enabled(page, "Train").waitFor();
}

/** Trains until `count` steps have been taken, and pauses; resolves to the step. */
export async function trainSteps(page, count) {
  await goTo(page, "Train");
  await press(page, enabled(page, "Train"));
  await until(() => steps(page), (n) => n >= count, `${count} steps`);
  await press(page, button(page, "Pause"));
  await enabled(page, "Train").waitFor();
  return steps(page);
}
