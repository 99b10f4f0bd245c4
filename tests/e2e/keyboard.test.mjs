// The preview and the save menus without a mouse, and on a narrow screen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, lab, quiet, screenshot, slowly, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const enabled = (page, name) => page.getByRole("button", { name, exact: true }).and(page.locator(":enabled"));
const upload = (page) => page.getByLabel("Upload data set", { exact: true });
const data = (page) => page.getByLabel("Data set", { exact: true });
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.slice(0, 60));

/** A table with gaps, and more columns than fit on a phone. */
const TABLE = {
  name: "a table with rather a long name, as some have who keep the date in it, 2026-11-21.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(
    [Array.from({ length: 14 }, (_, c) => (c === 3 ? "age" : `question ${c}`)).join(",")]
      .concat(Array.from({ length: 40 }, (_, r) => Array.from({ length: 14 }, (_, c) => (c === 3 ? 20 + ((r * 7) % 40) : (r + c) % 9 === 0 ? "" : (r * c) % 3 ? "yes" : "no")).join(",")))
      .join("\n"),
  ),
};

/** Grey pictures of 12 x 12 as IDX. */
const PICTURES = {
  name: "waves.idx",
  mimeType: "application/octet-stream",
  buffer: Buffer.concat([
    Buffer.from([0, 0, 8, 3, 0, 0, 0, 60, 0, 0, 0, 12, 0, 0, 0, 12]),
    Buffer.from(Array.from({ length: 60 * 144 }, (_, at) => Math.round(127 + 127 * Math.sin((at % 12) / (1 + (at / 144) % 5) + (at % 144) / 40)))),
  ]),
};

test("the preview takes the focus, keeps it, and gives it back", lab({ view: "train" }, async ({ page }) => {
  await enabled(page, "Train").waitFor({ timeout: 120_000 });
  const before = await data(page).locator("option").count();
  await upload(page).focus();
  await upload(page).setInputFiles(TABLE);
  const dialog = page.getByRole("dialog", { name: /^a table with rather a long name, .*2026-11-21\.csv$/ });
  await dialog.waitFor();
  const where = () =>
    page.evaluate(() => {
      const { activeElement: focus } = document;
      return focus === document.body ? "body" : document.querySelector("dialog[open]").contains(focus) ? "inside" : "outside";
    });
  assert.equal(await where(), "inside");
  const seen = new Set();
  for (const key of [...Array(60).fill("Tab"), ...Array(60).fill("Shift+Tab")]) {
    await page.keyboard.press(key);
    assert.notEqual(await where(), "outside", "behind a modal dialog nothing is reached");
    if ((await where()) === "inside") seen.add(await focused(page));
  }
  for (const name of ["The first rows", "Threshold of age", "Use this data", "Cancel"]) assert.ok(seen.has(name), `${name} among ${[...seen].join("; ")}`);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement.id), "upload", "back where it was");
  assert.equal(await data(page).locator("option").count(), before);
  assert.equal(await data(page).inputValue(), "digits", "nothing was taken");
  // The same file again gives another preview, and Enter accepts it.
  await upload(page).setInputFiles(TABLE);
  await dialog.getByLabel("Threshold of age").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("30");
  await page.keyboard.press("Tab");
  await dialog.getByRole("status").filter({ hasText: "As bits: 14 visible units" }).waitFor();
  await dialog.getByRole("button", { name: "Use this data" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(/^40 examples, 14 bits/).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "upload");
}));

slowly("the threshold and the bits of pictures are set by keyboard", lab({ view: "train" }, async ({ page }) => {
  await enabled(page, "Train").waitFor({ timeout: 120_000 });
  await upload(page).setInputFiles(PICTURES);
  const dialog = page.getByRole("dialog", { name: PICTURES.name });
  const about = dialog.getByRole("status");
  await about.filter({ hasText: "As bits: 144 visible units" }).waitFor();
  const slider = dialog.getByRole("slider");
  const ones = async () => Number((await about.textContent()).match(/([\d.]+) % ones/)[1]);
  const before = await ones();
  await slider.focus();
  for (let press = 0; press < 20; press++) await page.keyboard.press("ArrowRight");
  await until(ones, (now) => now < before, "fewer ones above a higher threshold");
  await page.keyboard.press("Home");
  await until(ones, (now) => now > before, "more ones above the lowest");
  await dialog.getByLabel("Bits per value").focus();
  await page.keyboard.press("2");
  await about.filter({ hasText: "As bits: 288 visible units" }).waitFor();
  assert.equal(await slider.count(), 0);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
}));

