// Without a network after the first visit, installed, and from one version to the next.
import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchProfile } from "../../scripts/chromium.mjs";
import { DIST, serve } from "../../scripts/serve.mjs";
import { writeServiceWorker } from "../../scripts/service-worker.mjs";
import { crew, enabled, goTo, lab, screenshot, slowly, steps, trainSteps, until, useData } from "./browser.mjs";
import { press } from "./hand.mjs";
import { complete, installed, stop } from "./installed.mjs";

const LOADER = "dbm-worker-wasm_loader.js";
const folders = [];

after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function folder(name) {
  const made = mkdtempSync(join(tmpdir(), `dbm-${name}-`));
  folders.push(made);
  return made;
}

/**
 * The test's own server, at `it.server`, with a copy of the built page at `it.root`, the requested paths in `it.asked`, and those of the
 * files sent in `it.sent`.
 */
function own(options, body) {
  const it = { asked: [], sent: [] };
  const run = lab({ view: "train", serviceWorkers: "allow", ...options, host: () => it.server }, (more) => body(Object.assign(it, more)));
  return async () => {
    it.root = folder("dist");
    cpSync(DIST, it.root, { recursive: true });
    it.server = await serve({ root: it.root, ...options.serve });
    it.server.on("request", ({ url }, response) => {
      const [path] = url.split("?");
      it.asked.push(path);
      response.on("finish", () => response.statusCode === 200 && it.sent.push(path));
    });
    try {
      await run();
    } finally {
      await stop(it.server);
    }
  };
}

const model = (page) => page.getByLabel("Model", { exact: true }).locator("option:checked").textContent();
const table = { name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(`a,b,c\n${Array.from({ length: 20 }, (_, r) => `${r % 2},${(r >> 1) % 2},${(r >> 2) % 2}`).join("\n")}\n`) };

test("a first visit fetches each file once, and after it all of the page works with the server gone", own({}, async (it) => {
  const { page, url, errors, server, asked, sent } = it;
  await installed(page);
  for (const file of sent.filter((path) => /\.(wasm|safetensors)$/.test(path))) assert.equal(sent.filter((path) => path === file).length, 1, `${file} was sent once`);
  await stop(server);
  asked.length = 0;
  await page.reload();
  await complete(page);
  assert.equal(await model(page), "Pretrained on MNIST");
  await trainSteps(page, 20);
  assert.ok(crew(page).length > 0);
  await page.getByLabel("Upload data set", { exact: true }).setInputFiles(table);
  await useData(page);
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  await screenshot(page, "offline");
  // Other addresses are the same page.
  await page.goto(`${url}index.html#view=train&seed=7`);
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await page.goto(`${url}?embed=train#view=train`);
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  assert.deepEqual(errors, []);
  await page.goto(`${url}?data=data/none.csv#view=train`);
  await page.getByRole("alert").filter({ hasText: "data/none.csv: Failed to fetch; check the address" }).waitFor({ timeout: 60_000 });
  await press(page, enabled(page, "Step"));
  await until(() => steps(page), (n) => n === 1, "a step");
  assert.deepEqual(asked, [], "nothing was asked of the server, which is gone");
  errors.splice(0, errors.length, ...errors.filter((error) => !error.includes("data/none.csv") && !error.includes("ERR_CONNECTION_REFUSED")));
}));

test("the files of the page are kept, and nothing else of its host or of the visitor's", own({ search: "?data=data/table.csv" }, async ({ page }) => {
  await page.getByRole("alert").first().waitFor({ timeout: 60_000 }); // there is no such table
  await installed(page);
  await page.reload();
  await page.getByLabel("Upload data set", { exact: true }).setInputFiles(table);
  await useData(page);
  const kept = await page.evaluate(async () => {
    const [name, ...others] = await caches.keys();
    return { name, others, paths: (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname.slice(1)).sort() };
  });
  const built = readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.|\.md$|^sw\.js$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(DIST.length + 1).replace(/^index\.html$/, ""))
    .filter((path) => !/^models\/(?!deep\.)/.test(path)); // stored once they were requested
  assert.match(kept.name, /^dbm-lab page \/ [0-9a-f]{16}$/);
  assert.deepEqual(kept.others, []);
  assert.deepEqual(kept.paths, built.sort());
}));

