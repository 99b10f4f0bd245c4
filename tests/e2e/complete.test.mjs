// The Complete view: ranked answers, masks and strokes undone, pictures cleaned up, searches and pairs watched, and its state in the
// address.
import assert from "node:assert/strict";
import { test } from "node:test";
import { button, collectErrors, enabled, goTo, lab, more, slowly, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const SLOW = { timeout: 120_000 };
const region = (page) => page.getByRole("region", { name: "Completion", exact: true });
const canvas = (page) => region(page).locator("canvas").first();
const picture = (page) => canvas(page).evaluate((c) => c.toDataURL());
const ready = (page) => enabled(page, "Complete").waitFor(SLOW);
const status = (page) => page.getByText(/^\d+ distinct of \d+, by /);
const hash = async (page) => new Map(await page.evaluate(() => [...new URLSearchParams(location.hash.slice(1))]));
const tiles = (page) => page.getByRole("list", { name: "Answers" }).locator("li:not(.void)");
const caption = (page) => region(page).locator(".plate figcaption");

/** Energies and counts as shown on the tiles. */
async function ranked(page) {
  const texts = await tiles(page).locator(".key").evaluateAll((all) => all.map((key) => [...key.children].map((part) => part.textContent)));
  return texts.map(([count, energy]) => ({ count: Number(count.replace("× ", "")), energy: Number(energy.replace("−", "-")) }));
}

/** The pictures on the tiles, as data URLs, once drawn. */
const shown = (page) => tiles(page).locator("canvas").evaluateAll((all) => all.map((c) => c.toDataURL()));

async function complete(page, name = "Complete") {
  await press(page, enabled(page, name), SLOW);
  await status(page).waitFor(SLOW);
}

async function paint(page, from, to) {
  await canvas(page).scrollIntoViewIfNeeded();
  const box = await canvas(page).boundingBox();
  await page.mouse.move(box.x + box.width * from[0], box.y + box.height * from[1]);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to[0], box.y + box.height * to[1], { steps: 12 });
  await page.mouse.up();
}

test("answers are ranked by energy, with how often each came", lab({ search: "#view=complete&c.answers=16&c.by=search&c.mask=random30" }, async ({ page, screenshot }) => {
  await ready(page);
  await until(async () => Number((await caption(page).textContent()).match(/^\d+/)[0]), (n) => n > 180 && n < 290, "about 30 % are hidden");
  await complete(page);
  const best = await ranked(page);
  assert.equal(best.reduce((sum, { count }) => sum + count, 0), 16, "the counts sum to all answers");
  assert.equal((await status(page).textContent()).match(/^\d+/)[0], String(best.length));
  for (let at = 1; at < best.length; at++) assert.ok(best[at - 1].energy <= best[at].energy, JSON.stringify(best));
  const first = page.getByRole("button", { name: "Answer 1", exact: true });
  assert.match(await first.getAttribute("data-help"), /^Energy −[\d.]+, search T = \d+ sweeps, found (once|\d+ times) of 16; \d+ % of pixels match the original\.$/);
  assert.equal(await first.getAttribute("aria-pressed"), "true", "the best is shown");
  assert.match(await caption(page).textContent(), /^Answer 1\. Energy −/);
  await page.getByLabel("Sort", { exact: true }).selectOption("came");
  await until(() => ranked(page), (now) => now.length === best.length && JSON.stringify(now) !== JSON.stringify(best), "the order they came in");
  const came = await ranked(page);
  assert.deepEqual(came.map(({ energy }) => energy).sort((a, b) => a - b), best.map(({ energy }) => energy));
  await until(() => hash(page), (now) => now.get("c.sort") === "came", "the order in the address");
  await press(page, button(page, "Consensus"));
  const text = await caption(page).textContent();
  assert.match(text, /^Consensus\. Built from all 16 answers: .*; \d+ % of pixels match the original\. Paint to change the question\.$/);
  await press(page, button(page, "Agreement"));
  await canvas(page).hover({ position: { x: 60, y: 60 } });
  await page.getByText(/^Row \d+, column \d+: \d+ of 16 answers have ink here\./).waitFor();
  await screenshot("complete-ranked");
}));

