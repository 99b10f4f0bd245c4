// What every end-to-end test needs: the built page, served; a Chromium; and a page whose errors fail the test.
//
//     import { lab } from "./browser.mjs";
//     test("…", lab({ width: 390 }, async ({ page, screenshot }) => { … }));
import assert from "node:assert/strict";
import { accessSync, constants, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../../scripts/serve.mjs";

const SCREENSHOTS = fileURLToPath(new URL("../../test-results", import.meta.url));
const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

let server;
let browser;

before(async () => {
  server = await serve();
  browser = await chromium.launch({ executablePath: findBrowser(), args: ARGUMENTS });
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** The browser that CHROMIUM names, or the first of the usual ones on PATH. */
function findBrowser() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const candidates = BROWSERS.flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)));
  const found = candidates.find(isExecutable);
  assert(found, `no Chromium on PATH (looked for ${BROWSERS.join(", ")}): run ./run setup`);
  return found;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A test body: opens the page in a fresh browser context, runs `body`, and fails if the page threw or wrote an error to its console.
 * `body` gets Playwright's page, the page's address, the list of errors so far (a test that provokes some takes them out), and
 * `screenshot(name)`, which saves test-results/name.png.
 */
export function lab({ width = 1280, height = 900, ...context } = {}, body) {
  return async () => {
    const url = `http://127.0.0.1:${server.address().port}/`;
    const opened = await browser.newContext({ viewport: { width, height }, ...context });
    try {
      const page = await opened.newPage();
      const errors = collectErrors(page);
      await page.goto(url);
      await body({ page, url, errors, screenshot: (name) => screenshot(page, name) });
      assert.deepEqual(errors, [], "the page reported errors");
    } finally {
      await opened.close();
    }
  };
}

/** Uncaught exceptions and console errors, of the page and of its workers, and files that did not come. */
function collectErrors(page) {
  const errors = [];
  page.on("pageerror", (error) => errors.push(`uncaught: ${error.stack ?? error}`));
  page.on("crash", () => errors.push("the page crashed"));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("requestfailed", (request) => errors.push(`did not load: ${request.url()} (${request.failure()?.errorText})`));
  return errors;
}

async function screenshot(page, name) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const path = join(SCREENSHOTS, `${name}.png`);
  await page.screenshot({ path, fullPage: true });
  return path;
}
