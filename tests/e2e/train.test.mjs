// The Train view: curves, filters, activity, speed, rewind, and a run in the address.
import assert from "node:assert/strict";
import { test } from "node:test";
import { button, bytesOf, enabled, lab, quiet, screenshot, slowly, steps, trainSteps, unfold, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const idle = (page) => enabled(page, "Train").waitFor({ timeout: 120_000 });
const sum = (page) => page.getByLabel("Checksum", { exact: true }).textContent();
const hash = (page) => page.evaluate(() => location.hash);
const share = async (page) => {
  await page.getByLabel("Share this view", { exact: true }).click();
  await press(page, button(page, "Share this view as link"));
};
const BARS = "#view=train&t.data=bars";
const onBars = async (page) => {
  await idle(page);
  await page.getByText(/30 examples, 4 × 4/).waitFor({ timeout: 60_000 });
};
const standsAt = (page, count) =>
  until(async () => [await steps(page), await sum(page)], ([step, sum]) => step === count && sum.length === 16, `paused at ${count}`);

/** Each row of the table below a chart. */
async function rows(page, region) {
  const chart = page.getByRole("region", { name: region, exact: true });
  const details = chart.locator("details.chart-table");
  if (!(await details.evaluate((it) => it.open))) await details.locator("summary").click();
  await details.locator("tbody tr").first().waitFor();
  return details.locator("tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
}

test("curves of every quantity come while training, with their tables", lab({ search: BARS }, async ({ page }) => {
  await onBars(page);
  await trainSteps(page, 60);
  const quantity = page.getByLabel("Quantity", { exact: true });
  const seen = {};
  for (const name of await quantity.locator("option").allTextContents()) {
    await quantity.selectOption({ label: name });
    await page.getByText(new RegExp(`^${name}, steps \\d+ to \\d+:`)).waitFor();
    seen[name] = await rows(page, "Curves");
  }
  assert.deepEqual(Object.keys(seen), ["Reconstruction error", "Pseudo-log-likelihood", "Free energy", "Log-likelihood, exact"]);
  assert.deepEqual(seen["Free energy"][0], ["gradient steps", "data", "samples"]);
  const number = (text) => Number(text.replace("−", "-"));
  for (const [name, all] of Object.entries(seen)) {
    assert.ok(all.length > 1 && all.slice(1).every(([step, value]) => Number(step) > 0 && Number.isFinite(number(value))), name);
  }
  // 30 patterns of 2^16 states: no model gives them more than 1/30 each.
  const exact = number(seen["Log-likelihood, exact"].at(-1)[1]);
  assert.ok(exact > -60 && exact < -Math.log(30), `${exact}`);
  await until(() => hash(page), (now) => now.includes("i.curve=exact"), "in the address");
  // What the layers do, in words.
  const activity = page.getByRole("region", { name: "Layer activity", exact: true });
  await activity.getByText(/^Layer 1: \d+ of 8 always low, \d+ always high\. Layer 2: \d+ of 4 always low/).waitFor();
  assert.deepEqual((await rows(page, "Layer activity"))[0], ["mean activity", "layer 1", "layer 2"]);
}));

slowly("a film of training: every frame that was kept, as an animated PNG", lab({ search: BARS }, async ({ page }) => {
  await onBars(page);
  const save = async () => {
    await page.getByLabel("Save samples", { exact: true }).click();
    await press(page, button(page, "Save samples as film (animated PNG)"));
  };
  await save();
  await page.getByText("There is no film yet: it shows the samples seen during training. Press Train first.").waitFor();
  const step = await trainSteps(page, 300);
  await page.getByText(`samples at step ${step}`).waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), save()]);
  const said = await page.getByText(/^A film of \d+ frames, steps/).textContent();
  const [, frames, first, last, size] = said.match(/^A film of (\d+) frames, steps (\d+) to (\d+): (\d+) kB, an animated PNG\.$/);
  assert.ok(Number(frames) >= 2 && Number(frames) <= 120 && Number(first) < Number(last) && Number(last) === step, said);
  assert.equal(download.suggestedFilename(), `samples-steps-${first}-to-${last}.png`);
  const bytes = await bytesOf(download);
  assert.equal(Math.ceil(bytes.length / 1000), Number(size));
  const decoded = await page.evaluate(async (bytes) => {
    const decoder = new ImageDecoder({ data: new Uint8Array(bytes), type: "image/png" });
    await decoder.tracks.ready;
    const { frameCount } = decoder.tracks.selectedTrack;
    const { image } = await decoder.decode({ frameIndex: frameCount - 1 });
    return { frameCount, hold: image.duration, width: image.displayWidth };
  }, [...bytes]);
  assert.equal(decoded.frameCount, Number(frames));
  assert.equal(decoded.hold, 2_000_000, "microseconds that the last frame stands");
  assert.equal(decoded.width, 8 * (4 * 15 + 1) + 1);
}));

