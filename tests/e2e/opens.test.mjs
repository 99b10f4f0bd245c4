// The page comes up, and can be used before the pretrained model is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { button, lab, steps, until } from "./browser.mjs";

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

test("the other pretrained model is fetched when it is chosen, is in the address, and where it does not come the one that is open stays", lab({}, async ({ page, errors, screenshot }) => {
  const model = page.getByLabel("Model", { exact: true });
  const shown = () => model.locator("option:checked").textContent();
  const line = page.locator(".masthead-model .figures-text");
  await line.getByText(/784–500–1000–10 signs, \d+ steps/).waitFor();
  const first = await line.textContent();
  await page.route("**/equilibrium.safetensors", (route) => route.abort());
  await model.selectOption("equilibrium");
  await page.getByText("models/equilibrium.safetensors could not be fetched").waitFor();
  assert.equal(await until(shown, (now) => now === "Pretrained on MNIST", "the model that is open"), "Pretrained on MNIST");
  assert.equal(await line.textContent(), first);
  errors.splice(0, errors.length);

  await page.unroute("**/equilibrium.safetensors");
  await model.selectOption("equilibrium");
  const second = await until(() => line.textContent(), (now) => now !== first && now.includes("steps"), "another model");
  assert.match(second, /^784–500 signs, /);
  await until(() => page.url(), (url) => url.includes("c.model=equilibrium"), "the address");
  await button(page, "Complete").click();
  await page.getByRole("list", { name: "Answers" }).locator("li:not(.void)").first().waitFor({ timeout: 60_000 });
  await screenshot("equilibrium");
  const visitor = await page.context().newPage();
  await visitor.goto(page.url());
  await visitor.getByText(second).waitFor();
  assert.equal(await visitor.getByLabel("Model", { exact: true }).locator("option:checked").textContent(), "Pretrained, in equilibrium");
  await visitor.close();
  await model.selectOption("pretrained");
  await until(() => line.textContent(), (now) => now === first, "the first model again");
  assert.equal(await shown(), "Pretrained on MNIST");
  await until(() => page.url(), (url) => !url.includes("c.model="), "the address");
}));
