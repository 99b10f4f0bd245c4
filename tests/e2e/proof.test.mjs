// The Proof view: by keyboard alone, by touch on a phone, and from its address.
import assert from "node:assert/strict";
import { test } from "node:test";
import { button, goTo, lab, quiet, slowly, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const COUPLED = ["UCD-LMI", "UCD-MH", "UCD-Gibbs"];
const BIASED = ["CD-1", "PCD-1"];
/** Samples per estimator: enough that bias becomes visible. */
const ENOUGH = 10_000;

const title = (page) => page.getByRole("heading", { name: "Proof", exact: true });
const samples = (page) => page.getByLabel("Samples of each so far").textContent().then((text) => Number(text.replace(/\D/g, "")));
const status = (page) => page.locator(".proof .transport [role=status]").textContent();
const done = (page) => until(() => status(page), (text) => text.startsWith("Done"), "all samples");
const row = (page, name) => page.locator(".proof-verdicts tr").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
const verdict = (page, name) => row(page, name).locator("td").first().textContent();
const table = (page) => page.locator(".proof-verdicts table").innerText();
const bars = (page) => page.locator(".proof-rows [role=option]").evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
const exact = async (page) => (await bars(page)).map((label) => label?.match(/exact ([^;]+)/)?.[1]);
const slider = (page, name) => page.getByRole("slider", { name, exact: true });
const value = async (page, name) => Number(await slider(page, name).getAttribute("aria-valuenow"));
const hash = (page) => page.evaluate(() => location.hash);

async function opened(page) {
  await title(page).waitFor({ timeout: 60_000 });
  await until(() => exact(page), (all) => all.length === 27 && all.every(Boolean), "the exact gradient");
}

/** Presses Tab until the focused element passes. */
async function tabTo(page, passes, most = 80) {
  for (let at = 0; at < most; at++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(passes)) return;
  }
  assert.fail(`${most} times Tab did not lead to ${passes}`);
}

async function proves(page) {
  for (const name of COUPLED) assert.equal(await verdict(page, name), "contains the exact value everywhere", name);
  for (const name of BIASED) assert.match(await verdict(page, name), /^excludes it at \d+ parameters$/, name);
  for (const name of COUPLED) assert.match(await row(page, name).innerText(), /27 of 27/);
}

slowly("after 10^5 samples the coupled estimators contain the exact gradient and the others exclude it", lab({ search: "#view=proof&p.go=100000" }, async ({ page, screenshot }) => {
  await opened(page);
  await done(page);
  assert.equal(await samples(page), 100_000);
  await proves(page);
  for (const name of COUPLED) assert.match(await row(page, name).innerText(), /100\D000/);
  const all = await bars(page);
  assert.ok(all.every((label) => /UCD-LMI .* ± .*CD-1 .* ± .*PCD-1 .* ±/.test(label)), all[0]);
  // Pressing a bar shows its parameter, in the chart and in the address.
  await page.locator(".proof-rows [role=option]").nth(5).click();
  await page.getByText("mean − exact, weight of v₂ and h1₃").waitFor();
  await until(() => hash(page), (text) => text.includes("p.show=5"), "the address");
  const said = await page.locator(".proof-right canvas").getAttribute("aria-label");
  assert.match(said, /^UCD-LMI is .* off, ± .*; UCD-MH/);
  await screenshot("proof-1280");
}));

