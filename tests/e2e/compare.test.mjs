// Two runs side by side: in lockstep, with the same bits if nothing differs in what was computed, and again from the same address; by
// keyboard, by touch, and when a worker is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { button, enabled, lab, slowly, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const TWO = "#view=train&t.two=yes";
const BARS = `${TWO}&t.data=bars`;
/** Digits with a model that is small for them, and wide enough that its couplings have no effect. */
const DIGITS = `${TWO}&t.data=digits&t.hidden=60,20&t.batch=32`;

const run = (page, letter) => page.getByRole("region", { name: `Run ${letter}`, exact: true });
const stepOf = async (page, letter) => Number(await page.getByLabel(`Steps of run ${letter}`, { exact: true }).textContent());
const stepsOf = async (page) => [await stepOf(page, "A"), await stepOf(page, "B")];
const compared = (page) => page.getByRole("region", { name: "Two runs side by side", exact: true });
const row = async (page, name) => {
  const cells = page.getByRole("row", { name: new RegExp(`^${name}`) }).getByRole("cell");
  return (await cells.allTextContents()).slice(-2);
};
const verdict = (page) => compared(page).locator(".verdict").textContent();
const lanes = (page) => page.workers().filter((worker) => worker.url().includes("dbm-worker"));

/** Waits until both rest at this step, and returns their checksums. */
async function bothAt(page, step) {
  await until(() => stepsOf(page), ([a, b]) => a === step && b === step, `both at ${step}`);
  await enabled(page, "Rewind both").waitFor();
  return until(() => row(page, "Checksum"), (sums) => sums.every((sum) => /^[0-9a-f]{16}$/.test(sum)), "checksums");
}

slowly("signs against bits, on bars and stripes: both train at once, in step, and end apart", lab({ search: `${BARS}&x.preset=signs-bits&x.go=1500` }, async ({ page, screenshot }) => {
  const behind = [];
  await until(
    async () => {
      const steps = await stepsOf(page);
      behind.push(Math.abs(steps[0] - steps[1]));
      return steps;
    },
    ([a, b]) => a === 1500 && b === 1500,
    "both at 1500",
  );
  assert.ok(behind.every((steps) => steps <= 1000), `never more than two rounds apart: ${Math.max(...behind)}`);
  const [a, b] = await bothAt(page, 1500);
  assert.notEqual(a, b);
  assert.match(await verdict(page), /^Different bits from step 0 on\.$/);
  assert.match(await run(page, "A").getByRole("heading").textContent(), /signs ±1/);
  assert.match(await run(page, "B").getByRole("heading").textContent(), /bits 0, 1/);
  for (const count of await row(page, "Distinct samples")) assert.match(count, /^\d+ of 64$/);
  for (const letter of ["A", "B"]) assert.match(await run(page, letter).getByRole("img").getAttribute("aria-label"), new RegExp(`^Run ${letter}: 64 samples at step 1500; \\d+ of 64 distinct$`));
  for (const title of ["Distinct samples", "Reconstruction error", "Pseudo-likelihood", "Free energy", "Energy of both phases", "Exact log-likelihood"]) {
    assert.match(await page.getByRole("figure", { name: title, exact: true }).last().getByRole("img").getAttribute("aria-label"), /run A.*at step \d+; run B/, title);
  }
  await screenshot("compare-bars");
}));

test("without couplings that fire, coupling on and off are the same to the bit; where they fire, they are not", lab({ search: `${DIGITS}&x.preset=coupling&x.go=25` }, async ({ page }) => {
  const [a, b] = await bothAt(page, 25);
  assert.equal(a, b);
  assert.equal(await verdict(page), `The same bits so far: at step 25 both have the checksum ${a}.`);
  assert.deepEqual((await row(page, "τ, mean"))[0], "1 · 1");
  assert.deepEqual((await row(page, "τ, mean"))[1], "–", "LMI couples nothing");
  // The link next to the text leads to bars and stripes.
  await compared(page).getByRole("link", { name: "The same on bars and stripes" }).click();
  await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("t.data=bars"), "the other address");
  const [c, d] = await bothAt(page, 2000);
  assert.notEqual(c, d);
  assert.match(await verdict(page), /^(The same bits at step \d+, different at step \d+\.|Different bits from step \d+ on\.)$/);
}));

slowly("the same address gives the same bits in another browser profile", lab({ search: `${DIGITS}&t.seed=5&x.preset=signs-bits&x.rate=0.004&x.go=12` }, async ({ page, url }) => {
  const here = await bothAt(page, 12);
  assert.match(await run(page, "B").getByRole("heading").textContent(), /bits 0, 1, rate 0.004/);
  const address = await page.evaluate(() => location.hash);
  const other = await page.context().browser().newContext();
  try {
    const there = await other.newPage();
    await there.goto(url + address);
    assert.deepEqual(await bothAt(there, 12), here);
  } finally {
    await other.close();
  }
  // And after pausing on the way, stepping, and resuming from there.
  await press(page, button(page, "Rewind both"));
  await until(() => stepsOf(page), ([a, b]) => a === 0 && b === 0, "both at 0");
  await press(page, enabled(page, "Step both"));
  await bothAt(page, 1);
  await press(page, enabled(page, "Train both"));
  assert.deepEqual(await bothAt(page, 12), here);
}));

