// Stored runs and the tabs they come from: including the visitor's own data, several tabs at once, and an offer taken, left, or discarded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atRest, crew, screenshot, slowly, steps, until } from "./browser.mjs";
import { button, enabled, kept, keptAt, offer, pause, storage, train } from "./keeping.mjs";
import { press } from "./hand.mjs";

test("data of the visitor's come back with their run, gaps included", kept({}, async ({ open }) => {
  const page = await open();
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  const cell = (r, c) => ((r * 5 + c * 3) % 11 === 0 ? "?" : Number((r * 7 + c * 3 + ((r * c) % 5)) % 4 < 2));
  const table = ["a,b,c,d,e,f,g,h"].concat(Array.from({ length: 60 }, (_, r) => Array.from({ length: 8 }, (_, c) => cell(r, c)).join(",")));
  const csv = { name: "<i>mine.csv", mimeType: "text/csv", buffer: Buffer.from(table.join("\n") + "\n") };
  await page.getByLabel("Upload data set", { exact: true }).setInputFiles(csv);
  await press(page, button(page, "Use this data"));
  const chosen = () => page.getByLabel("Data set", { exact: true }).locator("option:checked").textContent();
  const about = page.getByText(/^60 examples/);
  await until(chosen, (name) => name.includes("mine"), "the table is in use");
  await press(page, enabled(page, "Train"));
  await until(() => keptAt(page), () => true, "kept");
  const at = await pause(page);
  const [name, said] = [await chosen(), await about.textContent()];
  assert.match(said, /missing/);
  await page.reload();
  await offer(page).filter({ hasText: `mine.csv, step ${at}.` }).waitFor();
  await press(page, button(page, "Resume"));
  await until(() => steps(page), (n) => n === at, "the run stands where it was");
  assert.deepEqual([await chosen(), await about.textContent()], [name, said]);
  // A worker that replaces one that died gets the same data.
  await crew(page)[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  await page.getByRole("alert").filter({ hasText: "killed by the test" }).waitFor();
  await press(page, enabled(page, "Step"), { timeout: 60_000 });
  await until(() => steps(page), (n) => n === at + 1, "one step more");
  assert.deepEqual([await chosen(), await about.textContent()], [name, said]);
  const own = page.errors.filter((error) => !error.includes("killed by the test"));
  page.errors.splice(0, page.errors.length, ...own);
}));

slowly("two tabs keep a run each, and neither takes the other's", kept({}, async ({ open }) => {
  const first = await open();
  await train(first, 1);
  const second = await open();
  await second.getByText(/^Another tab has a run open: 16–\d+–\d+ on Bars and stripes 4 × 4, step \d+\. Each tab keeps its own\.$/).waitFor();
  await train(second, 1);
  const [one, two] = [await pause(first), await pause(second)];
  const places = Object.values(await storage(second));
  assert.deepEqual(places.map((place) => place.slots[0].step).sort(), [one, two].sort());
  await first.close();
  const third = await open();
  await offer(third).filter({ hasText: `step ${one}.` }).waitFor();
  await press(third, button(third, "Resume"));
  await until(() => steps(third), (n) => n === one, "the run of the tab that was closed");
  const fourth = await open();
  await fourth.getByText(/^Another tab has a run open/).waitFor();
  assert.equal(await offer(fourth).count(), 0);
}));

slowly("an offer stays while something else is trained, can be discarded, and the discarding undone", kept({}, async ({ open }) => {
  let page = await open();
  await train(page, 1);
  const at = await pause(page);
  await page.reload();
  await offer(page).waitFor();
  await train(page, 1);
  await pause(page);
  assert.equal(await offer(page).count(), 1);
  await press(page, button(page, "Discard"));
  const discarded = page.getByText("The saved run was discarded; it is deleted when you close this.");
  await discarded.waitFor();
  assert.equal(await offer(page).count(), 0);
  await press(page, page.locator(".notice", { has: discarded }).getByRole("button", { name: "Undo" }));
  await offer(page).filter({ hasText: `step ${at}.` }).waitFor();
  assert.equal(Object.keys(await storage(page)).length, 2);
  await press(page, button(page, "Discard"));
  await press(page, page.locator(".notice", { has: discarded }).getByRole("button", { name: "Dismiss this notice" }));
  await until(async () => Object.keys(await storage(page)).length, (n) => n === 1, "the discarded run is deleted");
  // The run trained meanwhile is the one that is stored. Resuming sets the page's present run aside, and Undo brings it back.
  await page.reload();
  await offer(page).waitFor();
  await press(page, enabled(page, "Step"));
  await until(() => keptAt(page), (step) => step === 1, "one step of another run kept");
  await press(page, button(page, "Resume"));
  await until(() => steps(page), (n) => n > 1, "the kept run");
  const stands = await steps(page);
  await press(page, button(page, "Undo"));
  await until(() => steps(page), (n) => n === 1, "the run before");
  await until(() => keptAt(page), (step) => step === 1, "which is kept again");
  const kept = Object.values(await storage(page)).map((place) => place.slots[0].step);
  assert.ok(kept.includes(1) && kept.includes(stands), "and the other one still");
}));

slowly("the offer fits a desk and a phone, in light and dark", kept({}, async ({ open }) => {
  const page = await open();
  await train(page, 1);
  await screenshot(page, "kept-training");
  await page.setViewportSize({ width: 390, height: 844 });
  await button(page, "Pause").scrollIntoViewIfNeeded();
  await screenshot(page, "kept-training-phone", false);
  await pause(page);
  await page.reload();
  await offer(page).waitFor();
  for (const [width, height] of [[1280, 900], [390, 844]])
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const box = await offer(page).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, "within the window");
      await atRest(page);
      await screenshot(page, `offer-${width}-${colorScheme}`, false);
    }
}));
