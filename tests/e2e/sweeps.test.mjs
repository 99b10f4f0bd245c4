// Quality against sweeps, in Complete's More: chains of the pretrained model from noise, observed after more and more sweeps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RULES, isAccessible } from "./axe.mjs";
import { enabled, lab, more, quiet, slowly, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const SLOW = { timeout: 180_000 };
const fold = (page) => page.locator("details.against-sweeps");
const status = (page) => fold(page).getByRole("status");
const captions = (page) => fold(page).locator("figcaption").allTextContents();

/** Unfolds it by keyboard alone, and starts the chains. */
async function begin(page) {
  await enabled(page, "Complete").waitFor(SLOW);
  await more(page);
  await fold(page).locator("summary").focus();
  await page.keyboard.press("Enter");
  await enabled(page, "Run the chains").focus();
  await page.keyboard.press("Enter");
}

const secondLook = (page) => until(() => captions(page), (all) => /^10 sweeps: energy −[\d.]+ ± [\d.]+, [\d.]+ ± [\d.]+ pixels high$/.test(all[1]), "the second look");

test("Cancel keeps the looks so far, and the chains stand still", lab({ width: 390, colorScheme: "dark", view: "complete" }, async ({ page }) => {
  await begin(page);
  await secondLook(page);
  await press(page, fold(page).getByRole("button", { name: "Cancel" }));
  await enabled(page, "Run the chains").waitFor();
  const seen = await captions(page);
  await quiet(page, 1000);
  assert.deepEqual(await captions(page), seen);
  assert.ok(seen[1].includes("energy") && !seen[5].includes("energy"), seen.join());
  await isAccessible(page, "quality against sweeps", "details.against-sweeps", RULES.dark);
}));

for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
  slowly(`chains continue while they are watched, and the page says since when they have been still (${width}, ${colorScheme})`, lab({ width, colorScheme, view: "complete" }, async ({ page, screenshot }) => {
    await begin(page);
    await secondLook(page);
    assert.ok(await fold(page).getByRole("progressbar").isVisible());
    await until(() => captions(page), (all) => all.every((caption) => caption.includes("energy")), "the last look", 180);
    await enabled(page, "Run the chains").waitFor();
    assert.match(await status(page).textContent(), /^(From \d+ to 10000 sweeps, energy and pixels changed by at most two standard errors\.|After 10000 sweeps, energy or pixels are still changing\.)$/);
    const inked = await fold(page).locator("canvas").last().evaluate((canvas) => new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size);
    assert.ok(inked > 3, "the last grid is drawn");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${overflow} px too wide`);
    await isAccessible(page, "quality against sweeps", "details.against-sweeps", RULES[colorScheme]);
    await screenshot(`sweeps-${width}`);
  }));
}
