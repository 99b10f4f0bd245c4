// A browser that lacks something is told so, in words and at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { enabled, lab } from "./browser.mjs";

const told = (page) => page.getByRole("alert");

for (const [what, take, words] of [
  ["WebAssembly", () => delete self.WebAssembly, "WebAssembly with SIMD"],
  ["vectors in WebAssembly", () => (WebAssembly.validate = (bytes) => !Array.from(bytes).includes(253)), "WebAssembly with SIMD"],
  ["workers that are modules", () => (self.Worker = class { constructor() {} }), "workers that are modules"],
  ["workers", () => delete self.Worker, "workers that are modules"],
  ["large integers", () => delete self.BigInt64Array, "64-bit integers in arrays"],
  ["dialogs", () => delete self.HTMLDialogElement, "dialog elements"],
]) {
  test(`without ${what} the page says what is missing`, lab({ prepare: (page) => page.addInitScript(take) }, async ({ page }) => {
    await told(page).waitFor();
    assert.equal(await told(page).textContent(), `This browser lacks ${words}. DBM Lab needs Chrome, Edge, Firefox or Safari of 2023 or later, with nothing of this switched off.`);
    assert.equal(await page.getByRole("heading", { name: "DBM Lab" }).count(), 1);
    assert.equal(await page.getByRole("button").count(), 0, "nothing that would not work");
  }));
}

test("several things that are missing are told together", lab({ prepare: (page) => page.addInitScript(() => { delete self.WebAssembly; delete self.HTMLDialogElement; }) }, async ({ page }) => {
  await page.getByText("This browser lacks WebAssembly with SIMD, dialog elements.").waitFor();
}));

test("a program that does not come is told", lab({ prepare: (page) => page.route("**/dbm-web-*.wasm", (route) => route.abort()) }, async ({ page, errors, screenshot }) => {
  await page.getByText(/^DBM Lab could not be started \(.+\)\. Check the connection, then reload the page\.$/).waitFor();
  await screenshot("not-started");
  errors.splice(0, errors.length);
}));

test("a view whose part of the program does not come says so, and comes when it is asked for again", lab({ view: "proof", prepare: (page) => page.route("**/dbm-web-*-*.wasm", (route) => route.abort()) }, async ({ page, errors }) => {
  await page.getByText("This view could not be fetched. Check the connection, then try again.").waitFor();
  await page.unroute("**/dbm-web-*-*.wasm");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "The model", exact: true }).waitFor();
  errors.splice(0, errors.length);
}));

test("a page that takes long says so, and comes up all the same", async (t) => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const slow = (page) => page.route("**/dbm-web-*.wasm", (route) => held.then(() => route.continue()));
  await lab({ view: "train", prepare: slow }, async ({ page }) => {
    const still = page.getByText("Still loading: the connection is slow, or this browser is older than 2023.");
    assert.equal(await still.isVisible(), false);
    // Fifteen seconds, in no time.
    await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
    await still.waitFor();
    release();
    await enabled(page, "Train").waitFor({ timeout: 60_000 });
    assert.equal(await still.count(), 0);
  })(t);
});

test("without a place to keep anything the page works", lab({ view: "train", prepare: (page) => page.addInitScript(() => { delete self.indexedDB; delete StorageManager.prototype.getDirectory; delete self.caches; }) }, async ({ page }) => {
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await enabled(page, "Step").click();
  await page.waitForFunction(() => document.querySelector("output[aria-label='Gradient steps']").textContent === "1");
}));
