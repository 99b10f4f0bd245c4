// The page appears, and can be used before the pretrained model is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { button, enabled, lab, more, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

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
  await press(page, page.getByRole("button", { name: "Train", exact: true }).and(page.locator(":enabled")));
  await until(() => steps(page), (n) => n >= 3, "3 steps");
  await press(page, page.getByRole("button", { name: "Pause", exact: true }));
  const model = page.getByLabel("Model", { exact: true });
  assert.equal(await model.locator("option:checked").textContent(), "In training");
  release();
  await model.locator("option", { hasText: "Pretrained on MNIST" }).and(page.locator(":enabled")).waitFor({ state: "attached" });
}));

test("the other pretrained model is fetched when it is chosen, is in the address, and where it does not come the one that is open stays", lab({}, async ({ page, errors, screenshot }) => {
  const model = page.getByLabel("Model", { exact: true });
  const shown = () => model.locator("option:checked").textContent();
  const line = page.locator(".masthead-model .figures-text");
  await line.getByText(/784–\d+–\d+–10 signs, \d+ steps/).waitFor();
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
  await press(page, button(page, "Complete"));
  await page.getByRole("list", { name: "Answers" }).locator("li:not(.void)").first().waitFor({ timeout: 60_000 });
  await screenshot("equilibrium");
  const visitor = await page.context().newPage();
  await visitor.goto(page.url());
  await visitor.getByText(second).waitFor();
  assert.equal(await visitor.getByLabel("Model", { exact: true }).locator("option:checked").textContent(), "Pretrained, in equilibrium");
  await visitor.close();
  await model.selectOption("deep");
  await until(() => line.textContent(), (now) => now === first, "the first model again");
  assert.equal(await shown(), "Pretrained on MNIST");
  await until(() => page.url(), (url) => !url.includes("c.model="), "the address");
}));

test("each pretrained model has its card; one of greys completes generated digits; and what each layer of the deep one says is drawn", lab({}, async ({ page, screenshot }) => {
  const SLOW = { timeout: 120_000 };
  const model = page.getByLabel("Model", { exact: true });
  const card = page.locator("details.about-model");
  await enabled(page, "Complete").waitFor(SLOW);
  await card.locator("summary").click();
  await card.getByText(/784–\d+–\d+–10/).waitFor();
  await more(page);
  const layers = page.locator("details.each-layer");
  await layers.locator("summary").click();
  await press(page, enabled(page, "Draw samples"));
  await layers.locator("figcaption").getByText("Their label alone").waitFor(SLOW);
  const drawn = () => layers.locator("canvas").evaluateAll((all) => all.map((canvas) => canvas.toDataURL()));
  const rows = await until(drawn, (rows) => new Set(rows).size === 4 && rows.every((row) => row.length > 1500), "four rows that differ");
  assert.equal(rows.length, 4);
  await enabled(page, "Draw samples").waitFor(SLOW);
  await screenshot("layers");
  await model.selectOption("one-layer");
  await page.getByText(/784–500 signs, \d+ steps/).waitFor(SLOW);
  await card.getByText("784–500").waitFor();
  assert.ok(await layers.isHidden(), "one hidden layer says all there is");
  await model.selectOption("grey");
  await page.getByText(/3136–500 signs, \d+ steps/).waitFor(SLOW);
  await card.getByText("3136–500").waitFor();
  assert.ok(await layers.isHidden(), "one hidden layer says all there is");
  await press(page, button(page, "New digit"));
  await press(page, button(page, "Complete"));
  await page.getByRole("list", { name: "Answers" }).locator("li:not(.void)").first().waitFor(SLOW);
  const ink = await page.locator(".completion-picture canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(Array.from({ length: data.length / 4 }, (_, at) => data.slice(4 * at, 4 * at + 3).join())).size;
  });
  assert.ok(ink > 4, "more than two greys");
  await screenshot("grey");
}));