test("by keyboard alone", lab({ search: "#view=proof" }, async ({ page }) => {
  await opened(page);
  assert.equal(await samples(page), 0);
  // Choosing fewer samples draws that many.
  await tabTo(page, () => document.activeElement.textContent === "Run");
  await tabTo(page, () => document.activeElement.id === "proof-target");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.locator("#proof-target").inputValue(), String(ENOUGH));
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await done(page);
  await proves(page);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Run", "the button keeps the focus");
  await until(() => hash(page), (text) => text.includes(`p.go=${ENOUGH}`), "the address");

  // Changing a weight changes the exact gradient, and the samples are drawn again.
  const before = await exact(page);
  await tabTo(page, () => document.activeElement.getAttribute("role") === "slider");
  await page.keyboard.press("ArrowRight");
  const name = "weight of v₁ and h1₂";
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), name);
  const start = await value(page, name);
  await page.keyboard.press("ArrowUp");
  assert.ok(Math.abs((await value(page, name)) - start - 0.05) < 0.001);
  await page.keyboard.press("Shift+ArrowDown");
  assert.ok(Math.abs((await value(page, name)) - start + 0.2) < 0.001);
  await until(() => exact(page), (all) => all.join() !== before.join(), "another exact gradient");
  await until(() => status(page), (text) => !text.startsWith("Done"), "samples again");
  await done(page);
  for (const estimator of COUPLED) assert.equal(await verdict(page, estimator), "contains the exact value everywhere", estimator);
  await page.keyboard.press("Home");
  assert.equal(await value(page, name), 0);
  await until(() => hash(page), (text) => text.includes("p.w=1:0"), "the edit in the address");

  // All of it is undone in one step, and redone.
  await page.keyboard.press("Control+z");
  assert.equal(await value(page, name), start);
  await page.keyboard.press("Control+Shift+z");
  assert.equal(await value(page, name), 0);
  await page.keyboard.press("Control+z");
  await until(() => exact(page), (all) => all.join() === before.join(), "the exact gradient of before");

  // A number is typed in; invalid input is refused with a message.
  await tabTo(page, () => document.activeElement.id === "proof-value");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("-1.25");
  await page.keyboard.press("Enter");
  assert.equal(await value(page, name), -1.25);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("wide");
  await page.keyboard.press("Enter");
  await page.getByText("A number from −5 to 5 is expected.").waitFor();
  assert.equal(await value(page, name), -1.25);

  // A bit of the data, another pattern, an additional estimator.
  await tabTo(page, () => document.activeElement.getAttribute("aria-label") === "Pattern 1, v₁");
  await page.keyboard.press("Space");
  await tabTo(page, () => document.activeElement.textContent === "Add a pattern");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".proof-patterns li").count(), 5);
  await tabTo(page, () => document.activeElement.getAttribute("role") === "listbox");
  await page.keyboard.press("End");
  await page.getByText("mean − exact, bias of h2₂").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("largest deviation of all, in standard errors").waitFor();
  await tabTo(page, () => document.activeElement.closest("label")?.textContent === "LMI");
  await page.keyboard.press("Space");
  await row(page, "LMI").waitFor();
  await until(() => hash(page), (text) => text.includes("p.data=0100,") && text.includes("p.estimators=ucd-lmi,ucd-mh,ucd-gibbs,lmi,cd-1,pcd-1"), "all of it in the address");

  // The unbiased half.
  await tabTo(page, () => document.activeElement.textContent === "Test all sizes");
  await page.keyboard.press("Enter");
  await page.locator(".proof-words").filter({ hasText: "nobody will ever see a correction" }).waitFor({ timeout: 120_000 });
}));

test("pausing and starting over", lab({ search: "#view=proof&p.go=1000000&p.estimators=ucd-lmi,ucd-mh,ucd-gibbs,cd-1" }, async ({ page }) => {
  await opened(page);
  await until(() => samples(page), (count) => count > 2000, "some samples");
  await press(page, button(page, "Pause"));
  await until(() => status(page), (text) => text === "Paused.", "the pause");
  // Running jobs come to an end: then half a second adds no sample.
  let stands;
  do {
    stands = await samples(page);
    await quiet(page, 500);
  } while ((await samples(page)) !== stands);
  assert.ok(stands < 1_000_000);
  await until(() => hash(page), (text) => text.includes("p.samples=1000000") && !text.includes("p.go"), "the address");
  await press(page, button(page, "Run"));
  await until(() => samples(page), (count) => count > stands, "more samples");
  await press(page, button(page, "Pause"));
  await press(page, button(page, "Start over"));
  await until(() => samples(page), (count) => count < stands, "none");
  await button(page, "Pause").waitFor();
}));

slowly("an address is the same numbers in another profile", async (t) => {
  const address = "#view=proof&p.model=random&p.sizes=3,2,2&p.units=bits&p.model-seed=5&p.deviation=1&p.w=2:-0.75&p.data=110,001,011&p.seed=9&p.go=4000&p.intervals=alone";
  const seen = [];
  for (const host of ["isolated", "plain"]) {
    await lab({ search: address, host }, async ({ page }) => {
      await title(page).waitFor({ timeout: 60_000 });
      await done(page);
      assert.equal(await hash(page), address, "the address stays as it came");
      assert.equal(await value(page, "weight of v₂ and h1₁"), -0.75);
      seen.push([await table(page), (await bars(page)).join("\n")]);
    })(t);
  }
  assert.deepEqual(seen[0], seen[1]);
});

