// The page as a visitor uses it: completes a digit, trains, pauses, brings data, drops a broken file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crew, goTo, lab, more, quiet, slowly, steps, unfold, until, useData } from "./browser.mjs";
import { press } from "./hand.mjs";

/** The contents of a region's canvases, as data URLs. */
const drawn = (page, region) =>
  page.getByRole("region", { name: region, exact: true }).locator("canvas").evaluateAll((all) => all.map((c) => c.toDataURL()));

const ready = (page) => page.getByRole("button", { name: "Complete", exact: true }).and(page.locator(":enabled")).waitFor({ timeout: 120_000 });

const csv = (rows, columns) =>
  Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => Number((r * 7 + c * 3 + ((r * c) % 5)) % 4 < 2)).join(",")).join("\n") + "\n";

test("opens, and one press completes a masked digit with the pretrained model", lab({}, async ({ page, screenshot }) => {
  await ready(page);
  assert.equal(await page.getByLabel("Model", { exact: true }).locator("option:checked").textContent(), "Pretrained on MNIST");
  await press(page, page.getByRole("button", { name: "Complete", exact: true }));
  await page.getByText(/\d+ of 8 .*distinct|distinct.* of 8/i).first().waitFor({ timeout: 120_000 });
  const answers = await page.getByRole("list", { name: "Answers" }).locator("canvas").evaluateAll((all) => all.map((c) => c.toDataURL()));
  assert.equal(answers.length, 8);
  assert.ok(new Set(answers).size > 1, "several different answers");
  await screenshot("completed");
}));

slowly("masks by halves, by painting and by keyboard, and takes it back", lab({}, async ({ page }) => {
  await ready(page);
  await more(page);
  const region = page.getByRole("region", { name: "Completion", exact: true });
  const canvas = region.locator("canvas").first();
  const picture = () => canvas.evaluate((c) => c.toDataURL());
  await press(page, region.getByRole("button", { name: "Clear mask" }));
  const clear = await until(picture, () => true);
  await press(page, region.getByRole("button", { name: "Left half" }));
  const half = await until(picture, (now) => now !== clear, "the left half masked");
  await press(page, region.getByRole("button", { name: "Clear mask" }));
  await until(picture, (now) => now === clear, "cleared");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  const painted = await until(picture, (now) => now !== clear && now !== half, "painted");
  await press(page, region.getByRole("button", { name: "Undo the last edit" }));
  await until(picture, (now) => now !== painted, "taken back");
  await canvas.focus();
  for (const key of ["ArrowDown", "ArrowRight", "Space"]) await page.keyboard.press(key);
  await until(picture, (now) => now !== clear, "masked by keyboard");
}));

test("shows an answer, sweep by sweep", lab({ reducedMotion: "reduce" }, async ({ page }) => {
  await ready(page);
  await more(page);
  await press(page, page.getByRole("button", { name: "Watch the answer" }));
  await page.getByText(/Random start: energy/).first().waitFor();
  const slider = page.getByRole("slider").last();
  await until(async () => Number(await slider.getAttribute("max")), (n) => n >= 2, "several states");
  await slider.focus();
  await page.keyboard.press("End");
  await page.getByText(/Local search, half-sweep (\d+) of \1: energy/).first().waitFor();
}));

test("trains on generated digits, pauses, steps, resets and undoes", lab({}, async ({ page, screenshot }) => {
  await ready(page);
  await goTo(page, "Train");
  assert.equal(await steps(page), 0);
  const before = await drawn(page, "Samples");
  await press(page, page.getByRole("button", { name: "Train", exact: true }));
  await until(() => steps(page), (n) => n >= 50, "50 steps");
  await until(() => drawn(page, "Samples"), (now) => now.join() !== before.join(), "the grid changes");
  for (const region of ["Meeting time", "Search sweeps"]) assert.ok((await drawn(page, region)).length > 0, region);
  await screenshot("training");
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
  await page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")).waitFor();
  const paused = await steps(page);
  await quiet(page, 300); // the time of dozens of steps
  assert.equal(await steps(page), paused, "stands still while paused");
  await press(page, page.getByRole("button", { name: "Step", exact: true }));
  await until(() => steps(page), (n) => n === paused + 1, "one step more");
  await press(page, page.getByRole("button", { name: "Reset", exact: true }));
  await until(() => steps(page), (n) => n === 0, "reset");
  await press(page, page.getByRole("button", { name: /undo/i }).last());
  await until(() => steps(page), (n) => n === paused + 1, "reset undone");
}));

