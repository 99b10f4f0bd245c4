// One walk through the page in every engine: Chromium, Firefox, WebKit (ENGINES=… for some of them). Twenty steps of training give the same
// bits in all. SLOW=1 also walks through files, kept runs, Coupling, Proof and the page without its server.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { engines, open } from "../../scripts/engines.mjs";
import { serve } from "../../scripts/serve.mjs";
import { stop } from "./installed.mjs";

const folder = mkdtempSync(join(tmpdir(), "dbm-engines-"));
const table = join(folder, "mine.csv");
writeFileSync(table, `a,b,c\n${Array.from({ length: 20 }, (_, r) => `${r % 2},${(r >> 1) % 2},${(r >> 2) % 2}`).join("\n")}\n`);
after(() => rmSync(folder, { recursive: true, force: true }));

const STEPS = 20;
/** The result of each engine's run after this many steps. */
const sums = {};

const output = (engine, name) => engine.evaluate((name) => document.querySelector(`output[aria-label="${name}"]`).textContent, name);
const steps = async (engine) => Number(await output(engine, "Gradient steps"));
const atLeast = (engine, count) => engine.until(`step ${count}`, (count) => Number(document.querySelector("output[aria-label='Gradient steps']")?.textContent) >= count, count);
/** The checksum of the paused run, at a later step than the initial one. */
const sum = (engine) => engine.until("a checksum", () => document.querySelector("output[aria-label='Checksum']").textContent.match(/^[0-9a-f]{16}$/)?.[0]);

for (const name of engines()) {
  test(`the walk in ${name}`, async (t) => {
    const server = await serve();
    const url = `http://127.0.0.1:${server.address().port}/`;
    const engine = await open(name);
    let began = Date.now();
    const done = (what) => {
      t.diagnostic(`${what}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
      began = Date.now();
    };
    try {
      t.diagnostic(`${name} ${engine.version}`);
      // Like a newcomer: only the address, and the very first press.
      await engine.go(url);
      assert.ok((await engine.press("Complete")).clicked, "the first press on Complete is lost");
      await engine.shows(/\d+ distinct of \d+/);
      done("opens and completes");

      await engine.go(`${url}?train#view=train&t.go=${STEPS}`);
      await atLeast(engine, STEPS);
      sums[name] = await sum(engine);
      assert.equal(await steps(engine), STEPS);
      done(`trains ${STEPS} steps: ${sums[name]}`);
      if (!process.env.SLOW) return;

      await engine.click("Train");
      await atLeast(engine, STEPS + 5);
      await engine.click("Pause");
      await sum(engine);
      const paused = await steps(engine);
      await engine.click("Step");
      await atLeast(engine, paused + 1);
      assert.equal(await steps(engine), paused + 1);
      done("trains on, pauses, takes one step");

      await engine.upload("Upload data set", table);
      await engine.click("Use this data");
      await engine.shows(/^20 examples, 3 bits/);
      await engine.click("Train");
      await atLeast(engine, 20);
      const kept = Number((await engine.shows(/^Saved at step \d+/)).match(/\d+/)[0]);
      done("uploads a table, trains on it, and keeps the run");

      const how = await engine.reopen(`${url}#view=train`);
      await engine.shows(/^Your last run was saved .*: 3–.* on mine\.csv, step \d+\./);
      await engine.click("Resume");
      await engine.shows(/The run is back at step \d+; press Train to continue\./);
      const from = await steps(engine);
      assert.ok(from >= kept, `${from} after ${kept} were kept`);
      await engine.click("Train");
      await atLeast(engine, from + 20);
      await engine.click("Pause");
      done(`closed while it trained, continues from step ${from} in ${how}`);

      await engine.go(`${url}#view=coupling&m.d=5,25&m.runs=10`);
      await engine.click("Compute");
      await engine.shows(/^All \d+ couplings are done/);
      done("couples");

      await engine.go(`${url}#view=proof&p.go=2000`);
      await engine.shows(/^Done/);
      done("proves");

      await engine.until("the page kept for visits without a network", async () => (await navigator.serviceWorker?.getRegistration())?.active?.state === "activated" && (await caches.match(new URL("./", document.baseURI))) !== undefined);
      await stop(server);
      await engine.go(`${url}?offline#view=complete`); // geckodriver's reload bypasses the service worker
      await engine.click("Complete");
      await engine.shows(/\d+ distinct of \d+/);
      done("opens and completes with the server gone");
    } catch (error) {
      mkdirSync("test-results", { recursive: true });
      await engine.screenshot(`test-results/engine-${name}.png`).catch(() => {});
      throw error;
    } finally {
      await engine.close();
      await stop(server).catch(() => {});
    }
  });
}

test(`${STEPS} steps have the same checksum in every engine`, (t) => {
  for (const [name, sum] of Object.entries(sums)) t.diagnostic(`${name}: ${sum}`);
  assert.deepEqual(Object.keys(sums), engines(), "all of them trained");
  assert.equal(new Set(Object.values(sums)).size, 1, "the same bits");
});