slowly("filters of each layer of both models", lab({ search: BARS }, async ({ page }) => {
  await onBars(page);
  const region = page.getByRole("region", { name: "Filters", exact: true });
  const drawn = () => region.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  await page.getByLabel("Model", { exact: true }).selectOption({ label: "In training" });
  await region.getByText("Filters of the first 8 units of hidden layer 1 at step 0").waitFor();
  const first = await until(drawn, (now) => now.length > 1000, "drawn");
  await region.getByLabel("Hidden layer", { exact: true }).selectOption({ label: "Layer 2" });
  await region.getByText("Filters of the first 4 units of hidden layer 2 at step 0").waitFor();
  assert.match(await button(region, "Filters").getAttribute("data-help"), /product of all weights/);
  const second = await until(drawn, (now) => now !== first, "the second layer");
  await trainSteps(page, 40);
  await region.getByText(/hidden layer 2 at step [1-9]/).waitFor();
  await until(drawn, (now) => now !== second, "refreshed");
  await page.getByLabel("Model", { exact: true }).selectOption("deep");
  await region.getByText(/Filters of the first 64 units of hidden layer \d/).waitFor({ timeout: 60_000 });
}));

slowly("the grid moves with training, and at rest all is of one step", lab({ search: BARS }, async ({ page }) => {
  await onBars(page);
  const region = page.getByRole("region", { name: "Samples", exact: true });
  const grid = async () => Number(/at step (\d+)$/.exec(await region.locator(".figures-text").first().textContent())?.[1] ?? -1);
  const drawn = () => region.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  await press(page, enabled(page, "Train"));
  const pictures = new Set();
  let last = 0;
  for (let change = 0; change < 6; change++) {
    last = await until(grid, (step) => step > last, "a grid of a later step");
    await until(async () => pictures.size < pictures.add(await drawn()).size, Boolean, "another picture");
    assert.ok(last <= (await steps(page)), "no grid is ahead of the run");
  }
  await press(page, button(page, "Pause"));
  await idle(page);
  const stands = await steps(page);
  await until(grid, (step) => step === stands, "the grid");
  await page.getByText(new RegExp(`^Reconstruction error, steps \\d+ to ${stands}:`)).waitFor();
  await page.getByText(new RegExp(`Filters of the first 8 units of hidden layer 1 at step ${stands}$`)).waitFor();
}));

test("rewind is the same run again, reset the form’s, and both can be undone", lab({ search: `${BARS}&t.go=30` }, async ({ page }) => {
  const [, first] = await standsAt(page, 30);
  await page.getByLabel("Seed", { exact: true }).fill("5");
  await press(page, button(page, "Rewind"));
  await until(() => steps(page), (n) => n === 0, "rewound");
  assert.equal(await page.getByLabel("Seed", { exact: true }).inputValue(), "1", "the run's own settings");
  await press(page, page.getByRole("button", { name: /undo/i }).last());
  assert.equal((await standsAt(page, 30))[1], first, "undone");
  await press(page, button(page, "Rewind"));
  await until(() => steps(page), (n) => n === 0, "rewound again");
  for (let step = 1; step <= 3; step++) {
    await press(page, enabled(page, "Step"));
    await until(() => steps(page), (n) => n === step, `step ${step}`);
  }
  const [, third] = await standsAt(page, 3);
  await page.getByLabel("Seed", { exact: true }).fill("5");
  await press(page, button(page, "Reset"));
  await until(() => steps(page), (n) => n === 0, "reset");
  for (let step = 1; step <= 3; step++) {
    await press(page, enabled(page, "Step"));
    await until(() => steps(page), (n) => n === step, `step ${step}`);
  }
  assert.notEqual((await standsAt(page, 3))[1], third, "another seed, another run");
}));