/** Makes another version of the page in `root`; resolves to its name. */
async function another(root, name) {
  const page = join(root, "index.html");
  writeFileSync(page, readFileSync(page, "utf8").replace(/(name="description" content=")/, `$1${name}. `));
  appendFileSync(join(root, LOADER), `\n// ${name}`);
  return writeServiceWorker(root);
}

const about = (page) => page.locator("meta[name=description]").getAttribute("content");
const loader = (page) => page.evaluate((name) => fetch(`./${name}`).then((response) => response.text()), LOADER);
const lookForUpdate = (page) => page.evaluate(() => navigator.serviceWorker.getRegistration().then((registration) => registration.update()).then(() => undefined));
const cached = (page) => page.evaluate(() => caches.keys());
const news = (page) => page.getByRole("status").filter({ hasText: "A new version is ready." });

test("a new version is announced, loads when the visitor says so, and leaves nothing of the old one", own({}, async ({ page, root }) => {
  await installed(page);
  const [first] = await cached(page);
  await page.reload();
  await press(page, enabled(page, "Train"), { timeout: 60_000 });
  await until(() => steps(page), (n) => n >= 5, "5 steps");
  const version = await another(root, "the second");
  await lookForUpdate(page);
  await news(page).waitFor({ timeout: 60_000 });
  await screenshot(page, "update", false);
  // The run continues, and whatever the page fetches belongs to its own version.
  const before = await steps(page);
  await until(() => steps(page), (n) => n >= before + 5, "training continues");
  assert.doesNotMatch(await about(page), /second/);
  assert.doesNotMatch(await loader(page), /second/);
  // A page that is opened or reloaded now gets the new one.
  await page.reload();
  await news(page).waitFor({ timeout: 60_000 });
  assert.doesNotMatch(await about(page), /second/);
  assert.equal((await cached(page)).length, 2);
  const reloaded = page.waitForEvent("framenavigated");
  await page.getByRole("region", { name: "Notices" }).getByRole("button", { name: "Reload" }).click();
  await reloaded;
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  assert.match(await about(page), /the second/);
  assert.match(await loader(page), /the second/);
  await until(() => cached(page), (names) => names.length === 1, "the cache of the first version is gone");
  assert.deepEqual(await cached(page), [first.replace(/\S+$/, version)]);
  await trainSteps(page, 5);
  assert.equal(await news(page).count(), 0);
}));

slowly("a version is not put under another tab's page", own({ width: 390, height: 844, colorScheme: "dark" }, async ({ page, url, root }) => {
  await installed(page);
  await page.reload();
  const other = await page.context().newPage();
  await other.goto(`${url}#view=train`);
  await enabled(other, "Train").waitFor({ timeout: 60_000 });
  await another(root, "the second");
  await lookForUpdate(page);
  await news(page).waitFor({ timeout: 60_000 });
  await news(other).waitFor({ timeout: 60_000 });
  const press = () => page.getByRole("region", { name: "Notices" }).getByRole("button", { name: "Reload" }).click();
  await press();
  await page.getByText("DBM Lab is open in another tab too: close it there, then press Reload here.").waitFor();
  await screenshot(page, "update-others", false);
  assert.doesNotMatch(await loader(other), /second/);
  await other.close();
  await press();
  await until(() => about(page).catch(() => ""), (words) => words.includes("the second"), "the second version");
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
}));

slowly("a server between two versions leaves the one in use alone", own({}, async ({ page, root, url, server }) => {
  await installed(page);
  const [first] = await cached(page);
  await another(root, "the second");
  appendFileSync(join(root, LOADER), "\n// and this is a third"); // not what the list says
  await lookForUpdate(page).catch(() => {});
  await page.reload();
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await until(() => page.evaluate(async () => { const r = await navigator.serviceWorker.getRegistration(); return !r.installing && !r.waiting; }), Boolean, "the update is given up");
  assert.equal(await news(page).count(), 0);
  assert.ok((await cached(page)).includes(first));
  await stop(server);
  await page.goto(url);
  await complete(page);
}));

slowly("where the browser has thrown the files away, the page comes from its server again", own({}, async ({ page, asked }) => {
  await installed(page);
  await page.reload();
  await page.evaluate(async () => { for (const name of await caches.keys()) await caches.delete(name); });
  asked.length = 0;
  await page.reload();
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  assert.ok(asked.includes("/"), "the server was asked");
  await installed(page); // again
  asked.length = 0;
  await page.reload();
  await complete(page);
  assert.deepEqual(asked.filter((path) => path !== "/sw.js"), []);
}));

slowly("a browser without service workers goes without", lab({ serviceWorkers: "allow", prepare: (page) => page.addInitScript(() => delete Navigator.prototype.serviceWorker) }, async ({ page }) => {
  await complete(page);
  assert.equal(await page.evaluate(() => "serviceWorker" in navigator), false);
  assert.equal(await page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("offline"))), false);
}));

slowly("the page can be installed", async () => {
  const server = await serve();
  const context = await launchProfile(folder("profile"));
  try {
    const page = await context.newPage();
    const url = `http://127.0.0.1:${server.address().port}/`;
    await page.goto(url);
    await installed(page);
    await page.reload();
    const session = await context.newCDPSession(page);
    const { errors, manifest, data } = await session.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    const { name, short_name: short, icons, display } = JSON.parse(data);
    assert.deepEqual([short, display], ["DBM Lab", "standalone"]);
    assert.match(name, /^DBM Lab/);
    assert.equal(manifest?.startUrl ?? url, url);
    for (const { src, type, sizes } of icons) {
      const response = await page.request.get(new URL(src, url).href);
      assert.equal(response.headers()["content-type"], type);
      const bytes = await response.body();
      if (type === "image/png") assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
    }
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    assert.deepEqual(installabilityErrors, []);
  } finally {
    await context.close();
    server.close();
  }
});

test("the manifest's colours are the page's", () => {
  const { theme_color: theme, background_color: background } = JSON.parse(readFileSync(join(DIST, "manifest.webmanifest"), "utf8"));
  const style = readFileSync(fileURLToPath(new URL("../../www/style.css", import.meta.url)), "utf8");
  const [, bench] = style.match(/--bench: (#[0-9a-f]{6})/);
  assert.deepEqual([theme, background], [bench, bench]);
  assert.ok(readFileSync(join(DIST, "index.html"), "utf8").includes(`content="${bench}"`));
});
