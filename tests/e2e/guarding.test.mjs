// What the page does not allow: foreign scripts, connections to others, and invalid messages.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIST } from "../../scripts/serve.mjs";
import { crew, lab, slowly, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const enabled = (page, name) => button(page, name).and(page.locator(":enabled"));
const data = (page) => page.getByLabel("Data set", { exact: true });
const said = (page, text) => page.getByRole("alert").filter({ hasText: text });
const table = (rows) => Buffer.from(`a,b,c\n${Array.from({ length: rows }, (_, r) => `${r % 2},${r % 5 ? (r >> 1) % 2 : "?"},${(r >> 2) % 2}`).join("\n")}\n`);

/** Opens a table and takes it into use. */
async function bring(page, name) {
  await page.getByLabel("Upload data set", { exact: true }).setInputFiles({ name, mimeType: "text/csv", buffer: table(20) });
  await press(page, button(page, "Use this data"));
  await until(() => data(page).locator("option:checked").textContent(), (chosen) => chosen.includes(name), `${name} is in use`);
}

const hear = (page) =>
  page.addInitScript(() => {
    self.violations = [];
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => self.violations.push(`${effectiveDirective} ${blockedURI}`));
  });

for (const host of ["isolated", "plain"]) {
  (host === "isolated" ? test : slowly)(`the page lives by its policy, and nothing gets around it (${host} host)`, lab({ host, prepare: hear, serviceWorkers: "allow" }, async ({ page, errors }) => {
    const violations = () => page.evaluate(() => self.violations.splice(0));
    await press(page, enabled(page, "Complete"), { timeout: 120_000 });
    await page.getByText(/distinct/).first().waitFor({ timeout: 120_000 });
    await bring(page, "mine.csv");
    assert.equal(await page.title(), "Train · DBM Lab", "data of the visitor's are for training");
    await press(page, enabled(page, "Train"));
    await until(() => steps(page), (n) => n >= 20, "20 steps");
    await press(page, button(page, "Pause"));
    await enabled(page, "Train").waitFor();
    await page.locator("summary[aria-label='Save Histogram of meeting times']").click();
    const saved = page.waitForEvent("download");
    await press(page, button(page, "Save Histogram of meeting times as PNG"));
    await saved;
    assert.deepEqual(await violations(), [], "a whole visit breaks no rule");
    assert.deepEqual(errors, []);

    assert.equal(
      await page.evaluate(async () => {
        // Each is finished once it has run or been refused: a script when it is added, a picture at its error, a frame when its rule is
        // violated.
        const refused = new Promise((resolve) => addEventListener("securitypolicyviolation", () => self.violations.length >= 3 && resolve()));
        const script = document.createElement("script");
        script.textContent = "self.ran = true";
        document.body.append(script);
        const picture = document.createElement("div");
        picture.innerHTML = "<img src='data:,' onerror='self.ran = true'>";
        document.body.append(picture);
        const frame = document.createElement("iframe");
        frame.src = "javascript:parent.ran = true";
        document.body.append(frame);
        await refused;
        for (const added of [script, picture, frame]) added.remove();
        return self.ran === true;
      }),
      false,
      "no script but the page's own runs",
    );
    const evaluated = await page.evaluate(
      () =>
        new Promise((resolve) => {
          // Later: calls from the developer tools may evaluate, as the tools do.
          setTimeout(() => {
            try {
              resolve(`eval gave ${eval("1 + 1")}`);
            } catch (error) {
              resolve(error.name);
            }
          });
        }),
    );
    assert.equal(evaluated, "EvalError");
    const fetched = await page.evaluate(() => fetch("https://elsewhere.example/").then(() => "fetched", (error) => error.name));
    assert.equal(fetched, "TypeError");
    const broken = await violations();
    for (const rule of ["script-src-elem inline", "script-src-attr inline", "script-src eval", "connect-src https://elsewhere.example/"]) {
      assert.ok(broken.includes(rule), `${rule} among ${broken.join(", ")}`);
    }
    // Workers follow the headers of their own files; a host without headers sends none.
    if (host === "isolated") {
      for (const worker of page.workers()) {
        assert.equal(await worker.evaluate(() => fetch("https://elsewhere.example/").then(() => "fetched", (error) => error.name)), "TypeError", worker.url());
      }
    }
    const expected = /Content Security Policy|elsewhere\.example|net::ERR_|data:,/;
    errors.splice(0, errors.length, ...errors.filter((error) => error.startsWith("uncaught") || !expected.test(error)));
  }));
}