test("slowed down, steps come one by one, and Pause is heard at once", lab({ search: `${BARS}&t.speed=5` }, async ({ page }) => {
  await onBars(page);
  const speed = page.getByLabel("Speed", { exact: true });
  assert.equal(await speed.locator("option:checked").textContent(), "5 a second");
  await press(page, button(page, "Train"));
  const seen = new Set();
  await until(async () => seen.add(await steps(page)).size, (n) => n >= 6, "single steps are seen");
  const values = [...seen].sort((a, b) => a - b);
  assert.ok(values.at(-1) - values[0] <= 2 * values.length, `no rush: ${values}`);
  await press(page, button(page, "Pause"));
  await idle(page);
  const paused = await steps(page);
  await quiet(page, 700); // the time of three steps
  assert.equal(await steps(page), paused);
  await speed.selectOption({ label: "full speed" });
  await trainSteps(page, paused + 100);
}));

test("a shared link reproduces the run bit for bit in a new profile", lab({ search: `${BARS}&t.hidden=6,3&t.seed=9&t.marginalized=no`, permissions: ["clipboard-read", "clipboard-write"] }, async ({ page, url }) => {
  await onBars(page);
  assert.equal(await page.getByLabel("Hidden layers", { exact: true }).inputValue(), "6, 3");
  assert.equal(await page.getByLabel("Marginalized", { exact: true }).isChecked(), false);
  await page.getByLabel("Learning rate", { exact: true }).fill("0.01");
  await until(() => hash(page), (now) => now.includes("t.rate=0.01"), "the address follows the form");
  const step = await trainSteps(page, 50);
  const [, checksum] = await standsAt(page, step);
  await share(page);
  await page.getByText(`A link to this run is on the clipboard: it trains to step ${step}`).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(url) && link.endsWith(`&t.step=${step}&t.sum=${checksum}`), link);

  const other = await page.context().browser().newContext();
  const fresh = await other.newPage();
  await fresh.goto(link);
  await fresh.getByText(`The same run, bit for bit: checksum ${checksum} at step ${step}.`).waitFor({ timeout: 120_000 });
  assert.deepEqual(await standsAt(fresh, step), [step, checksum]);
  // A wrong checksum is reported, and the present run is kept for Undo.
  await fresh.evaluate((sum) => (location.hash = location.hash.replace(sum, "0123456789abcdef")), checksum);
  await fresh.getByText(`Not the same run: checksum ${checksum} at step ${step}, expected 0123456789abcdef.`).waitFor({ timeout: 120_000 });
  await fresh.getByText(/^Back to step 0\. Your /).waitFor();
  await other.close();
}));

/** The settings stored in a saved model. */
async function settingsOfFile(page) {
  await page.locator("summary[aria-label='Save this run']").click();
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Save this run as model").click()]);
  const bytes = await bytesOf(download);
  const header = JSON.parse(bytes.toString("utf8", 8, 8 + Number(bytes.readBigUInt64LE(0))));
  return JSON.parse(header.__metadata__.settings);
}