test("masks and strokes are taken back and done again, by keys and by buttons", lab({}, async ({ page }) => {
  await ready(page);
  await more(page);
  const look = async () => ({ drawn: await picture(page), unknown: Number((await caption(page).textContent()).match(/^\d+/)?.[0] ?? 0) });
  const unknown = (count) => until(async () => (await look()).unknown, (now) => now === count, `${count} unknown`);
  for (const [name, count] of [["Upper half", 392], ["Right half", 392], ["Centre", 196], ["Outer frame", 384], ["Stripes", 392], ["Hide everything (invent a digit)", 784]]) {
    await press(page, button(page, name));
    await unknown(count);
  }
  await press(page, button(page, "Random pixels, 60 %"));
  const about60 = ({ unknown }) => unknown > 400 && unknown < 540;
  const random = await until(look, about60, "about 60 %");
  await press(page, button(page, "Random pixels, 60 %"));
  // Two random masks may have the same size, but not the same shape.
  await until(look, (now) => about60(now) && now.drawn !== random.drawn, "60 % once more");
  await press(page, button(page, "Undo the last edit"));
  await until(look, (now) => now.unknown === random.unknown && now.drawn === random.drawn, "the first one again");
  await page.keyboard.press("Control+z");
  await unknown(784);
  await page.keyboard.press("Control+z");
  await unknown(392);
  await page.keyboard.press("Control+Shift+Z");
  await unknown(784);
  await page.keyboard.press("Control+y");
  await unknown(random.unknown);
  await press(page, button(page, "Redo the edit"));
  assert.ok(await button(page, "Redo the edit").isDisabled(), "nothing more to redo");
  await press(page, button(page, "Clear mask"));
  await page.getByText("Nothing is hidden yet").waitFor();
  const clear = await look();
  await page.getByLabel("Draw", { exact: true }).check({ force: true });
  await paint(page, [0.1, 0.1], [0.9, 0.2]);
  const drawn = await until(() => picture(page), (now) => now !== clear.drawn, "a stroke");
  await page.keyboard.press("Control+z");
  await until(() => picture(page), (now) => now === clear.drawn, "taken back");
  await page.keyboard.press("Control+y");
  await until(() => picture(page), (now) => now === drawn, "done again");
  await page.getByLabel("Erase ink", { exact: true }).check({ force: true });
  await paint(page, [0.1, 0.1], [0.9, 0.2]);
  await until(() => picture(page), (now) => now !== drawn, "erased");
  // In another view, this view's keys have no effect.
  await goTo(page, "Train");
  await page.keyboard.press("Control+z");
  await goTo(page, "Complete");
  assert.ok(await button(page, "Redo the edit").isDisabled());
}));

test("a digit drawn by hand is cleaned up, and travels in the address", lab({ search: "#view=complete&c.start=blank" }, async ({ page, url, screenshot }) => {
  await more(page);
  await enabled(page, "Clean up").waitFor(SLOW);
  assert.ok(await button(page, "Complete").isDisabled(), "nothing is unknown");
  assert.equal(await page.getByLabel("Start from").inputValue(), "blank");
  await page.getByLabel("Draw", { exact: true }).check({ force: true });
  await paint(page, [0.3, 0.2], [0.7, 0.2]);
  await paint(page, [0.7, 0.2], [0.45, 0.8]);
  const drawn = await picture(page);
  await complete(page, "Clean up");
  const answers = await until(() => shown(page), (now) => now.length > 0 && now.every((url) => url.length > 500), "answers");
  await until(() => picture(page), (now) => now !== drawn, "something was changed"); // pictures appear in the next frame
  await screenshot("complete-cleaned");
  const address = await until(() => hash(page), (now) => now.get("c.go") === "clean", "in the address");
  assert.equal(address.get("c.ink").length, 131);
  const again = await page.context().browser().newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const other = await again.newPage();
    const errors = collectErrors(other);
    await other.goto(url + new URL(page.url()).hash);
    await status(other).waitFor(SLOW);
    await until(async () => JSON.stringify(await shown(other)), (now) => now === JSON.stringify(answers), "the same answers");
    assert.deepEqual(errors, []);
  } finally {
    await again.close();
  }
}));