test("the built page has no script in itself, and the policy before everything it loads", () => {
  const page = readFileSync(join(DIST, "index.html"), "utf8");
  const scripts = [...page.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
  assert.ok(scripts.length > 0);
  for (const [, attributes, inside] of scripts) {
    assert.match(attributes, /src="\.\//);
    assert.equal(inside, "");
  }
  assert.doesNotMatch(page, /<[^>]+\son\w+=|<style|\sstyle=|javascript:/);
  const [policy] = page.match(/Content-Security-Policy" content="[^"]+"/);
  assert.ok(page.indexOf(policy) < page.search(/<link|<script/), "a policy rules over what comes after it");
  for (const rule of ["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "base-uri 'none'", "form-action 'none'"]) assert.ok(policy.includes(rule), rule);
  assert.doesNotMatch(policy, /'unsafe-inline'|'unsafe-eval'|\*/);
});

// In a worker: delivers to it, as if from outside, messages that our pages would never send.
const GARBAGE = `(() => {
  const big = new Uint8Array(100000).fill(255);
  const all = ["x", 7, null, undefined, {}, [], [1], [new Uint8Array(0)], [new Uint8Array(5)], [new Uint8Array([1, 2, 3])], [big], [big, big], new Uint8Array(5), new ArrayBuffer(8), [new Float32Array(3)],
    { version: 1, id: 1, command: "Train" }];
  for (let first = 0; first < 256; first += 5) all.push([new Uint8Array([first, 1, first, first, first, first])]);
  return all;
})()`;
const give = (worker) => worker.evaluate(`for (const data of ${GARBAGE}) self.dispatchEvent(new MessageEvent("message", { data }))`);
const post = (worker) => worker.evaluate(`for (const data of ${GARBAGE}) self.postMessage(data)`);

test("the worker that computes outlives messages that mean nothing, and so does the page", lab({ view: "train" }, async ({ page }) => {
  await press(page, enabled(page, "Train"), { timeout: 120_000 });
  await until(() => steps(page), (n) => n >= 5, "5 steps");
  await press(page, button(page, "Pause"));
  await enabled(page, "Train").waitFor();
  const before = await steps(page);
  const [worker, ...helpers] = crew(page);
  await give(worker);
  await said(page, /^(a message|the other side)/).first().waitFor();
  await post(worker);
  await said(page, "A message of the worker could not be read").first().waitFor();
  assert.equal(await steps(page), before, "the run is still there");
  await press(page, enabled(page, "Step"));
  await until(() => steps(page), (n) => n === before + 1, "one step more");
  // A worker whose helper receives or sends nonsense ends all of them, and starts others.
  for (const helper of helpers) await give(helper).catch(() => {});
  await press(page, enabled(page, "Step"));
  await until(() => steps(page), (n) => n === before + 2, "one step more");
  for (const helper of crew(page).slice(1)) await post(helper).catch(() => {});
  await press(page, enabled(page, "Step"));
  await until(() => steps(page), (n) => n === before + 3, "one step more");
  assert.ok(crew(page).includes(worker), `by the same worker: ${await page.getByRole("alert").allTextContents()}`);
  await press(page, enabled(page, "Train"));
  await until(() => steps(page), (n) => n >= before + 20, "more steps");
  assert.ok((await page.getByRole("alert").count()) <= 5, "the page is not covered by notices");
}));

slowly("the workers for files are replaced after messages that mean nothing, and nothing is lost", lab({ view: "train" }, async ({ page }) => {
  await enabled(page, "Train").waitFor({ timeout: 120_000 });
  await bring(page, "mine.csv");
  await press(page, enabled(page, "Step"));
  await page.getByText("Saved at step 1", { exact: true }).waitFor();
  const files = () => page.workers().filter((worker) => worker.url().includes("dbm-files"));
  assert.equal(files().length, 3, "a reader, a keeper, and one for the table with gaps");
  for (const how of [give, post]) {
    for (const worker of files()) await how(worker).catch(() => {}); // a worker that is replaced meanwhile no longer answers
    const before = await steps(page);
    await press(page, enabled(page, "Step"));
    await page.getByText(`Saved at step ${before + 1}`, { exact: true }).waitFor();
    assert.match(await data(page).locator("option:checked").textContent(), /mine\.csv/);
    await page.getByText(/^20 examples/).waitFor();
    await bring(page, `${how.name}.csv`);
    await press(page, enabled(page, "Step"));
    await page.getByText("Saved at step 1", { exact: true }).waitFor();
    await data(page).selectOption({ label: "mine.csv" });
    await press(page, enabled(page, "Step"));
    await page.getByText("Saved at step 1", { exact: true }).waitFor();
  }
}));