slowly("nonsense in the address is as by default", lab({ search: "#view=proof&p.model=random&p.sizes=30,30&p.w=5:x,999:1&p.data=2&p.show=77&p.go=never&p.seed=-1" }, async ({ page }) => {
  await opened(page);
  assert.equal(await samples(page), 0);
  assert.match(await status(page), /^Run draws/);
}));

slowly("Proof of the model in training says when there is none", lab({ search: "#view=proof" }, async ({ page }) => {
  await opened(page);
  await press(page, button(page, "Use the model in training"));
  await page.getByText(/at most 24/).first().waitFor({ timeout: 10_000 });
}));

test("the lab's model is taken where it is small enough", lab({ search: "#view=train&t.data=bars&t.hidden=5,3&t.go=20" }, async ({ page }) => {
  await until(() => steps(page), (count) => count >= 20, "20 steps");
  await goTo(page, "Proof");
  await opened(page);
  await press(page, button(page, "Use the model in training"));
  await page.getByText("This is the model of the lab’s run").waitFor({ timeout: 10_000 });
  await until(() => hash(page), (text) => text.includes("p.model=run") && text.includes("p.sizes=16,5,3"), "the model in the address");
  const parameters = 16 * 5 + 5 * 3 + 16 + 5 + 3;
  await until(() => exact(page), (all) => all.length === parameters && all.every(Boolean), "its exact gradient");
}));

slowly("by touch at 390", lab({ width: 390, height: 844, hasTouch: true, isMobile: true, search: "#view=proof" }, async ({ page, screenshot }) => {
  await opened(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "nothing wider than the screen");
  await page.locator("#proof-target").selectOption(String(ENOUGH));
  await press(page, button(page, "Run"));
  await done(page);
  await proves(page);
  // An edge is chosen by a tap, then dragged.
  const name = "bias of v₂";
  await slider(page, name).locator(".back").scrollIntoViewIfNeeded();
  const box = await slider(page, name).locator(".back").boundingBox();
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.touchscreen.tap(at.x, at.y);
  await until(() => page.locator("#proof-show option:checked").textContent(), (text) => text === name, "the unit that was tapped");
  const before = await value(page, name);
  const session = await page.context().newCDPSession(page);
  const touch = (type, y) => session.send("Input.dispatchTouchEvent", { type, touchPoints: y === undefined ? [] : [{ x: at.x, y }] });
  await touch("touchStart", at.y);
  for (let step = 1; step <= 10; step++) await touch("touchMove", at.y - 5 * step);
  await touch("touchEnd");
  await until(() => value(page, name), (now) => Math.abs(now - before - 0.5) < 0.02, `${before} and 0.5 more`, 10);
  await done(page);
  // A square below the graph shows the same bit of the data as a cell.
  const cell = page.getByRole("button", { name: "Pattern 1, v₄", exact: true });
  assert.equal(await cell.getAttribute("aria-pressed"), "false");
  await page.locator(".proof-graph .bit").nth(3).tap();
  assert.equal(await cell.getAttribute("aria-pressed"), "true");
  await cell.tap();
  assert.equal(await cell.getAttribute("aria-pressed"), "false");
  await press(page, button(page, "Undo"));
  assert.equal(await cell.getAttribute("aria-pressed"), "true");
  await press(page, button(page, "Reset to the preset"));
  assert.equal(await value(page, name), before);
  await done(page);
  await screenshot("proof-390");
}));

test("a weight is dragged with the mouse", lab({ search: "#view=proof" }, async ({ page }) => {
  await opened(page);
  const name = "weight of v₁ and h1₁";
  const before = [await value(page, name), (await exact(page)).join()];
  const ends = await slider(page, name).locator(".hit").evaluate((line) => {
    const at = (x, y) => new DOMPoint(x, y).matrixTransform(line.getScreenCTM());
    const end = (which) => at(line[`x${which}`].baseVal.value, line[`y${which}`].baseVal.value);
    return [end(1), end(2)].map(({ x, y }) => ({ x, y }));
  });
  // No other edge crosses the middle of the leftmost one.
  const from = { x: (ends[0].x + ends[1].x) / 2, y: (ends[0].y + ends[1].y) / 2 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x, from.y + 30, { steps: 6 });
  await page.mouse.move(from.x, from.y + 60, { steps: 6 });
  await page.mouse.up();
  assert.ok(Math.abs((await value(page, name)) - before[0] + 0.6) < 0.02, `${await value(page, name)} after ${before[0]}`);
  await until(() => exact(page), (all) => all.join() !== before[1], "another exact gradient");
  await press(page, button(page, "Undo"));
  assert.equal(await value(page, name), before[0]);
}));
