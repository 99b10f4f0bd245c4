// One view inside another site's page: the code from Share, in a plain HTML file on another host; each view works there, as narrow as 320
// pixels, and stores nothing.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { isAccessible } from "./axe.mjs";
import { enabled, goTo, lab, screenshot, slowly, steps, until } from "./browser.mjs";
import { kept, offer, pause, train } from "./keeping.mjs";

const VIEWS = ["Complete", "Train", "Coupling", "Proof"];
const SLOW = { timeout: 120_000 };
const ISOLATED = { "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Opener-Policy": "same-origin" };
const noClipboard = (page) => page.addInitScript(() => Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined }));

/** The plain file: as in docs/deploy.md, around the codes. */
const html = (codes) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>A lecture</title>
<style>body { max-width: 800px; margin: 20px auto; font: 16px/1.5 Georgia, serif }</style>
<h1>Lecture 7: Boltzmann machines</h1>
${codes.map((code) => `<p>A text between two views.</p>\n${code}`).join("\n")}
<script>
heard = [];
addEventListener("message", ({ data, source }) => {
  heard.push(data);
  for (const frame of document.querySelectorAll("iframe"))
    if (frame.contentWindow === source && data["dbm-lab"]) frame.style.height = \`\${data["dbm-lab"].height}px\`;
});
</script></html>`;

let folder;
const hosts = [];
before(() => (folder = mkdtempSync(join(tmpdir(), "dbm-embed-"))));
after(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const host of hosts) host.close();
});

/** Serves a page on another host than the lab's; resolves to its address. */
async function elsewhere(text, headers = {}) {
  const host = createServer((_, response) => response.writeHead(200, { ...headers, "Content-Type": "text/html" }).end(text));
  hosts.push(host);
  await new Promise((resolve) => host.listen(0, "localhost", resolve));
  return `http://localhost:${host.address().port}/`;
}

