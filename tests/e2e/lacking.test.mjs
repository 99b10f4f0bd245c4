// If a browser lacks something, the page says so at once, in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { launch } from "../../scripts/chromium.mjs";
import { serve } from "../../scripts/serve.mjs";
import { button, collectErrors, enabled, lab, quiet, shared, slowly, steps, trainSteps, until } from "./browser.mjs";
import { dialog } from "./files.mjs";
import { press } from "./hand.mjs";

const alert = (page) => page.getByRole("alert");

for (const [what, take, words] of [
  ["WebAssembly", () => delete self.WebAssembly, "WebAssembly with SIMD"],
  ["vectors in WebAssembly", () => (WebAssembly.validate = (bytes) => !Array.from(bytes).includes(253)), "WebAssembly with SIMD"],
  ["workers that are modules", () => (self.Worker = class { constructor() {} }), "workers that are modules"],
  ["workers", () => delete self.Worker, "workers that are modules"],
  ["large integers", () => delete self.BigInt64Array, "64-bit integers in arrays"],
  ["dialogs", () => delete self.HTMLDialogElement, "dialog elements"],
]) {
  test(`without ${what} the page says what is missing`, lab({ prepare: (page) => page.addInitScript(take) }, async ({ page }) => {
    await alert(page).waitFor();
    assert.equal(await alert(page).textContent(), `This browser lacks ${words}. DBM Lab needs Chrome, Edge, Firefox or Safari of 2023 or later, with none of this switched off.`);
    assert.equal(await page.getByRole("heading", { name: "DBM Lab" }).count(), 1);
    assert.equal(await page.getByRole("button").count(), 0, "nothing that would not work");
  }));
}

test("several missing things are reported together", lab({ prepare: (page) => page.addInitScript(() => { delete self.WebAssembly; delete self.HTMLDialogElement; }) }, async ({ page }) => {
  await page.getByText("This browser lacks WebAssembly with SIMD, dialog elements.").waitFor();
}));

test("a program that does not load is reported", lab({ prepare: (page) => page.route("**/dbm-web-*.wasm", (route) => route.abort()) }, async ({ page, errors, screenshot }) => {
  await page.getByText(/^DBM Lab could not be started \(.+\)\. Check the connection, then reload the page\.$/).waitFor();
  await screenshot("not-started");
  errors.splice(0, errors.length);
}));

for (const [part, file] of [["part of the program does", "**/dbm-web-*-*.wasm"], ["styles do", "**/views-*.css"]]) {
  test(`a view whose ${part} not come says so, and loads on the next try`, lab({ view: "proof", prepare: (page) => page.route(file, (route) => route.abort()) }, async ({ page, errors }) => {
    await page.getByText("This view could not be fetched. Check the connection, then try again.").waitFor();
    await page.unroute(file);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "The model", exact: true }).waitFor();
    errors.splice(0, errors.length);
  }));
}

test("what only Coupling and Proof need is fetched when they are opened", async () => {
  const { browser, url } = shared();
  const context = await browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  const fetched = [];
  page.on("request", (request) => fetched.push(request.url()));
  page.on("worker", (worker) => fetched.push(worker.url()));
  const later = () => ["views-", "dbm-diagnostics", "split_coupling"].filter((name) => fetched.some((url) => url.includes(name)));
  await page.goto(url);
  await page.getByRole("button", { name: "Complete", exact: true }).and(page.locator(":enabled")).waitFor();
  assert.deepEqual(later(), []);
  await page.goto(`${url}#view=coupling`);
  await until(later, (names) => names.length === 3, "all that the view needs");
  await context.close();
});

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

