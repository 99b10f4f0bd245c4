// Training on several workers: the same bits on any number of them, wherever the page is served; and a worker that dies is replaced.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crew, lab, steps, until } from "./browser.mjs";

const checksums = [];

for (const host of ["isolated", "plain"]) {
  test(`any number of workers gives the same bits, ${host} host`, lab({ host, search: "?bench=mnist-500&steps=3&runs=1&warm-up=1" }, async ({ page }) => {
    const result = page.locator("#bench-result");
    await result.waitFor({ timeout: 120_000 });
    const { rows, cross_origin_isolated: isolated } = JSON.parse(await result.textContent());
    assert.equal(isolated, host === "isolated");
    checksums.push(...rows.map((row) => row.checksum));
    assert.match(checksums[0], /^[0-9a-f]{16}$/);
    assert.deepEqual(checksums, checksums.map(() => checksums[0]));
  }));
}

test("a worker that shares training and dies is replaced, and training goes on", lab({ view: "train" }, async ({ page, errors, screenshot }) => {
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  const train = page.getByRole("button", { name: "Train", exact: true });
  await train.and(page.locator(":enabled")).waitFor();
  await train.click();
  if (cores === 1) return; // nobody to share with
  const shared = page.getByText(/a second, on [2-4] workers/);
  await shared.waitFor();
  await screenshot("shared");
  const workers = crew(page).length;
  assert.equal(workers, cores);
  await crew(page)[1].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  const told = page.getByText(/One of the workers that share the run was lost: .*killed by the test.* The run goes on/);
  await told.waitFor();
  const step = await steps(page);
  await until(async () => crew(page).length, (n) => n === workers, "new workers");
  await until(() => steps(page), (n) => n >= step + 10, "further steps");
  await shared.waitFor();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await train.and(page.locator(":enabled")).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0, "nothing that the visitor has to do");
  const own = errors.filter((error) => !error.includes("killed by the test"));
  errors.splice(0, errors.length, ...own);
}));
