// Hover help intercepts no press: a hand rests on a control until its help shows, moves on to the next control within a moment, and
// presses. SLOW=1 tries more controls, and each twelve times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { button, enabled, lab, more, shared, until } from "./browser.mjs";
import { HELD, eyes, glide, press } from "./hand.mjs";
import { VIEWS } from "./walk.mjs";

/** From a control with help to the one below or next to it. */
const PAIRS = [
  { view: "complete", name: "Digit to Complete", from: (page) => page.locator("#class"), to: (page) => button(page, "Complete") },
  { view: "complete", name: "Lower half to Digit", from: (page) => button(page, "Lower half"), to: (page) => page.locator("#class") },
  { view: "train", name: "Pause to Use the GPU", from: (page) => button(page, "Pause"), to: (page) => page.getByRole("button", { name: /^Use the (GPU|processor)$/ }) },
  { view: "proof", name: "Undo to the patterns", from: (page) => button(page, "Undo").first(), to: (page) => page.locator(".pattern-bit").first() },
  { view: "complete", name: "Upper half to Complete", from: (page) => button(page, "Upper half"), to: (page) => button(page, "Complete") },
  { view: "complete", name: "Centre to New digit", from: (page) => button(page, "Centre"), to: (page) => page.locator("#new-digit") },
  { view: "complete", name: "Clear mask to Start from", from: (page) => button(page, "Clear mask"), to: (page) => page.locator("#start") },
  { view: "complete", name: "Answers to Sweeps", from: (page) => page.locator("#answers"), to: (page) => page.locator("#sweeps") },
  { view: "train", name: "Step to Speed", from: (page) => button(page, "Step"), to: (page) => page.locator("#pace") },
  { view: "train", name: "Units to Batch size", from: (page) => page.locator("#field-units"), to: (page) => page.locator("#field-batch") },
  { view: "train", name: "Estimator to what is below it", from: (page) => page.locator("#field-estimator"), to: (page) => page.locator("#field-estimator").locator("xpath=following::*[self::input or self::select or self::summary][not(ancestor::details[not(@open)])][1]") },
  { view: "coupling", name: "Units to the field below", from: (page) => page.locator("#coupling-units"), to: (page) => page.locator("#coupling-2") },
  { view: "coupling", name: "Compute to what is shown", from: (page) => button(page, "Compute"), to: (page) => page.locator("#coupling-show") },
  { view: "proof", name: "Redo to the patterns", from: (page) => button(page, "Redo").first(), to: (page) => page.locator(".pattern-bit").nth(1) },
].slice(0, process.env.SLOW ? undefined : 2);
const MOVES = process.env.SLOW ? 12 : 2;
/** Travel time of a hand in milliseconds: in a hurry, or not. */
const HURRIES = [80, 200];
const REST = 600;

const middle = (element) => element.evaluate((control) => hand.aim(control));

/** Moves from one control to another, this many times; resolves to the number of lost presses. */
async function lost(page, { from, to }) {
  let count = 0;
  for (let move = 0; move < MOVES; move++) {
    const [start, end] = await Promise.all([from(page).elementHandle(), to(page).elementHandle()]);
    // The work started by the previous press has ended.
    await end.waitForElementState("enabled", { timeout: 120_000 });
    await middle(end);
    const [a, b] = [await middle(start), await middle(end)];
    await page.mouse.move(a.x, a.y);
    await page.waitForTimeout(REST);
    const watching = await end.evaluateHandle((control) => hand.watch(control));
    await glide(page, a, b, { ms: HURRIES[move % 2] });
    await page.mouse.down();
    await page.waitForTimeout(HELD);
    await page.mouse.up();
    // A list that opens receives the release of its press.
    const { down, clicked } = await watching.evaluate((it) => it.stop());
    if (!(clicked || (down && (await end.evaluate((it) => it.matches("select")))))) count += 1;
    await page.keyboard.press("Escape");
    await page.mouse.move(2, 2);
  }
  return count;
}

test("no press is lost to the help of the control before", async (t) => {
  const { browser, url } = shared();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, serviceWorkers: "block" });
  await context.addInitScript(eyes);
  const results = [];
  for (const view of new Set(PAIRS.map(({ view }) => view))) {
    const page = await context.newPage();
    await page.goto(url + VIEWS[view]);
    await page.locator("main .primary:enabled:visible").first().waitFor({ timeout: 120_000 });
    if (view === "complete") await more(page);
    if (view === "train") await press(page, enabled(page, "Step")); // then there is something to pause, rewind and reset
    for (const pair of PAIRS.filter((pair) => pair.view === view)) {
      const count = await lost(page, pair);
      console.log(`${view}: ${pair.name}: ${count} of ${MOVES} lost`);
      results.push({ ...pair, count });
    }
    await page.close();
  }
  await context.close();
  t.diagnostic(`${results.reduce((sum, { count }) => sum + count, 0)} of ${MOVES * results.length} presses lost`);
  assert.deepEqual(results.filter(({ count }) => count).map(({ name, count }) => `${name}: ${count}`), []);
});

test("a short press of a finger counts, though its release is heard after the timer of a long one; a long one shows help, and presses nothing", lab({ width: 390, height: 844, hasTouch: true, isMobile: true, search: "#view=complete", prepare: (page) =>
  page.addInitScript(() => {
    // A busy page in an engine that handles timers before fingers: as if the timer ended at once.
    const later = window.setTimeout;
    window.setTimeout = (what, after, ...more) => (after === 450 && !window.pressed ? queueMicrotask(what) : later(what, after, ...more));
  }) }, async ({ page }) => {
  const control = enabled(page, "Upper half");
  await control.waitFor();
  await control.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await control.boundingBox();
  await control.evaluate((it) => it.addEventListener("click", () => (window.pressed = (window.pressed ?? 0) + 1)));
  const pressed = () => page.evaluate(() => window.pressed ?? 0);
  const finger = await page.context().newCDPSession(page);
  const touch = (type, touchPoints = []) => finger.send("Input.dispatchTouchEvent", { type, touchPoints });
  const help = page.locator("#help-box");
  await page.evaluate(() => new MutationObserver(() => (window.helped = true)).observe(document.querySelector("#help-box"), { attributes: true }));
  await press(page, control);
  await until(pressed, (count) => count === 1, "a short press");
  assert.ok(await page.evaluate(() => window.helped), "the timer came first");
  assert.ok(await help.isHidden());
  await touch("touchStart", [{ x: x + width / 2, y: y + height / 2 }]);
  await help.waitFor();
  await touch("touchEnd");
  await page.waitForTimeout(300); // a click would have come
  assert.equal(await pressed(), 1);
  assert.ok(await help.isVisible());
}));