slowly("what the best models are made by is in the form, in the file and in the link", lab({ search: BARS, permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await onBars(page);
  await unfold(page);
  const typed = { "Sweeps from the mode": "3", "Learning-rate decay": "5000", "Averaging": "0.9", "Conditional share": "0.5", "Momentum": "0.25" };
  assert.equal(await page.getByLabel("Momentum", { exact: true }).count(), 0, "Adam has its own");
  await page.getByLabel("Optimizer", { exact: true }).selectOption("sgd");
  for (const [label, text] of Object.entries(typed)) await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByLabel("Masks", { exact: true }).selectOption({ label: "boxes" });
  for (const [label, text, expected] of [["Learning-rate decay", "never", "from 0 to 1000000000"], ["Sweeps from the mode", "0", "from 1 to 1000"]]) {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByText(`Expected a whole number ${expected}; got “${text}”.`).waitFor();
    await page.getByText("Fix the highlighted setting.").waitFor();
    await page.getByLabel(label, { exact: true }).fill(typed[label]);
  }
  const step = await trainSteps(page, 20);
  const [, checksum] = await standsAt(page, step);
  const { optimizer, estimator, masks, conditional, average } = await settingsOfFile(page);
  assert.deepEqual([optimizer.method, optimizer.momentum, optimizer.decay_steps, estimator.mode_sweeps], ["sgd", 0.25, 5000, 3]);
  assert.deepEqual([masks, conditional, average], ["boxes", 0.5, 0.9]);
  // The run that a reset replaces is restored completely.
  await page.getByLabel("Masks", { exact: true }).selectOption({ label: "single pixels" });
  await press(page, enabled(page, "Reset"));
  await until(() => steps(page), (n) => n === 0, "reset");
  await press(page, page.getByRole("button", { name: /undo/i }).last());
  await standsAt(page, step);
  assert.equal((await settingsOfFile(page)).masks, "boxes");
  await share(page);
  await page.getByText("A link to this run is on the clipboard").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await page.context().browser().newContext();
  const fresh = await other.newPage();
  await fresh.goto(link);
  await fresh.getByText(`The same run, bit for bit: checksum ${checksum} at step ${step}.`).waitFor({ timeout: 120_000 });
  for (const [label, text] of Object.entries(typed)) assert.equal(await fresh.getByLabel(label, { exact: true }).inputValue(), text, label);
  assert.equal(await fresh.getByLabel("Masks", { exact: true }).inputValue(), "boxes");
  await other.close();
}));

test("an address with a goal starts training, and another address starts another run", lab({ search: `${BARS}&t.go=40` }, async ({ page, errors }) => {
  await standsAt(page, 40);
  await page.evaluate(() => (location.hash = "view=train&t.data=digits&t.hidden=40&t.batch=20&t.go=3"));
  await page.getByText(/10000 examples, 28 × 28/).waitFor({ timeout: 60_000 });
  await standsAt(page, 3);
  await page.getByText(/The data set has changed/).waitFor();
  await press(page, page.getByRole("button", { name: /undo/i }).last());
  await standsAt(page, 40);
  // Impossible settings are refused with a message, and the present ones stay.
  await page.evaluate(() => (location.hash = "view=train&t.data=bars&t.go=soon"));
  await page.getByText("The address names step “soon”; expected a whole number.").waitFor();
  await page.evaluate(() => (location.hash = "view=train&t.data=nothing&t.hidden=none&t.go=5"));
  await page.getByText(/The address names the data “nothing”/).waitFor();
  await page.getByText(/A setting in the address cannot be used/).waitFor();
  await page.evaluate(() => (location.hash = "view=train&t.data=own"));
  await page.getByText(/a run on its author’s own data/).waitFor();
  assert.equal(await steps(page), 40);
  assert.deepEqual(errors, []);
}));

test("where the clipboard is refused, the link is in a field, selected", lab({
  search: `${BARS}&t.go=5`,
  prepare: (page) => page.addInitScript(() => Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined })),
}, async ({ page }) => {
  const [, checksum] = await standsAt(page, 5);
  await share(page);
  const field = page.getByLabel("A link to this run", { exact: true });
  await page.getByText(/^Could not copy \(browsers allow it only on encrypted pages\)\. A link to this run is in the field next to Share: it trains to step 5 /).waitFor();
  await field.waitFor();
  assert.ok((await field.inputValue()).endsWith(`t.step=5&t.sum=${checksum}`));
  await until(() => field.evaluate((it) => it.selectionEnd - it.selectionStart === it.value.length), (all) => all, "selected");
}));