const onBars = async (page) => {
  await ready(page);
  await goTo(page, "Train");
  await page.getByLabel("Data set", { exact: true }).selectOption("bars");
  await page.getByText(/30 examples, 4 × 4/).waitFor();
};

const idle = (page) => page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")).waitFor();

test("pretrains layer by layer, pauses in between, and trains by centered PCD", lab({}, async ({ page, screenshot }) => {
  await onBars(page);
  await page.getByLabel("Estimator", { exact: true }).selectOption({ label: "PCD-k, mean field" });
  await page.getByText(/^Biased: how DBMs were trained before/).waitFor();
  await unfold(page);
  await page.getByLabel("Centered", { exact: true }).check();
  await page.getByLabel("Centering rate").fill("0.05");
  await page.getByLabel("Initial weights", { exact: true }).selectOption({ label: "pretrained, layer by layer" });
  await page.getByLabel("Steps per layer").fill("100000"); // more than anyone will wait for
  await press(page, page.getByRole("button", { name: "Train", exact: true }));
  const underway = page.getByText(/^pretraining layer \d of 2: step \d+ of \d+$/);
  await underway.waitFor();
  await until(() => underway.textContent(), (text) => !text.includes("step 0 of"), "pretraining continues");
  await page.getByText("64 samples during pretraining").waitFor();
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
  await idle(page);
  const paused = await underway.textContent();
  await quiet(page, 300);
  assert.equal(await underway.textContent(), paused, "stands still while paused");
  assert.equal(await steps(page), 0);
  await press(page, page.getByRole("button", { name: "Step", exact: true }));
  await until(() => underway.textContent(), (text) => text !== paused, "one step of pretraining more");
  await page.getByLabel("Steps per layer").fill("200");
  await page.getByText("Press Reset to start with these settings.").waitFor();
  await press(page, page.getByRole("button", { name: "Reset", exact: true }));
  await until(() => underway.textContent(), (text) => text.includes("layer 1 of 2: step 0 of 200"), "Pretraining starts over");
  await press(page, page.getByRole("button", { name: "Train", exact: true }));
  await until(() => steps(page), (n) => n >= 50, "trains after pretraining");
  assert.equal(await underway.count(), 0, "pretraining is over");
  const meeting = page.getByRole("region", { name: "Meeting time", exact: true });
  const sweeps = page.getByRole("region", { name: "Mean-field sweeps", exact: true });
  await meeting.getByText("PCD has no coupling.").waitFor();
  await sweeps.getByText("The free chains of PCD have no search.").waitFor();
  const cells = (region, row) => region.getByRole("row", { name: row }).getByRole("cell").allTextContents();
  assert.ok(Number((await cells(sweeps, "clamped"))[0]) >= 1, "mean-field sweeps are counted");
  assert.deepEqual(await cells(meeting, "free"), Array(5).fill("–"));
  await screenshot("pretrained-pcd");
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
  await idle(page);
}));

slowly("trains by every estimator, with the fields that belong to it", lab({}, async ({ page }) => {
  await onBars(page);
  const estimator = page.getByLabel("Estimator", { exact: true });
  const values = await estimator.locator("option").evaluateAll((all) => all.map((option) => option.value));
  assert.equal(values.length, 12);
  for (const value of values) {
    await estimator.selectOption(value);
    assert.equal(await page.getByLabel("k, Gibbs sweeps").count(), Number(/^(p?cd|ptt|mp|ucd-ptt)/.test(value)), value);
    assert.equal(await page.getByLabel("Cap on meeting").count(), Number(value.startsWith("ucd")), value);
    assert.equal(await page.getByLabel("Cap on search").count(), Number(value.endsWith("lmi")), value);
    assert.equal(await page.getByLabel("Sweeps from the mode").count(), Number(value.endsWith("lmi")), value);
    assert.equal(await page.getByLabel("Cap on tries").count(), Number(value === "ucd-gibbs"), value);
    if (value === "ucd-gibbs") assert.equal(await page.getByLabel("Cap on meeting").inputValue(), "1000");
    const reset = page.getByRole("button", { name: "Reset", exact: true });
    if (await reset.isEnabled()) await press(page, reset);
    await until(() => steps(page), (n) => n === 0, `${value} starts over`);
    await press(page, page.getByRole("button", { name: "Train", exact: true }));
    await until(() => steps(page), (n) => n >= 20, `20 steps by ${value}`);
    await press(page, page.getByRole("button", { name: "Pause", exact: true }));
    await idle(page);
    const ladder = page.getByRole("region", { name: "Ladder", exact: true });
    const climbs = value.endsWith("ptt");
    if (climbs) await ladder.getByText(/^\d+ rungs?.*Fewest exchanges accepted: \d+ %, at rung \d+\./).waitFor();
    assert.equal(await ladder.count(), Number(climbs), value);
  }
}));

