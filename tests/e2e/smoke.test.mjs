// A built page works: its views, its workers, its model, and once it was there, no network. Whichever way it was built:
// SLOW=1 DIST=dist node --test tests/e2e/smoke.test.mjs.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { button, enabled, goTo, lab, slowly, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";
import { DIST } from "../../scripts/serve.mjs";

slowly("a built page answers, trains, couples and proves, and works without a network", lab({ serviceWorkers: "allow" }, async ({ page, url, errors }) => {
  const answers = page.getByRole("list", { name: "Answers" }).locator("canvas");
  await enabled(page, "Complete").waitFor({ timeout: 60_000 });
  await press(page, button(page, "Complete"));
  await until(() => answers.count(), (count) => count === 8, "answers by the model that comes with the page");

  await goTo(page, "Train");
  await press(page, enabled(page, "Train"));
  await until(() => steps(page), (n) => n >= 3, "steps by the worker");
  await press(page, button(page, "Pause"));

  // These come with their styles when they are first opened, and compute in a worker of their own.
  await goTo(page, "Coupling");
  await press(page, button(page, "Compute").first(), { timeout: 60_000 });
  await until(() => page.locator(".coupling-status p").textContent(), (words) => /^([1-9]\d* of|All)/.test(words), "some couplings");
  await goTo(page, "Proof");
  await press(page, button(page, "Run"), { timeout: 60_000 });
  await until(() => page.getByLabel("Samples of each so far").textContent(), (count) => /[1-9]/.test(count), "some samples");
  assert.equal(await page.locator('link[rel="stylesheet"]').count(), 2, "the styles of both");

  await until(() => page.evaluate(async () => Boolean((await navigator.serviceWorker.ready).active)), Boolean, "the service worker");
  await page.context().setOffline(true);
  await page.goto(url);
  await enabled(page, "Complete").waitFor({ timeout: 60_000 });
  errors.splice(0, errors.length, ...errors.filter((error) => !error.includes("ERR_INTERNET_DISCONNECTED")));
}));

test("no file of a built page is there twice, and none is missing", () => {
  const files = readdirSync(DIST);
  const count = (pattern) => files.filter((file) => pattern.test(file)).length;
  for (const name of ["style", "views"]) assert.equal(count(new RegExp(`^${name}-[0-9a-f]+\\.css$`)), 1, name);
  for (const name of ["dbm-worker-wasm", "dbm-diagnostics", "dbm-files", "dbm-gpu-worker"]) {
    for (const end of ["_bg.wasm", ".js", "_loader.js"]) assert.ok(files.includes(name + end), name + end);
  }
  assert.equal(count(/^dbm-web-[0-9a-f]+_bg\.wasm$/), 1);
  for (const view of ["compare", "coupling", "proof"]) assert.equal(count(new RegExp(`^dbm-web-[0-9a-f]+-split_${view}\\.wasm$`)), 1, view);
});