/** The code that Share gives for the current view, from the field that replaces the clipboard. */
async function code(page) {
  await page.getByLabel("Share this view", { exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Share this view as embedding code" }).focus();
  await page.keyboard.press("Enter");
  const field = page.getByLabel(/^The code that embeds this/);
  await until(() => field.evaluate((it) => it.value.length > 0 && it.selectionEnd - it.selectionStart === it.value.length), (all) => all, "selected");
  await page.getByText("The frame fills its container, at least 320 pixels wide, and").first().waitFor();
  return field.inputValue();
}

const frame = (page, view) => page.frameLocator(`iframe[title="DBM Lab: ${view}"]`);

/** What a reader does in each view. */
const USE = {
  async Complete(view) {
    await view.getByRole("button", { name: "Complete", exact: true }).and(view.locator(":enabled")).click(SLOW);
    await view.getByText(/distinct/).first().waitFor(SLOW);
  },
  async Train(view) {
    await view.getByRole("button", { name: "Train", exact: true }).and(view.locator(":enabled")).click(SLOW);
    const counter = view.getByLabel("Gradient steps", { exact: true });
    await until(async () => Number(await counter.textContent()), (n) => n >= 10, "ten steps");
    await view.getByRole("button", { name: "Pause", exact: true }).click();
    await view.getByRole("button", { name: "Train", exact: true }).and(view.locator(":enabled")).waitFor(SLOW);
  },
  async Coupling(view) {
    await view.getByText(/^All \d+ couplings are done/).waitFor(SLOW);
  },
  async Proof(view) {
    await until(async () => Number((await view.getByLabel("Samples of each so far").textContent()).replace(/\D/g, "")), (n) => n === 2000, "the samples that its address asks for");
  },
};

/** Collects the codes of all views, as a visitor has set them. */
async function codes(page, url) {
  const all = {};
  await page.goto(`${url}#view=train&t.data=bars&m.d=5,25&m.runs=4&m.go=yes&p.go=2000`);
  await enabled(page, "Train").waitFor(SLOW);
  for (const view of VIEWS) {
    await goTo(page, view);
    all[view] = await code(page);
    assert.ok(all[view].startsWith(`<iframe src="${url}?embed=${view.toLowerCase()}`), all[view]);
  }
  assert.match(all.Train, /#t\.data=bars" /);
  assert.match(all.Proof, /#p\.go=2000/);
  return all;
}

test("a plain page elsewhere embeds every view with the code of Share, and each works", lab({ prepare: noClipboard, width: 1000 }, async ({ page, url, errors }) => {
  const shared = await codes(page, url);
  const text = html(VIEWS.map((view) => shared[view]));
  const asked = [];
  page.on("request", (request) => asked.push(request));
  await page.goto(await elsewhere(text));
  for (const view of VIEWS) {
    await page.locator(`iframe[title="DBM Lab: ${view}"]`).scrollIntoViewIfNeeded(); // they load when they are near the screen
    const inside = frame(page, view);
    await USE[view](inside);
    assert.equal(await inside.locator(".masthead, nav, .drop").count(), 0, "no frame of the lab's");
    const link = inside.getByRole("link", { name: "Open in DBM Lab", exact: true });
    assert.ok((await link.getAttribute("href")).startsWith(`${url}#view=${view.toLowerCase()}`));
    assert.equal(await link.getAttribute("target"), "_blank");
  }
  assert.equal(await frame(page, "Train").getByText(/^Saved at/).count(), 0);
  assert.match(await frame(page, "Train").getByRole("link", { name: "Open in DBM Lab" }).getAttribute("href"), /&t\.data=bars$/);
  // Each is as high as its content, and reports nothing else.
  for (const view of VIEWS) {
    const heights = () => page.locator(`iframe[title="DBM Lab: ${view}"]`).evaluate((it) => it.getBoundingClientRect().height);
    const inside = () => frame(page, view).locator("body").evaluate((body) => Math.ceil(body.getBoundingClientRect().height));
    await until(async () => [await heights(), await inside()], ([outer, inner]) => outer === inner && outer > 300, `${view} as high as it is`);
  }
  const heard = await page.evaluate(() => heard);
  for (const message of heard) assert.deepEqual([Object.keys(message), Object.keys(message["dbm-lab"]), typeof message["dbm-lab"].height], [["dbm-lab"], ["height"], "number"]);
  const models = asked.filter((request) => request.url().endsWith(".safetensors"));
  assert.deepEqual(models.map((request) => new URL(request.frame().url()).search), ["?embed=complete"], "one view needs the pretrained model");
  assert.equal(asked.filter((request) => request.url().endsWith("/sw.js")).length, 0);
  // Four views seen at once, for people.
  await page.addStyleTag({ content: "body { columns: 2; max-width: none; margin: 12px } h1, p { margin: 0 } iframe { height: 640px !important; break-inside: avoid }" });
  await page.setViewportSize({ width: 1640, height: 1400 });
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(innerWidth))));
  for (const inside of page.frames().slice(1)) await until(() => inside.evaluate(drawn), (width) => width > 780 && width < 820, "at its new width");
  await screenshot(page, "embed", false);
  assert.deepEqual(errors, []);

  // The same from a local file.
  const file = join(folder, "lecture.html");
  writeFileSync(file, html([shared.Proof]));
  await page.goto(pathToFileURL(file).href);
  await USE.Proof(frame(page, "Proof"));
}));

slowly("inside an isolated page the frame is isolated where it is let, and works where it is not", lab({}, async ({ page, url }) => {
  const one = (view, allow) => `<iframe src="${url}?embed=${view}#t.data=bars&t.go=5" title="DBM Lab: ${view}" ${allow} width="800" height="900"></iframe>`;
  await page.goto(await elsewhere(html([one("train", 'allow="cross-origin-isolated"')]), ISOLATED));
  const isolated = () => page.frames().at(-1).evaluate(() => crossOriginIsolated);
  const five = () => frame(page, "train").getByLabel("Gradient steps", { exact: true }).filter({ hasText: "5" }).waitFor(SLOW);
  await five();
  assert.equal(await isolated(), true);
  await page.goto(await elsewhere(html([one("train", "")])));
  await five();
  assert.equal(await isolated(), false);
}));

test("what is sent with the page lets others embed it", lab({}, async ({ url }) => {
  const { headers } = await fetch(`${url}?embed=proof`);
  assert.equal(headers.get("Cross-Origin-Resource-Policy"), "cross-origin");
  assert.equal(headers.get("Cross-Origin-Embedder-Policy"), "require-corp");
  assert.equal(headers.get("X-Frame-Options"), null);
  assert.doesNotMatch(headers.get("Content-Security-Policy"), /frame-ancestors/);
}));

slowly("an embedded view leaves the visitor's own run alone", kept({}, async ({ open }) => {
  const own = await open();
  await train(own, 1);
  const at = await pause(own);
  const url = own.url().split("#")[0];
  await own.goto("about:blank");
  await own.goto(`${url}?embed=train#t.data=bars&t.go=20`);
  await until(() => steps(own), (n) => n === 20, "trained in the embedded view");
  assert.equal(await own.getByText(/^Saved at/).count(), 0);
  assert.equal(await offer(own).count(), 0);
  assert.equal(own.workers().filter((worker) => worker.url().includes("dbm-files")).length, 0, "nobody who could keep anything");
  await own.goto("about:blank");
  const later = await open();
  await offer(later).filter({ hasText: `step ${at}.` }).waitFor({ timeout: 60_000 });
}));

test("an unknown view is reported, with a way out", lab({ search: "?embed=learning" }, async ({ page, url }) => {
  await page.getByRole("alert").filter({ hasText: "There is no view “learning” to embed. “embed=” takes one of these: train, complete, coupling, proof." }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Open DBM Lab" }).evaluate((link) => link.href), url);
  assert.equal(page.workers().length, 0);
}));

for (const view of VIEWS) {
  (view === "Complete" ? test : slowly)(`${view} alone at 320 pixels: nothing sticks out, and no barriers`, lab({ width: 320, search: `?embed=${view.toLowerCase()}` }, async ({ page }) => {
    await page.getByRole("link", { name: "Open in DBM Lab", exact: true }).waitFor();
    await page.getByRole("heading", { level: 2 }).first().waitFor(SLOW);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
    await isAccessible(page, view);
    assert.equal(await page.evaluate(() => document.querySelector("#starting")), null);
  }));
}