slowly("masks go with persistent chains too", lab({}, async ({ page }) => {
  await ready(page);
  await goTo(page, "Train");
  await page.getByLabel("Estimator", { exact: true }).selectOption("pcd-gibbs");
  const share = page.getByLabel("Conditional share");
  assert.equal(await share.inputValue(), "0.5", "what was typed stays");
  await page.getByText("Train starts with these settings.").waitFor();
  await press(page, page.getByRole("button", { name: "Train", exact: true }));
  await until(() => steps(page), (n) => n >= 5, "5 steps");
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
}));

slowly("takes a CSV of 200 x 64 bits, trains on it, and refuses broken files without losing anything", lab({}, async ({ page, screenshot }) => {
  await ready(page);
  await goTo(page, "Train");
  const upload = page.getByLabel("Upload data set", { exact: true });
  await upload.setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(csv(200, 64)) });
  await page.getByRole("dialog").getByText(/^200 /).waitFor();
  await useData(page);
  const data = page.getByLabel("Data set", { exact: true });
  await until(() => data.locator("option:checked").textContent(), (name) => name.includes("mine.csv"), "the upload is chosen");
  await page.getByText(/^200 examples, /).waitFor();
  await press(page, page.getByRole("button", { name: "Train", exact: true }));
  await until(() => steps(page), (n) => n >= 20, "trains on the upload");
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
  await page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")).waitFor();
  const paused = await steps(page);
  for (const [name, buffer, said] of [
    ["broken.csv", Buffer.from(""), /broken\.csv/],
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

slowly("a worker that dies is replaced, and the run continues", lab({}, async ({ page, errors }) => {
  await ready(page);
  await goTo(page, "Train");
  await press(page, page.getByRole("button", { name: "Train", exact: true }));
  await until(() => steps(page), (n) => n >= 10, "10 steps");
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
  await page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")).waitFor();
  const paused = await steps(page);
  await crew(page)[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  await page.getByRole("alert").filter({ hasText: "killed by the test" }).first().waitFor();
  await until(async () => crew(page).length, (n) => n === 1, "a new worker");
  await until(() => steps(page), (n) => n === paused, "the run is where it was");
  await press(page, page.getByRole("button", { name: "Step", exact: true }));
  await until(() => steps(page), (n) => n === paused + 1, "one step more");
  await goTo(page, "Complete");
  await ready(page);
  const own = errors.filter((error) => !error.includes("killed by the test"));
  errors.splice(0, errors.length, ...own);
}));

slowly("a worker that dies while it pretrains is replaced, and pretraining starts over", lab({}, async ({ page, errors }) => {
  await onBars(page);
  await page.getByLabel("Initial weights", { exact: true }).selectOption("pretrained");
  await page.getByLabel("Steps per layer").fill("100000");
  await press(page, page.getByRole("button", { name: "Train", exact: true }));
  await page.getByText(/^pretraining layer 1 of 2: step [1-9]\d* of 100000$/).waitFor();
  await crew(page)[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  await page.getByRole("alert").filter({ hasText: "Pretraining starts over" }).first().waitFor();
  await page.getByText("pretraining layer 1 of 2: step 0 of 100000").waitFor();
  await idle(page);
  const own = errors.filter((error) => !error.includes("killed by the test"));
  errors.splice(0, errors.length, ...own);
}));

slowly("drops a broken file and reads the error", lab({}, async ({ page }) => {
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
  slowly(`fits ${name}`, lab(context, async ({ page, screenshot }) => {
    await ready(page);
    await press(page, page.getByRole("button", { name: "Complete", exact: true }));
    await page.getByText(/distinct/i).first().waitFor({ timeout: 120_000 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `scrolls sideways by ${overflow} pixels`);
    await screenshot(name);
  }));
}
