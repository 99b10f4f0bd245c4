// The page comes up, and can be used before the pretrained model is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lab, steps, until } from "./browser.mjs";

test("the page opens without errors, isolated from other origins", lab({ serviceWorkers: "allow" }, async ({ page, screenshot }) => {
  await page.waitForFunction(() => document.title === "Complete · DBM Lab");
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  await page.waitForLoadState("networkidle");
  await screenshot("opens");
}));

let release;
const held = new Promise((resolve) => (release = resolve));
const holdModel = (page) => page.route("**/*.safetensors", (route) => held.then(() => route.continue()));

test("the page trains before the pretrained model has arrived", lab({ prepare: holdModel, view: "train" }, async ({ page }) => {
  await page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")).click();
  await until(() => steps(page), (n) => n >= 3, "3 steps");
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const model = page.getByLabel("Model", { exact: true });
  assert.equal(await model.locator("option:checked").textContent(), "In training");
  release();
  await model.locator("option", { hasText: "Pretrained on MNIST" }).and(page.locator(":enabled")).waitFor({ state: "attached" });
}));
