import assert from "node:assert/strict";
import { test } from "node:test";
import { lab } from "./browser.mjs";

test("the page opens without errors, isolated from other origins", lab({}, async ({ page, screenshot }) => {
  assert.match(await page.title(), /^DBM Lab/);
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  await page.waitForLoadState("networkidle");
  await screenshot("opens");
}));