test("the address gives the same picture, mask and answers in a new profile, and nonsense in it does no harm", lab({ search: "#view=complete&c.seed=7&c.mask=frame&c.answers=4&c.by=sample&c.sweeps=10&c.go=yes" }, async ({ page, url }) => {
  await status(page).waitFor(SLOW);
  const first = await ranked(page);
  await press(page, button(page, "Another set"));
  const other = await until(() => ranked(page), (now) => now.length > 0 && JSON.stringify(now) !== JSON.stringify(first), "another set");
  await paint(page, [0.4, 0.4], [0.6, 0.6]);
  await complete(page);
  await until(() => ranked(page), (now) => now.length > 0 && JSON.stringify(now) !== JSON.stringify(other), "answers to another question");
  const address = await until(() => hash(page), (now) => now.get("c.go") === "yes" && now.get("c.mask").length === 131, "a freehand mask in the address");
  assert.deepEqual(["c.seed", "c.answers", "c.by", "c.sweeps"].map((key) => address.get(key)), ["7", "4", "sample", "10"]);
  const [answers, numbers] = [await shown(page), await ranked(page)];
  const context = await page.context().browser().newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const there = await context.newPage();
    const errors = collectErrors(there);
    await there.goto(url + new URL(page.url()).hash);
    await status(there).waitFor(SLOW);
    assert.deepEqual(await ranked(there), numbers);
    await until(async () => JSON.stringify(await shown(there)), (now) => now === JSON.stringify(answers), "the same pictures");
    assert.equal(await there.locator("#by").inputValue(), "sample");
    await there.evaluate(() => (location.hash = "#view=complete&c.seed=-3&c.mask=%F0&c.answers=9999&c.by=magic&c.ink=AAA&c.start=moon&c.go=perhaps&c.set=1e9"));
    await there.getByText("392 of 784 pixels unknown.").waitFor();
    assert.equal(await there.locator("#answers").inputValue(), "8");
    assert.equal(await there.locator("#by").inputValue(), "suited");
    assert.equal(await status(there).count(), 0);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}));

slowly("a coupled pair is watched: on a wide model it has met at once, and the refusal is a number", lab({ reducedMotion: "reduce" }, async ({ page, screenshot }) => {
  await ready(page);
  await more(page);
  await page.getByLabel("Watch", { exact: true }).selectOption("metropolis");
  await press(page, button(page, "Watch the pair"));
  await page.getByText(/^x and y start from one state/).first().waitFor(SLOW);
  const slider = page.getByLabel("Step of the pair");
  assert.equal(await slider.getAttribute("max"), "1");
  await slider.focus();
  await page.keyboard.press("End");
  const text = await page.getByText(/^Step 1: ln u = −[\d.]+ for the proposal\. x refuses \(log-probability −[\d.]+\)\. They have met: τ = 1\.$/).first().textContent();
  assert.ok(Number(text.match(/log-probability −([\d.]+)/)[1]) > 100, text);
  await page.getByLabel("Watch", { exact: true }).selectOption("gibbs");
  await press(page, button(page, "Watch the pair"));
  await until(() => slider.getAttribute("max"), (max) => Number(max) > 1, "Gibbs takes more steps");
  await slider.focus();
  await page.keyboard.press("End");
  await page.getByText(/^Step \d+: .*(units differ|They have met)/).first().waitFor();
  await page.keyboard.press("Home");
  for (let step = 0; step < 2; step++) await page.keyboard.press("ArrowRight");
  await page.getByText(/^Step 2: .* \d+ units differ\./).first().waitFor();
  // Pictures appear in the next frame, text at once.
  const pictures = () => page.locator(".chains canvas").evaluateAll((all) => all.map((canvas) => canvas.toDataURL()));
  await until(pictures, ([x, y]) => x !== y, "two pictures");
  await screenshot("complete-pair");
  await until(() => hash(page), (now) => now.get("c.watch") === "gibbs", "in the address");
}));

test("the whole view works by keyboard", lab({ search: "#view=complete" }, async ({ page }) => {
  await ready(page);
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.id ?? document.activeElement.textContent);
  await canvas(page).focus();
  const before = await picture(page);
  for (const key of ["Home", "ArrowUp", "ArrowRight", "Space"]) await page.keyboard.press(key);
  await until(() => picture(page), (now) => now !== before, "painted by Space");
  await page.locator("details.completion-more > summary").press("Enter");
  await page.getByRole("slider", { name: "Brush width in pixels" }).waitFor();
  await canvas(page).focus();
  const seen = [];
  for (let press = 0; press < 45; press++) {
    await page.keyboard.press("Tab");
    seen.push((await focused()) || (await page.evaluate(() => document.activeElement.textContent)));
  }
  for (const name of ["Lower half", "Random pixels, 30 %", "Undo the last edit", "start", "answers", "by", "sweeps", "sort", "watch", "Complete", "Clean up"]) {
    assert.ok(seen.includes(name), `${name} is reached: ${seen.join(", ")}`);
  }
  await button(page, "Complete").focus();
  await page.keyboard.press("Enter");
  await status(page).waitFor(SLOW);
  const second = page.getByRole("button", { name: "Answer 2", exact: true });
  await second.focus();
  await page.getByRole("tooltip").filter({ hasText: /^Energy −/ }).waitFor();
  await page.keyboard.press("Enter");
  await until(() => caption(page).textContent(), (text) => text.startsWith("Answer 2. Energy"), "answer 2 is shown");
  await button(page, "Agreement").focus();
  await page.keyboard.press("Space");
  await canvas(page).focus();
  for (let press = 0; press < 20; press++) await page.keyboard.press("ArrowDown");
  await page.getByText(/^Row \d+, column \d+: \d of 8 answers have ink here\./).first().waitFor();
}));

