// The benchmark's view: its report has every field, Cancel is heard, and an address that asks for nothing known says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lab } from "./browser.mjs";

const report = async (page) => {
  const result = page.locator("#bench-result");
  await result.waitFor({ timeout: 120_000 });
  return JSON.parse(await result.textContent());
};

const positive = (object, names) => {
  assert.deepEqual(Object.keys(object), names);
  for (const name of names) assert.ok(object[name] > 0, `${name} is ${object[name]}`);
};

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const [name, context] of [
  ["wide-light", { width: 1280, colorScheme: "light" }],
  ["phone-dark", { width: 390, height: 844, colorScheme: "dark", hasTouch: true, isMobile: true }],
]) {
  test(`a benchmark ends with a report, ${name}`, lab({ ...context, search: "?bench=mnist-500&steps=2&runs=1&warm-up=1" }, async ({ page, screenshot }) => {
    const { rows, plan, protocol, ...about } = await report(page);
    assert.deepEqual(about.sizes, [784, 500, 500]);
    assert.deepEqual([about.preset, about.examples, about.cross_origin_isolated], ["mnist-500", 2000, true]);
    assert.ok(about.hardware_concurrency >= 1 && about.user_agent.includes("Chrome"));
    assert.deepEqual(protocol, { warm_up: 1, steps: 2, runs: 1 });
    assert.deepEqual([plan.hidden, plan.units, plan.start], [[500, 500], "signs", "Orthogonal"]);
    const { batch, marginalize, optimizer } = plan.settings;
    assert.deepEqual([batch, marginalize, optimizer.method, optimizer.learning_rate], [100, true, "adam", 0.001]);
    // A minibatch of 100 has four shards, so no more workers than that share a step.
    const most = Math.min(about.hardware_concurrency, 4);
    const counts = [1, 2].filter((count) => count < most).concat(most);
    assert.deepEqual(rows.map(({ workers }) => workers), counts);
    for (const { checksum, steps_per_second, milliseconds_per_step, milliseconds, sweeps } of rows) {
      positive(steps_per_second, ["median", "min", "max"]);
      assert.ok(Math.abs(milliseconds_per_step * steps_per_second.median - 1000) < 1);
      const { other, ...parts } = milliseconds;
      positive(parts, ["positive_search", "negative_search", "coupling", "update"]);
      assert.ok(other >= 0);
      positive(sweeps, ["positive", "negative"]);
      assert.deepEqual([sweeps, checksum], [rows[0].sweeps, rows[0].checksum], "the same bits, whatever the number of workers");
    }

    const medians = page.getByRole("row", { name: "steps a second, median" }).getByRole("cell");
    const shown = await medians.allTextContents();
    assert.equal(shown.length, rows.length);
    // Not toFixed: of a number half-way between two, it takes the higher and the page the even one.
    rows.forEach(({ steps_per_second: { median } }, i) => {
      assert.match(shown[i], /^\d+\.\d\d$/);
      assert.ok(Math.abs(shown[i] - median) < 0.0051, `${shown[i]} is shown for ${median}`);
    });
    assert.equal(await page.getByRole("button", { name: "Train", exact: true }).count(), 0, "the lab is not there");
    assert.ok((await overflow(page)) <= 0);
    await screenshot(`bench-${name}`);
    await page.getByRole("button", { name: "Run again" }).click();
    await page.locator("#bench-result").waitFor({ state: "detached" });
    assert.equal((await report(page)).preset, "mnist-500");
  }));
}

test("a benchmark can be cancelled", lab({ search: "?bench=mnist-1000&steps=1000&runs=100" }, async ({ page, screenshot }) => {
  await page.getByText(/warming up/).waitFor({ timeout: 120_000 });
  await page.getByRole("progressbar", { name: "Steps done" }).waitFor();
  await screenshot("bench-at-work");
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByText("Stopped before the end").waitFor();
  assert.equal(await page.locator("#bench-result").count(), 0);
  assert.equal(await page.getByRole("alert").count(), 0, "nothing went wrong");
}));

test("an unknown benchmark, or one out of range, is said", lab({ search: "?bench=mnist-7" }, async ({ page, url }) => {
  await page.getByRole("alert").filter({ hasText: "There is no benchmark “mnist-7”" }).waitFor();
  await page.goto(`${url}?bench=mnist-500&runs=1000`);
  await page.getByRole("alert").filter({ hasText: "the number of runs should be from 1 to 100" }).waitFor();
  await page.getByRole("link", { name: "Back to the lab" }).click();
  await page.getByRole("link", { name: "Train", exact: true }).click();
  await page.getByRole("button", { name: "Train", exact: true }).waitFor();
}));