/** Runs `take` in every worker of a program ("worker-wasm" or "files") before the program itself: a worker's environment is not the page's. */
const inWorkers = (page, program, take) =>
  page.route(`**/dbm-${program}_loader.js*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `(${take})();\n${await response.text()}` });
  });

/** Limits the growth of the worker's memory to this many pages of 64 kB, as on a phone: the maximum is written into the program's memory section. */
const withMemory = (page, most) =>
  page.route("**/dbm-worker-wasm_bg.wasm", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: limited(await response.body(), most) });
  });

function limited(program, most) {
  const number = (at) => {
    let [value, shift] = [0, 0];
    for (; ; shift += 7) {
      value |= (program[at] & 127) << shift;
      if (program[at++] < 128) return [value, at];
    }
  };
  const written = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...written(value >> 7)]);
  for (let at = 8; at < program.length; ) {
    const [length, body] = number(at + 1);
    if (program[at] === 5) {
      assert.deepEqual([...program.subarray(body, body + 2)], [1, 0], "one memory, without a maximum");
      const [least] = number(body + 2);
      const section = [1, 1, ...written(least), ...written(most)];
      return Buffer.concat([program.subarray(0, at), Buffer.from([5, section.length, ...section]), program.subarray(body + length)]);
    }
    at = body + length;
  }
  assert.fail("a program without memory");
}

const alerts = (page) => page.getByRole("alert").allTextContents();

/** Trains some steps and pauses; returns what the page was opened with. */
async function trains(page) {
  const before = await steps(page);
  await trainSteps(page, before + 3);
}

for (const [what, { page: inPage, worker, files }, words] of [
  ["shared memory in the page", { page: () => delete self.SharedArrayBuffer }],
  ["shared memory in workers, as in WebKit", { worker: () => delete self.SharedArrayBuffer }],
  ["workers that start workers", { worker: () => { Object.defineProperty(navigator, "hardwareConcurrency", { value: 2 }); delete self.Worker; } }, /^This browser starts no workers to share the run with \(Worker is not defined\): it continues with one\.$/],
  ["a private file system", { files: () => delete StorageManager.prototype.getDirectory }, /^Saved at step \d+$/],
  ["a place to keep anything", { files: () => { delete StorageManager.prototype.getDirectory; Object.defineProperty(self, "indexedDB", { value: undefined }); } }, /^This browser saves nothing in this mode: the run ends with this tab\. Save the model as a file before you close it\./],
  ["locks between tabs", { files: () => Object.defineProperty(navigator, "locks", { value: undefined }) }, /^This browser cannot coordinate tabs here/],
  ["the sending of large arrays from workers", { worker: () => {
    const post = self.postMessage.bind(self);
    self.postMessage = (message, transfer) => {
      if (message[1]?.byteLength > 100_000) throw new DOMException("Data cannot be cloned, out of memory.", "DataCloneError");
      post(message, transfer);
    };
  } }, /^A part of what was computed can be neither shown nor kept: the browser did not send it from the worker to the page \(Data cannot be cloned, out of memory\.\)\.$/],
  ["the sending of large arrays to workers", { page: () => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, transfer) {
      if (message[1]?.byteLength > 1_000_000) throw new DOMException("Data cannot be cloned, out of memory.", "DataCloneError");
      post.call(this, message, transfer);
    };
  } }, /the browser did not send it to the worker \(Data cannot be cloned, out of memory\.\); close other tabs, or choose something smaller/],
  ["much that is newer", { page: () => {
    for (const name of ["OffscreenCanvas", "createImageBitmap", "requestIdleCallback", "BroadcastChannel", "CompressionStream", "structuredClone", "ResizeObserver", "indexedDB", "caches"]) Object.defineProperty(self, name, { value: undefined });
    for (const name of ["clipboard", "deviceMemory", "hardwareConcurrency", "locks", "serviceWorker", "storage"]) Object.defineProperty(navigator, name, { value: undefined });
    delete CanvasRenderingContext2D.prototype.filter;
  }, worker: () => Object.defineProperty(navigator, "hardwareConcurrency", { value: undefined }) }],
]) {
  const prepare = async (page) => {
    if (inPage) await page.addInitScript(inPage);
    if (worker) await inWorkers(page, "worker-wasm", worker);
    if (files) await inWorkers(page, "files", files);
  };
  slowly(`without ${what} the page trains${words ? ", and says what it does without" : ""}`, lab({ view: "train", prepare }, async ({ page }) => {
    await trains(page);
    if (words) await page.getByText(words).first().waitFor();
    else assert.deepEqual(await alerts(page), []);
    await trains(page);
  }));
}

test("over plain http, where there are no caches, locks or hashes, data are fetched and gaps filled", async () => {
  const server = await serve({ isolated: false });
  const browser = await launch(["--host-resolver-rules=MAP plain.example 127.0.0.1"]);
  try {
    const page = await browser.newPage();
    const errors = collectErrors(page);
    const body = `one,two,three\n${"1,0,1\n0,1,?\n?,0,1\n0,1,0\n".repeat(15)}`;
    await page.route("https://raw.githubusercontent.com/**", (route) => route.fulfill({ headers: { "access-control-allow-origin": "*" }, contentType: "text/csv", body }));
    await page.goto(`http://plain.example:${server.address().port}/?data=https://raw.githubusercontent.com/a/b/main/some.csv#view=train`);
    assert.deepEqual(await page.evaluate(() => [isSecureContext, typeof caches, typeof navigator.locks, typeof navigator.serviceWorker]), [false, "undefined", "undefined", "undefined"]);
    await press(page, dialog(page).getByRole("button", { name: "Fill the gaps" }));
    await page.getByText(/ 30 cells filled, probability /).waitFor({ timeout: 120_000 });
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    server.close();
  }
});