test("menus of what is saved or shared open, do it and close by keyboard, and the focus stays", lab({ view: "train", permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await press(page, enabled(page, "Train"), { timeout: 120_000 });
  await until(() => steps(page), (n) => n >= 5, "5 steps");
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
  await enabled(page, "Train").waitFor();
  const menus = await page.locator("details.save:not(.presets, .notices > *):visible > summary").evaluateAll((all) => all.map((summary) => summary.getAttribute("aria-label")));
  assert.ok(menus.length >= 4, menus.join(", "));
  for (const [at, name] of menus.entries()) {
    const summary = page.locator(`summary[aria-label='${name}']`);
    const forms = await page.locator("details.save", { has: summary }).locator("button").evaluateAll((all) => all.map((form) => form.getAttribute("aria-label")));
    await summary.focus();
    await page.keyboard.press(["Enter", "Space"][at % 2]);
    for (const form of forms) {
      await page.keyboard.press("Tab");
      assert.equal(await focused(page), form);
    }
    await page.keyboard.press("Escape");
    assert.equal(await focused(page), name, "Escape closes the menu");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const download = name.startsWith("Save") && page.waitForEvent("download");
    await page.keyboard.press(["Space", "Enter"][at % 2]);
    if (download) assert.ok((await bytesOf(await download)).length > 0, name);
    else await page.getByText(/A link to this run is (on the clipboard|in the field next to Share): it trains to step \d+/).waitFor();
    assert.equal(await focused(page), name, "after saving");
    assert.equal(await page.locator("details.save[open]").count(), 0);
  }
}));

test("single keys go to views and press their buttons, and can be switched off", lab({}, async ({ page }) => {
  await enabled(page, "Complete").waitFor({ timeout: 120_000 });
  await page.keyboard.press("c");
  await page.getByText(/\d+ distinct of 8/).waitFor({ timeout: 60_000 });
  await page.keyboard.press("1");
  await page.waitForFunction(() => document.title === "Train · DBM Lab");
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await page.keyboard.press("s");
  await until(() => steps(page), (n) => n === 1, "a step");
  await page.keyboard.press("t");
  await until(() => steps(page), (n) => n >= 5, "training");
  await page.keyboard.press("t");
  await enabled(page, "Train").waitFor();
  const paused = await steps(page);
  // Typed text is text, not a shortcut.
  await page.getByLabel("Seed", { exact: true }).focus();
  await page.keyboard.type("4");
  assert.equal(await page.title(), "Train · DBM Lab");
  await page.getByRole("heading", { name: "Training", exact: true }).click();
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.waitFor();
  await list.getByLabel("Use single keys").uncheck();
  await page.keyboard.press("Escape");
  for (const key of ["s", "2"]) await page.keyboard.press(key);
  await quiet(page, 300); // a step would take as long as the one above
  assert.deepEqual([await steps(page), await page.title()], [paused, "Train · DBM Lab"]);
  await page.reload();
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await page.keyboard.press("2");
  await quiet(page, 300);
  assert.equal(await page.title(), "Train · DBM Lab", "it is remembered");
}));

const PHONE = { width: 390, height: 844, hasTouch: true, isMobile: true };
const sideways = (locator) => locator.evaluate((element) => element.scrollWidth - element.clientWidth);

for (const colorScheme of ["light", "dark"]) {
  slowly(`previews and save menus fit a phone (${colorScheme})`, lab({ ...PHONE, colorScheme, view: "train" }, async ({ page }) => {
    await enabled(page, "Train").waitFor({ timeout: 120_000 });
    const dialog = page.getByRole("dialog");
    for (const [name, file] of [["table", TABLE], ["pictures", PICTURES]]) {
      await upload(page).setInputFiles(file);
      await dialog.waitFor();
      await dialog.getByRole("status").filter({ hasText: "As bits" }).waitFor();
      await screenshot(page, `preview-${name}-phone-${colorScheme}`, false);
      assert.ok((await sideways(page.locator("html"))) <= 0, "the page scrolls sideways");
      assert.ok((await sideways(dialog)) <= 0, "the dialog scrolls sideways");
      const box = await dialog.boundingBox();
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, JSON.stringify(box));
      for (const control of await dialog.locator("button, select, input").all()) {
        const { width, height } = await control.evaluate((element) => (element.closest("label") ?? element).getBoundingClientRect().toJSON());
        assert.ok(height >= 44 && width >= 44, `${await control.evaluate((element) => element.outerHTML)} is ${width} by ${height}`);
      }
      const [use, cancel] = [dialog.getByRole("button", { name: "Use this data" }), dialog.getByRole("button", { name: "Cancel" })];
      await cancel.scrollIntoViewIfNeeded();
      assert.ok((await use.isVisible()) && (await cancel.isVisible()));
      if (name === "table") await use.tap();
      else await cancel.tap();
      await dialog.waitFor({ state: "hidden" });
    }
    await press(page, enabled(page, "Step"));
    await until(() => steps(page), (n) => n === 1, "a step");
    for (const summary of await page.locator("details.save:not(.presets, .notices > *):visible > summary").all()) {
      await summary.evaluate((element) => element.scrollIntoView({ block: "center" }));
      await summary.tap();
      const menu = page.locator("details.save[open] > div");
      const box = await menu.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390, `${await summary.getAttribute("aria-label")}: ${JSON.stringify(box)}`);
      assert.ok((await sideways(page.locator("html"))) <= 0, "the page scrolls sideways");
      if ((await summary.getAttribute("aria-label")) === "Save samples") await screenshot(page, `saves-phone-${colorScheme}`, false);
      await summary.tap();
    }
  }));
}