test("a pause ends at the same step for both, and closing ends both workers", lab({ search: `${BARS}&x.preset=ucd-gibbs&x.go=100000` }, async ({ page }) => {
  await until(() => stepsOf(page), ([a, b]) => a > 20 && b > 20, "some steps");
  await press(page, button(page, "Pause both"));
  await enabled(page, "Train both").waitFor();
  const [a, b] = await stepsOf(page);
  assert.equal(a, b);
  await bothAt(page, a);
  const before = lanes(page).length;
  await page.evaluate(() => {
    location.hash = "#view=complete&t.two=yes&t.data=bars&x.preset=ucd-gibbs&x.go=100000";
  });
  await compared(page).waitFor({ state: "hidden" });
  assert.equal(lanes(page).length, before, "another view ends nothing");
  await page.evaluate(() => {
    location.hash = "#view=train&t.data=bars";
  });
  await until(() => lanes(page).length, (left) => left <= before - 2, "both workers gone");
}));

slowly("what differs is chosen by keyboard alone", lab({ search: `${BARS}&x.preset=coupling` }, async ({ page, screenshot }) => {
  await enabled(page, "Train both").waitFor();
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim().slice(0, 40));
  await button(page, "Train both").focus();
  const reached = new Set();
  for (let press = 0; press < 20; press++) {
    await page.keyboard.press("Tab");
    reached.add(await focused());
  }
  for (const name of ["signs | bits", "UCD-LMI | CD-10", "UCD-LMI | UCD-Gibbs"]) assert.ok(reached.has(name), `${name} among ${[...reached].join("; ")}`);
  await page.getByLabel("to step", { exact: true }).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("zero");
  await page.keyboard.press("Enter");
  await compared(page).getByText("Expected a whole number from 1 to 1000000; got “zero”.").waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("40");
  await page.keyboard.press("Enter");
  await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("x.to=40"), "the target in the address");
  const form = page.getByRole("form", { name: "Settings of run B" });
  await form.getByLabel("Units", { exact: true }).focus();
  await page.keyboard.press("b");
  await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("x.units=bits"), "the units in the address");
  await form.getByLabel("Learning rate", { exact: true }).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("-1");
  await page.keyboard.press("Enter");
  await form.getByText("Expected a number above 0 and at most 10; got “-1”.").waitFor();
  assert.ok(await button(page, "Train both").isDisabled());
  await page.keyboard.press("Control+A");
  await page.keyboard.type("0.01");
  await page.keyboard.press("Enter");
  await button(page, "Train both").focus();
  await page.keyboard.press("Enter");
  const [a, b] = await bothAt(page, 40);
  assert.notEqual(a, b);
  assert.match(await run(page, "B").getByRole("heading").textContent(), /LMI, no coupling, bits 0, 1, rate 0.01/);
  await screenshot("compare-keyboard");
}));

for (const colorScheme of ["light", "dark"]) {
  slowly(`by touch, 390 pixels wide, ${colorScheme}`, lab({ width: 390, height: 844, hasTouch: true, isMobile: true, colorScheme, search: `${TWO}&t.data=digits` }, async ({ page, screenshot }) => {
    // Choosing a comparison trains its 1000 steps at once: on digits that takes long enough to be paused.
    await enabled(page, "Train both").waitFor();
    await press(page, button(page, "signs | bits"));
    await until(() => stepsOf(page), ([a, b]) => a > 0 && b > 0, "both on their way");
    await press(page, button(page, "Pause both"));
    await enabled(page, "Train both").waitFor({ timeout: 120_000 }); // once the one behind has caught up
    const [a] = await stepsOf(page);
    await bothAt(page, a);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
    const small = await compared(page)
      .locator("button, select, input[type=text], summary, .check")
      .evaluateAll((all) => all.filter((it) => it.checkVisibility() && it.getBoundingClientRect().height < 43.5).map((it) => it.outerHTML.slice(0, 80)));
    assert.deepEqual(small, [], "targets are at least 44 pixels high");
    const boxes = await Promise.all(["A", "B"].map((letter) => run(page, letter).getByRole("img").boundingBox()));
    assert.equal(boxes[0].y, boxes[1].y, "the same sample of both is at the same height");
    assert.equal(boxes[0].width, boxes[1].width);
    await screenshot(`compare-390-${colorScheme}`);
  }));
}

slowly("a lost worker is reported once, and both runs start over", lab({ search: `${BARS}&x.preset=coupling&x.go=300`, prepare: async (page) => {
  // The first worker of a requested run stops soon after.
  await page.addInitScript(() => {
    const { Worker } = window;
    let failed = false;
    window.Worker = class extends Worker {
      constructor(url, options) {
        const lane = options?.name?.startsWith("dbm-workers-");
        super(lane && !failed ? "data:text/javascript,setTimeout(()=>{throw new Error('lost on purpose')},300)" : url, options);
        failed ||= lane;
      }
    };
  });
} }, async ({ page, errors }) => {
  await run(page, "A").getByText(/^The worker of this run was lost: .*\.$/).waitFor();
  assert.ok((await page.getByText("lost on purpose").count()) <= 1, "reported once");
  assert.ok(await button(page, "Train both").isDisabled());
  await press(page, button(page, "Start over"));
  await bothAt(page, 300);
  // Chromium reports the failure in the console because the test caused it.
  errors.splice(0, errors.length, ...errors.filter((error) => !/lost on purpose|data:text/.test(error)));
}));