for (const [width, colorScheme] of [[390, "light"], [360, "dark"]]) {
  slowly(`by touch at ${width} (${colorScheme})`, lab({ width, height: 844, hasTouch: true, isMobile: true, colorScheme, search: "#view=complete&c.answers=64" }, async ({ page, screenshot }) => {
    await ready(page);
    await more(page);
    for (const name of ["Stripes", "Undo the last edit", "Redo the edit", "Complete"]) await press(page, enabled(page, name));
    await status(page).waitFor(SLOW);
    await press(page, page.getByRole("button", { name: "Answer 1", exact: true }));
    const small = await region(page).locator("button:visible, select:visible").evaluateAll((all) =>
      all.map((one) => [one.getAttribute("aria-label") ?? one.textContent.slice(0, 30), one.getBoundingClientRect()]).filter(([, box]) => box.width < 43.5 || box.height < 43.5).map(([name, box]) => `${name} ${box.width}x${box.height}`));
    assert.deepEqual(small, []);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `scrolls sideways by ${overflow} pixels`);
    await screenshot(`complete-touch-${width}`);
  }));
}

const film = (page) => page.locator("li", { has: button(page, "Film of an answer") });

test("on a first visit a question with several answers is answered, and one answer is filmed in its own tile", lab({}, async ({ page, url, screenshot }) => {
  await status(page).waitFor(SLOW);
  assert.match(await status(page).textContent(), /Read as: \d \(\d+ %\), \d \([1-9]\d %\)/, "two digits are likely");
  assert.ok((await ranked(page)).length > 1);
  const frame = () => film(page).locator("canvas").evaluate((canvas) => canvas.toDataURL());
  await film(page).getByText(/^Sweep \d+$/).waitFor(SLOW);
  const early = await frame();
  await film(page).getByText("Answer", { exact: true }).waitFor(SLOW);
  const end = await frame();
  assert.notEqual(end, early);
  assert.ok((await page.getByRole("list", { name: "Answers" }).locator("canvas").evaluateAll((all) => all.map((canvas) => canvas.toDataURL()))).length === 8);
  assert.equal(await page.locator("details.completion-more").evaluate((it) => it.open), false);
  await screenshot("first-visit");
  await page.goto("about:blank");
  await page.goto(url);
  await ready(page);
  assert.equal(await status(page).count(), 0, "it does not come again");
}));

slowly("a first visit without motion has answers and the film's end at once", lab({ reducedMotion: "reduce" }, async ({ page }) => {
  await status(page).waitFor(SLOW);
  await film(page).getByText("Answer", { exact: true }).waitFor(SLOW);
}));

slowly("nothing is kept where nothing can be", lab({ prepare: (page) => page.addInitScript(() => Object.defineProperty(self, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } })) }, async ({ page }) => {
  await ready(page);
  // If the visit could not be remembered, the first visit would come again and again, so there is none.
  assert.equal(await status(page).count(), 0);
  await complete(page);
}));

test("answers to another question fade and lose their counts, and come back with their question", lab({}, async ({ page }) => {
  await complete(page);
  const counts = () => page.getByRole("list", { name: "Answers" }).locator(".key").evaluateAll((all) => all.map((key) => key.textContent.trim()).join(""));
  const before = await counts();
  assert.match(before, /^× \d/);
  for (const change of [() => press(page, button(page, "Upper half")), () => page.getByLabel("Digit", { exact: true }).selectOption("3")]) {
    await change();
    await page.getByText("The question has changed.").waitFor();
    assert.equal(await counts(), "");
    assert.equal(await page.getByText(/Read as/).count(), 0);
    assert.equal(await button(page, "Answer 1").isDisabled(), true);
    await caption(page).getByText(/ pixels unknown\./).waitFor();
    await page.getByLabel("Digit", { exact: true }).selectOption("");
    await press(page, button(page, "Lower half"));
    await until(counts, (now) => now === before, "the answers of this question");
  }
}));

slowly("More opens when the address has one of its settings", lab({ search: "#view=complete&c.answers=4" }, async ({ page }) => {
  await ready(page);
  await page.getByLabel("Answers", { exact: true }).and(page.locator("select")).waitFor();
  const fold = page.locator("details.completion-more > summary");
  await fold.press("Enter");
  await page.locator("#answers").waitFor({ state: "hidden" });
  await fold.press("Enter");
  await page.locator("#answers").waitFor();
}));
