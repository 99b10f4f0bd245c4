// The page in a folder of a host that sends no special headers, such as GitHub Pages: everything it requests is in that folder, on the
// first visit, on the second, and without a network.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { serve } from "../../scripts/serve.mjs";
import { crew, enabled, lab, slowly, trainSteps, until, useData } from "./browser.mjs";
import { press } from "./hand.mjs";
import { complete, installed, stop } from "./installed.mjs";

const BASE = "/dbm-lab/";
const asked = [];
let server;

before(async () => {
  server = await serve({ base: BASE, isolated: false, gzip: true });
  server.on("request", ({ url }) => asked.push(url));
});
after(() => stop(server));

const table = { name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(`a,b,c\n${Array.from({ length: 20 }, (_, r) => `${r % 2},${(r >> 1) % 2},${(r >> 2) % 2}`).join("\n")}\n`) };

/** Model, completion, training, the visitor's file, and the stored run: all workers are used. */
async function visit(page) {
  await complete(page);
  assert.equal(await page.getByLabel("Model", { exact: true }).locator("option:checked").textContent(), "Pretrained on MNIST");
  await trainSteps(page, 20);
  assert.ok(crew(page).length > 0);
  await page.getByLabel("Upload data set", { exact: true }).setInputFiles(table);
  await useData(page);
  await press(page, enabled(page, "Step"));
  await page.getByText("Saved at step 1", { exact: true }).waitFor({ timeout: 60_000 });
  await until(async () => page.workers().filter((worker) => worker.url().includes("dbm-files")).length, (n) => n === 2, "a reader and a keeper");
}

slowly("in a folder of a plain host: first visit, second visit, and without a network", lab({ serviceWorkers: "allow", host: () => server, search: "dbm-lab", view: "train" }, async ({ page }) => {
  assert.equal(new URL(page.url()).pathname, BASE);
  const home = `${new URL(BASE, page.url())}#view=train`;
  const again = async () => {
    await page.goto("about:blank"); // another fragment alone would be the same page
    await page.goto(home);
  };
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  await visit(page);
  await installed(page);
  await again();
  assert.equal(await page.evaluate(() => crossOriginIsolated), true, "the service worker sends the headers that the host does not");
  assert.equal((await page.reload()).headers()["cross-origin-resource-policy"], "cross-origin", "those for pages that embed it too");
  await visit(page);
  const outside = asked.filter((path) => !path.startsWith(BASE) && path !== BASE.slice(0, -1));
  assert.deepEqual(outside, [], "nothing was requested outside the folder");
  assert.match((await page.evaluate(() => caches.keys())).join(), /^dbm-lab page \/dbm-lab\/ [0-9a-f]{16}$/);
  await stop(server);
  await again();
  await visit(page);
}));
