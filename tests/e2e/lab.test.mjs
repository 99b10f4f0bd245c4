// The page as a visitor uses it: completes a digit, trains, pauses, brings data, drops a broken file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lab } from "./browser.mjs";

const steps = async (page) => Number(await page.getByLabel("Gradient steps").textContent());

/** Waits until `value()` passes `check`; a slow machine gets the time it needs. */
async function until(value, check, what, seconds = 120) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const now = await value();
    if (check(now)) return now;
    if (Date.now() > end) assert.fail(`${what}: still ${JSON.stringify(now)?.slice(0, 200)} after ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** What a region's canvases show, as data URLs. */
const drawn = (page, region) =>
  page.getByRole("region", { name: region, exact: true }).locator("canvas").evaluateAll((all) => all.map((c) => c.toDataURL()));

const ready = (page) => page.getByRole("button", { name: "Complete", exact: true }).and(page.locator(":enabled")).waitFor({ timeout: 120_000 });

const csv = (rows, columns) =>
  Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => Number((r * 7 + c * 3 + ((r * c) % 5)) % 4 < 2)).join(",")).join("\n") + "\n";

test("opens, and one press completes a masked digit with the pretrained model", lab({}, async ({ page, screenshot }) => {
  await ready(page);
  assert.equal(await page.getByLabel("Model", { exact: true }).locator("option:checked").textContent(), "Pretrained on MNIST");
  await page.getByRole("button", { name: "Complete", exact: true }).click();
  await page.getByText(/\d+ of 8 .*distinct|distinct.* of 8/i).first().waitFor({ timeout: 120_000 });
  const answers = await page.getByRole("list", { name: "Answers" }).locator("canvas").evaluateAll((all) => all.map((c) => c.toDataURL()));
  assert.equal(answers.length, 8);
  assert.ok(new Set(answers).size > 1, "several different answers");
  await screenshot("completed");
}));

test("masks by halves, by painting and by keyboard, and takes it back", lab({}, async ({ page }) => {
  await ready(page);
  const region = page.getByRole("region", { name: "Completion", exact: true });
  const canvas = region.locator("canvas").first();
  const picture = () => canvas.evaluate((c) => c.toDataURL());
  await region.getByRole("button", { name: "Clear mask" }).click();
  const clear = await until(picture, () => true);
  await region.getByRole("button", { name: "Left half" }).click();
  const half = await until(picture, (now) => now !== clear, "the left half masked");
  await region.getByRole("button", { name: "Clear mask" }).click();
  await until(picture, (now) => now === clear, "cleared");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  const painted = await until(picture, (now) => now !== clear && now !== half, "painted");
  await region.getByRole("button", { name: "Undo the last edit" }).click();
  await until(picture, (now) => now !== painted, "taken back");
  await canvas.focus();
  for (const key of ["ArrowDown", "ArrowRight", "Space"]) await page.keyboard.press(key);
  await until(picture, (now) => now !== clear, "masked by keyboard");
}));

test("shows a search, sweep by sweep", lab({ reducedMotion: "reduce" }, async ({ page }) => {
  await ready(page);
  await page.getByRole("button", { name: "Watch the search" }).click();
  await page.getByText(/Random start, energy/).waitFor();
  const slider = page.getByRole("slider").last();
  await until(async () => Number(await slider.getAttribute("max")), (n) => n >= 2, "several states");
  await slider.focus();
  await page.keyboard.press("End");
  await page.getByText(/Half-sweep \d+: 0 units flipped, energy/).waitFor();
}));

test("trains on generated digits, pauses, steps, resets and undoes", lab({}, async ({ page, screenshot }) => {
  await ready(page);
  assert.equal(await steps(page), 0);
  const before = await drawn(page, "Samples");
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await until(() => steps(page), (n) => n >= 50, "50 steps");
  await until(() => drawn(page, "Samples"), (now) => now.join() !== before.join(), "the grid changes");
  for (const region of ["Meeting time", "Search sweeps"]) assert.ok((await drawn(page, region)).length > 0, region);
  await screenshot("training");
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")).waitFor();
  const paused = await steps(page);
  await page.waitForTimeout(700);
  assert.equal(await steps(page), paused, "stands still while paused");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await until(() => steps(page), (n) => n === paused + 1, "one step more");
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await until(() => steps(page), (n) => n === 0, "reset");
  await page.getByRole("button", { name: /undo/i }).last().click();
  await until(() => steps(page), (n) => n === paused + 1, "reset undone");
}));

test("takes a CSV of 200 x 64 bits, trains on it, and refuses broken files without losing anything", lab({}, async ({ page, screenshot }) => {
  await ready(page);
  const upload = page.getByLabel("Upload data set", { exact: true });
  await upload.setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(csv(200, 64)) });
  const data = page.getByLabel("Data set", { exact: true });
  await until(() => data.locator("option:checked").textContent(), (name) => name.includes("mine.csv"), "the upload is chosen");
  await page.getByText(/200/).first().waitFor();
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await until(() => steps(page), (n) => n >= 20, "trains on the upload");
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")).waitFor();
  const paused = await steps(page);
  for (const [name, buffer, said] of [
    ["broken.csv", Buffer.from("0,1,1\n1,0\n"), /broken\.csv/],
    ["cut.gz", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1]), /cut\.gz/],
    ["lies.idx", Buffer.from([0, 0, 8, 3, 0, 0, 1, 0, 0, 0, 0, 28, 0, 0, 0, 28, 1]), /lies\.idx/],
    ["<img src=x onerror=alert(1)>.png", Buffer.from("89504e470d0a1a0a", "hex"), /PNG/],
  ]) {
    await upload.setInputFiles({ name, mimeType: "application/octet-stream", buffer });
    await page.getByRole("alert").filter({ hasText: said }).first().waitFor();
  }
  await screenshot("refused");
  assert.equal(await steps(page), paused, "the run is still there");
  assert.match(await data.locator("option:checked").textContent(), /mine\.csv/);
}));

test("a worker that dies is replaced, and the run goes on", lab({}, async ({ page, errors }) => {
  await ready(page);
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await until(() => steps(page), (n) => n >= 10, "10 steps");
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")).waitFor();
  const paused = await steps(page);
  await page.workers()[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  await page.getByRole("alert").filter({ hasText: "killed by the test" }).first().waitFor();
  await until(async () => page.workers().length, (n) => n === 1, "a new worker");
  await until(() => steps(page), (n) => n === paused, "the run is where it was");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await until(() => steps(page), (n) => n === paused + 1, "one step more");
  await ready(page);
  const own = errors.filter((error) => !error.includes("killed by the test"));
  errors.splice(0, errors.length, ...own);
}));

test("drops a broken file and reads the error", lab({}, async ({ page }) => {
  await ready(page);
  const transfer = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["this is, no table\n"], "dropped.csv", { type: "text/csv" }));
    return transfer;
  });
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  await page.getByRole("alert").filter({ hasText: "dropped.csv" }).first().waitFor();
}));

for (const [name, context] of [
  ["wide-light", { width: 1280, colorScheme: "light" }],
  ["wide-dark", { width: 1280, colorScheme: "dark" }],
  ["phone-light", { width: 390, height: 844, colorScheme: "light", hasTouch: true, isMobile: true }],
  ["phone-dark", { width: 390, height: 844, colorScheme: "dark", hasTouch: true, isMobile: true }],
]) {
  test(`fits ${name}`, lab(context, async ({ page, screenshot }) => {
    await ready(page);
    await page.getByRole("button", { name: "Complete", exact: true }).click();
    await page.getByText(/distinct/i).first().waitFor({ timeout: 120_000 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `scrolls sideways by ${overflow} pixels`);
    await screenshot(name);
  }));
}
