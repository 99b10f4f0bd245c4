// The tour: every step points at something that exists, drives the page, and works by pointer, by touch and by keyboard alone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isAccessible } from "./axe.mjs";
import { button, enabled, lab, screenshot, slowly, steps as stepsTaken, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const TEXT = readFileSync(new URL("../../docs/tour.md", import.meta.url), "utf8");
const STEPS = [...TEXT.matchAll(/^## (\d+)\. (.+)$/gm)].map(([, number, title]) => ({ number: Number(number), title }));
/** The names of the elements that each step points at. */
const AT = [...TEXT.matchAll(/; at: ([^;]+?)(?:;| -->)/g)].map(([, names]) => names.split(", "));
const panel = (page) => page.getByRole("complementary", { name: /./ }).and(page.locator(".tour"));
const heading = (page) => panel(page).getByRole("heading");
const onStep = (page, { number, title }) => Promise.all([heading(page).getByText(title, { exact: true }).waitFor(), page.getByText(`Tour, step ${number} of ${STEPS.length}`).waitFor()]);
const step = (page) => until(() => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("tour")), () => true, "the address");

/**
 * Every element that the step names exists exactly once, is ringed, and is on the screen with the others, where the panel does not hide its
 * beginning.
 */
async function points(page, { number, title }) {
  const names = AT[number - 1];
  const out = () =>
    page.evaluate((names) => {
      const panel = document.querySelector(".tour").getBoundingClientRect();
      return names.filter((name) => {
        const found = [...document.querySelectorAll(`[data-tour="${name}"]`)];
        if (found.length !== 1 || !found[0].classList.contains("tour-ring")) return true;
        const { left, right, top, height } = found[0].getBoundingClientRect();
        const end = top + Math.min(height, 160);
        const apart = right <= panel.left || panel.right <= left || end <= panel.top + 40 || panel.bottom <= top;
        return top < -10 || end > innerHeight || !apart;
      });
    }, names);
  assert.deepEqual(await until(out, (out) => out.length === 0, `${title}: ${names} on the screen`, 60), []);
  assert.equal(await page.locator(".tour-ring").count(), names.length);
}

const HEIGHTS = { 1280: 900, 390: 844, 768: 1024, 1440: 900 };
for (const width of [1280, 390, 768, 1440]) {
  (width === 390 ? test : slowly)(`the tour is walked at ${width}, without barriers`, lab({ width, height: HEIGHTS[width], ...(width === 390 && { hasTouch: true, isMobile: true }) }, async ({ page }) => {
    await enabled(page, "Complete").waitFor({ timeout: 120_000 });
    await press(page, button(page, "Take the tour"));
    for (const { number, title } of STEPS) {
      await onStep(page, { number, title });
      await points(page, { number, title });
      const does = button(page, "Do it for me");
      if (await does.count()) {
        await page.locator(".tour-asks").getByText("Try it:").waitFor();
        await press(page, does);
        await page.locator(".tour-asks").getByText("Done.").waitFor();
      }
      if (title === "Filling in what is missing") await page.getByText(/^\d+ distinct of 8/).waitFor({ timeout: 120_000 });
      if (title === "Training") {
        await until(() => stepsTaken(page), (taken) => taken > 2, "it trains");
        await press(page, button(page, "Pause"));
      }
      await screenshot(page, `tour-${width}-${number}`, false);
      await isAccessible(page, `step ${number}`, process.env.SLOW ? "html" : ".tour"); // the views have their own tests
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(sideways <= 0, `step ${number} scrolls sideways`);
      await press(page, button(page, number === STEPS.length ? "Finish" : "Next"));
    }
    await panel(page).waitFor({ state: "hidden" });
    assert.equal(await page.locator(".tour-ring").count(), 0);
  }));
}

test("the tour by keyboard alone, left and come back to", lab({ search: "#view=complete" }, async ({ page }) => {
  await enabled(page, "Complete").waitFor({ timeout: 120_000 });
  await button(page, "Take the tour").focus();
  await page.keyboard.press("Enter");
  for (const { number, title } of STEPS) {
    await onStep(page, { number, title });
    await until(() => page.evaluate(() => document.activeElement.id), (id) => id === "tour-title", "the focus is on the step");
    const next = number === STEPS.length ? "Finish" : "Next";
    for (let press = 0; press < 6 && (await page.evaluate(() => document.activeElement.textContent)) !== next; press++) await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), next);
    if (number === 4) {
      await page.keyboard.press("Escape");
      await panel(page).waitFor({ state: "hidden" });
      assert.equal(await page.evaluate(() => document.activeElement.id), "tour", "the focus is where the tour is entered");
      await until(() => step(page), (now) => now === null, "left");
      await button(page, "Resume the tour").press("Enter");
      await onStep(page, { number, title });
      await button(page, next).focus();
    }
    await page.keyboard.press("Enter");
  }
  await panel(page).waitFor({ state: "hidden" });
}));

test("a step is linked, with its view, and a number that is none does no harm", lab({ search: "#tour=8" }, async ({ page }) => {
  await onStep(page, STEPS[7]);
  await page.getByRole("heading", { name: "Proof", exact: true }).waitFor({ timeout: 60_000 });
  await points(page, STEPS[7]);
  await page.evaluate(() => (location.hash = "#tour=99"));
  await onStep(page, STEPS.at(-1));
  await page.evaluate(() => (location.hash = "#view=train&tour=-4"));
  await panel(page).waitFor({ state: "hidden" });
}));