test("without a service worker the page says that it needs the network", lab({ prepare: (page) => page.addInitScript(() => Object.defineProperty(navigator, "serviceWorker", { value: undefined })) }, async ({ page }) => {
  await page.getByText("This browser cannot keep the page for offline use.").waitFor();
}));

test("a run for which the browser has no memory is refused in words, and nothing is lost", lab({ view: "train", prepare: (page) => withMemory(page, 3000) }, async ({ page, screenshot }) => {
  await trains(page);
  const before = await steps(page);
  await page.getByLabel("Hidden layers").fill("2000,2000");
  await button(page, "Reset").click();
  await page.getByRole("alert").filter({ hasText: /^.*a model of 784-2000-2000 needs .* of memory to train.*; the limit is [\d.]+ MB; choose smaller layers or a smaller batch/ }).waitFor();
  await screenshot("small-memory");
  assert.equal(await steps(page), before, "the run is still there");
  assert.equal(await button(page, "Undo").count(), 0, "nothing was set aside");
}));

slowly("what a worker died of is not tried by the next one", lab({ view: "train", prepare: (page) => inWorkers(page, "worker-wasm", () => {
  Object.defineProperty(navigator, "hardwareConcurrency", { value: 2 });
  self.Worker = class { constructor() { setTimeout(() => { throw new Error("it cannot have helpers"); }); } };
}) }, async ({ page }) => {
  await enabled(page, "Train").click();
  await alert(page).filter({ hasText: /The worker that computes was lost: .*it cannot have helpers\. A new one takes over, and computes alone;/ }).waitFor();
  assert.equal(await alert(page).count(), 1, "lost once");
  await trains(page);
  assert.ok((await alert(page).count()) <= 1, "and not again"); // the message leaves after ten seconds
}));

slowly("a worker that dies three times at once is not restarted, and the page says why and what to do", lab({ view: "train", prepare: (page) => inWorkers(page, "worker-wasm", () => { throw new Error("nothing works here"); }) }, async ({ page, screenshot }) => {
  let started = 0;
  page.on("worker", (worker) => (started += worker.url().includes("dbm-worker")));
  const stopped = alert(page).filter({ hasText: /^Training has stopped: the worker that computes was lost 3 times without a step in between, the last time because: .*nothing works here\./ });
  await stopped.waitFor();
  await screenshot("given-up");
  assert.equal(await alert(page).count(), 1, "said once");
  const before = started;
  await quiet(page, 500);
  assert.ok(started === before && started <= 3, `${started} workers`);
  await page.unroute("**/dbm-worker-wasm_loader.js*");
  await stopped.getByRole("button", { name: "Start it again" }).click();
  await trains(page);
}));