test("two runs are a choice at the head, and the one run continues meanwhile", lab({ search: BARS }, async ({ page }) => {
  await onBars(page);
  await press(page, button(page, "Train"));
  await until(() => steps(page), (n) => n > 5, "trains");
  await page.getByLabel("Two runs side by side", { exact: true }).check();
  await button(page, "Pause").waitFor({ state: "hidden" });
  await until(() => hash(page), (now) => now.includes("t.two=yes"), "in the address");
  const before = await steps(page);
  await until(() => steps(page), (n) => n > before, "continues");
  await page.getByLabel("One run", { exact: true }).check();
  await press(page, button(page, "Pause"));
  await idle(page);
  await until(() => hash(page), (now) => !now.includes("t.two"), "left out");
}));

test("all of it by keyboard", lab({ search: BARS }, async ({ page }) => {
  await onBars(page);
  await unfold(page);
  const reached = new Set();
  await page.getByLabel("One run", { exact: true }).focus();
  for (let at = 0; at < 90; at++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => {
      const { activeElement: it } = document;
      return it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent;
    }));
  }
  for (const name of ["Train", "Step", "Reset", "Speed", "Quantity", "Hidden layer", "Marginalized", "Save Curves"]) {
    // Controls disabled at step 0 cannot be reached.
    if (name !== "Reset" || (await button(page, name).isEnabled())) assert.ok(reached.has(name), `${name} among ${[...reached].join("; ")}`);
  }
  await page.getByLabel("Quantity", { exact: true }).focus();
  const help = page.getByRole("tooltip");
  await help.waitFor();
  assert.match(await help.textContent(), /What the curve shows/);
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  // A field with help at its label also has it itself, in addition to its description.
  const field = page.getByLabel("Hidden layers", { exact: true });
  await field.focus();
  await help.getByText(/^Units of each hidden layer.*Sizes, from the visible layer upward\.$/).waitFor();
  assert.equal(await field.getAttribute("aria-describedby"), "field-hidden-note help-box");
  await button(page, "Search sweeps").focus();
  await help.getByText(/Each chain begins in a local mode/).waitFor();
  assert.equal(await field.getAttribute("aria-describedby"), "field-hidden-note");
  await button(page, "Step").focus();
  await page.keyboard.press("Enter");
  await until(() => steps(page), (n) => n === 1, "a step");
  await button(page, "Rewind").focus();
  await page.keyboard.press("Enter");
  await until(() => steps(page), (n) => n === 0, "rewound");
}));

for (const [width, colorScheme] of [[390, "light"], [360, "dark"]]) {
  (colorScheme === "dark" ? test : slowly)(`by touch at ${width}`, lab({ width, height: 780, hasTouch: true, isMobile: true, colorScheme, search: `${BARS}&t.go=25` }, async ({ page }) => {
    await standsAt(page, 25);
    await page.getByRole("region", { name: "Filters", exact: true }).scrollIntoViewIfNeeded();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `nothing sticks out: ${wide}`);
    for (const target of [button(page, "Rewind"), page.getByLabel("Share this view", { exact: true }), page.getByLabel("Speed", { exact: true }), page.getByLabel("Quantity", { exact: true })]) {
      const box = await target.boundingBox();
      assert.ok(box.height >= 44 && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
    }
    await page.getByLabel("Quantity", { exact: true }).selectOption({ label: "Free energy" });
    // A finger that stays on a button shows its help, and does not press it; a word that explains itself does so at a touch.
    const help = page.getByRole("tooltip");
    const { x, y } = await button(page, "Rewind").boundingBox();
    const finger = await page.context().newCDPSession(page);
    await finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: x + 20, y: y + 20 }] });
    await help.getByText(/^The same run again from step 0/).waitFor();
    await finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await quiet(page, 300);
    assert.equal(await steps(page), 25, "not pressed");
    await press(page, button(page, "Meeting time"));
    await help.getByText(/^Steps until the two coupled chains/).waitFor();
    await page.locator("h1").tap();
    await help.waitFor({ state: "hidden" });
    await press(page, button(page, "Rewind"));
    await until(() => steps(page), (n) => n === 0, "rewound by touch");
    await screenshot(page, `train-${width}`);
  }));
}
