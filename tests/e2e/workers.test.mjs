// Training on several workers: the same bits with any number of them, wherever the page is served; and a worker that dies is replaced.
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { LIMIT_WORKERS } from "../../scripts/steps-in-browser.mjs";
import { crew, lab, slowly, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

/** A minibatch of 100 has four shards: no more workers than that share a step. */
const COUNTS = [1, 2, 4].filter((count) => count <= availableParallelism());
const STEPS = 20;
const checksums = new Set();

for (const host of ["isolated", "plain"]) {
  for (const count of COUNTS) {
    const run = `?workers=${count}#view=train&t.hidden=500,500&t.go=${STEPS}`;
    const prepare = (page) => page.addInitScript(LIMIT_WORKERS);
    (host === "isolated" ? test : slowly)(`the same bits on any number of workers: ${count}, ${host} host`, lab({ host, search: run, prepare }, async ({ page }) => {
      assert.equal(await page.evaluate(() => crossOriginIsolated), host === "isolated");
      const sum = page.getByLabel("Checksum", { exact: true });
      const ended = async () => (await steps(page)) === STEPS && (await sum.textContent());
      checksums.add(await until(ended, (sum) => /^[0-9a-f]{16}$/.test(sum), `paused at ${STEPS}`));
      assert.equal(crew(page).length, count, "so many share the run");
      assert.equal(checksums.size, 1, [...checksums].join());
    }));
  }
}

test("a worker that shares training and dies is replaced, and training continues", lab({ view: "train" }, async ({ page, errors, screenshot }) => {
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  const train = page.getByRole("button", { name: "Train", exact: true });
  await train.and(page.locator(":enabled")).waitFor();
  await press(page, train);
  if (cores === 1) return; // nobody to share with
  const shared = page.getByText(/a second, on [2-4] workers/);
  await shared.waitFor();
  await screenshot("shared");
  const workers = crew(page).length;
  assert.equal(workers, cores);
  await crew(page)[1].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  const message = page.getByText(/One of the workers that share the run was lost: .*killed by the test.* The run continues/);
  await message.waitFor();
  const step = await steps(page);
  await until(async () => crew(page).length, (n) => n === workers, "new workers");
  await until(() => steps(page), (n) => n >= step + 10, "further steps");
  await shared.waitFor();
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
  await train.and(page.locator(":enabled")).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0, "nothing that the visitor has to do");
  const own = errors.filter((error) => !error.includes("killed by the test"));
  errors.splice(0, errors.length, ...own);
}));
