// Nothing lost: a run outlives its tab, its worker and its browser, goes on to the bit, and what the browser's storage cannot do is said.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchProfile } from "../../scripts/chromium.mjs";
import { serve } from "../../scripts/serve.mjs";
import { collectErrors, crew, screenshot, steps, until } from "./browser.mjs";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
// The promise is 5 s. Where other work takes the processors, writing may wait for them besides.
const AT_MOST_LOST = 5_000;
const NOISE = 2_000;

const folders = [];
const servers = [];
let url;

const folder = (name) => {
  const made = mkdtempSync(join(tmpdir(), `dbm-${name}-`));
  folders.push(made);
  return made;
};

/** Serves dist/ with a line before the program of the second worker, which takes something from the browser. */
async function serveWithout(line) {
  const root = folder("dist");
  cpSync(DIST, root, { recursive: true });
  const loader = join(root, "dbm-files_loader.js");
  writeFileSync(loader, `${line}\n${readFileSync(loader, "utf8")}`);
  const server = await serve({ root });
  servers.push(server);
  return `http://127.0.0.1:${server.address().port}/`;
}

before(async () => {
  const server = await serve();
  servers.push(server);
  url = `http://127.0.0.1:${server.address().port}/`;
});

after(() => {
  for (const server of servers) server.close();
  for (const made of folders) rmSync(made, { recursive: true, force: true, maxRetries: 5 });
});

/** A test body with a browser on a profile of its own: `body` gets `open()`, which opens the page in a new tab, and `restart(kill)`, which starts another browser on the profile. */
function kept(options, body) {
  return async () => {
    const profile = folder("profile");
    let context = await launchProfile(profile, options);
    const errors = [];
    const open = async (at = url) => {
      const page = await context.newPage();
      page.errors = collectErrors(page);
      errors.push(page.errors);
      await page.goto(at);
      return page;
    };
    const restart = async () => {
      // The lock of a profile says who has it.
      process.kill(Number(readlinkSync(join(profile, "SingletonLock")).split("-").at(-1)), "SIGKILL");
      await context.close().catch(() => {});
      context = await launchProfile(profile, options);
    };
    try {
      await body({ open, restart });
      assert.deepEqual(errors.flat(), [], "the page reported errors");
    } finally {
      await context.close();
    }
  };
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
const enabled = (page, name) => button(page, name).and(page.locator(":enabled"));
const keptAt = async (page) => Number((await page.getByText(/^Kept at step \d+$/).textContent({ timeout: 60_000 })).match(/\d+/)[0]);
const offer = (page) => page.getByRole("status").filter({ hasText: "is kept:" });
/** Whether an offer comes, once the page has asked for one. */
const isOffered = async (page) => {
  await until(async () => page.workers().some((worker) => worker.url().includes("dbm-files")), Boolean, "a keeper");
  await page.waitForTimeout(2_000);
  return (await offer(page).count()) > 0;
};

/** Trains on bars and stripes, which is quick, and waits for `count` checkpoints to be kept. */
async function train(page, count) {
  await onBars(page);
  await enabled(page, "Train").click();
  let last = 0;
  for (let i = 0; i < count; i++) last = await until(() => keptAt(page), (step) => step > last, "another checkpoint kept", 60);
  return last;
}

/** Every slot of every place in the private file system: what its header says, whether it is whole, and a hash of its checkpoint. */
const storage = (page) =>
  page.evaluate(async () => {
    const places = {};
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("dbm-lab", { create: true });
    for await (const [name, place] of folder.entries()) {
      places[name] = { slots: [] };
      for await (const [file, handle] of place.entries()) {
        const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
        const view = new DataView(bytes.buffer);
        if (file.startsWith("slot") && bytes.length > 48) {
          const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.subarray(48)));
          places[name].slots.push({
            step: view.getUint32(40, true),
            number: Number(view.getBigUint64(16, true)),
            written: view.getFloat64(32, true),
            whole: Number(view.getBigUint64(24, true)) === bytes.length - 48,
            hash: Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join(""),
          });
        }
      }
      places[name].slots.sort((a, b) => b.number - a.number);
    }
    return places;
  });

/** The place that was written last. */
const latestPlace = async (page) => Object.values(await storage(page)).filter((place) => place.slots.length).sort((a, b) => b.slots[0].written - a.slots[0].written)[0];

/** Puts the page on bars and stripes, in steps long enough to be counted and to be shared by the workers there are. */
async function onBars(page) {
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await page.getByLabel("Data set", { exact: true }).selectOption("bars");
  await page.getByText(/30 examples, 4 × 4/).waitFor();
  await page.getByLabel("Batch size").fill("3000");
}

/** The hash of the checkpoint that an undisturbed run has at a step: another tab's, that trains to shortly before it and takes the last steps one by one. */
async function undisturbed(page, step) {
  await onBars(page);
  const press = (goal, far) =>
    page.evaluate(
      async ([goal, far]) => {
        const at = () => Number(document.querySelector("output[aria-label='Gradient steps']").textContent);
        const button = (name) => [...document.querySelectorAll("button")].find((button) => button.textContent === name);
        const wait = () => new Promise((resolve) => setTimeout(resolve, 4));
        const ready = async (name) => {
          while (button(name).disabled) await wait();
          return button(name);
        };
        if (at() + far < goal) {
          (await ready("Train")).click();
          while (at() + far < goal) await wait();
          (await ready("Pause")).click();
        }
        while (at() < goal) {
          const before = at();
          (await ready("Step")).click();
          while (at() === before) await wait();
        }
        return at();
      },
      [goal, far],
    );
  assert.equal(await press(step, 100), step);
  await until(() => keptAt(page), (kept) => kept === step, "the undisturbed run kept");
  const [latest] = (await latestPlace(page)).slots;
  assert.equal(latest.step, step);
  return latest.hash;
}

/** Presses Step three times; the checkpoint that is kept then must be that of an undisturbed run. */
async function goesOnToTheBit(page, open) {
  const from = await steps(page);
  for (let i = 1; i <= 3; i++) {
    await enabled(page, "Step").click();
    await until(() => steps(page), (n) => n === from + i, "one step more");
  }
  await until(() => keptAt(page), (step) => step === from + 3, "the last step kept");
  const place = await latestPlace(page);
  assert.equal(place.slots[0].step, from + 3);
  const other = await open();
  assert.equal(place.slots[0].hash, await undisturbed(other, from + 3), "the bits of an undisturbed run");
  await other.close();
}

/** After a death at `died`: the offer comes, says a step at most 5 s old, and going on from it gives the bits of an undisturbed run. */
async function comesBack(page, open, seen, died) {
  await offer(page).waitFor({ timeout: 60_000 });
  const place = await latestPlace(page);
  const [{ step, written, whole }] = place.slots;
  assert.ok(whole, "the latest slot was written whole");
  assert.ok(step >= seen, `kept at ${step}, and ${seen} had been seen kept`);
  assert.ok(died - written <= AT_MOST_LOST + NOISE, `the run that came back was ${died - written} ms old`);
  assert.match(await offer(page).textContent(), new RegExp(`^A run of .* is kept: 16–\\d+–\\d+ on Bars and stripes 4 × 4, step ${step}\\.`));
  await button(page, "Go on").click();
  await until(() => steps(page), (n) => n === step, "the run stands where it was kept");
  await enabled(page, "Train").waitFor();
  await page.getByText(`The run stands at step ${step} again; press Train to go on.`).waitFor();
  assert.equal(await page.getByLabel("Data set", { exact: true }).inputValue(), "bars");
  assert.equal(await offer(page).count(), 0);
  await goesOnToTheBit(page, open);
}

for (const [how, kill] of [
  ["closed", (page) => page.close()],
  ["reloaded", (page) => page.reload()],
  ["crashed", async (page) => {
    const session = await page.context().newCDPSession(page);
    const crashed = page.waitForEvent("crash");
    session.send("Page.crash").catch(() => {}); // there is nobody left to answer
    await crashed;
    page.errors.splice(0, page.errors.length);
    await page.close();
  }],
]) {
  test(`a tab that is ${how} in training can be gone on with, to the bit`, kept({}, async ({ open }) => {
    const page = await open();
    const seen = await train(page, 2);
    await page.waitForTimeout(2_500); // into the time before the next checkpoint
    const died = Date.now();
    await kill(page);
    await comesBack(page.isClosed() ? await open() : page, open, seen, died);
  }));
}

test("a browser that is killed in training can be gone on with, to the bit", kept({}, async ({ open, restart }) => {
  const page = await open();
  const seen = await train(page, 2);
  await page.waitForTimeout(2_500);
  const died = Date.now();
  await restart();
  page.errors.splice(0, page.errors.length);
  await comesBack(await open(), open, seen, died);
}));

test("a worker that is killed in training is replaced, and the run goes on to the bit, and is kept", kept({}, async ({ open }) => {
  const page = await open();
  const seen = await train(page, 2);
  await crew(page)[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  await page.getByRole("alert").filter({ hasText: "killed by the test" }).waitFor();
  await enabled(page, "Step").waitFor({ timeout: 60_000 });
  assert.ok((await steps(page)) >= seen, "from the checkpoint kept last, or a later one");
  await goesOnToTheBit(page, open);
  // The keeper dies: the next checkpoint has another one.
  await page.workers().find((worker) => worker.url().includes("dbm-files")).evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  await until(async () => page.workers().filter((worker) => worker.url().includes("dbm-files")).length, (n) => n === 0, "the keeper is gone");
  const before = await steps(page);
  await enabled(page, "Step").click();
  await until(() => keptAt(page), (step) => step === before + 1, "kept by another keeper");
  const own = page.errors.filter((error) => !error.includes("killed by the test"));
  page.errors.splice(0, page.errors.length, ...own);
}));

/** Pauses; what is kept then is where the run stands. */
async function pause(page) {
  await button(page, "Pause").click();
  await enabled(page, "Train").waitFor();
  const at = await steps(page);
  await until(() => keptAt(page), (step) => step === at, "the pause kept");
  return at;
}

test("data of the visitor's come back with their run, gaps included", kept({}, async ({ open }) => {
  const page = await open();
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  const cell = (r, c) => ((r * 5 + c * 3) % 11 === 0 ? "?" : Number((r * 7 + c * 3 + ((r * c) % 5)) % 4 < 2));
  const table = ["a,b,c,d,e,f,g,h"].concat(Array.from({ length: 60 }, (_, r) => Array.from({ length: 8 }, (_, c) => cell(r, c)).join(",")));
  const csv = { name: "<i>mine.csv", mimeType: "text/csv", buffer: Buffer.from(table.join("\n") + "\n") };
  await page.getByLabel("Upload data set", { exact: true }).setInputFiles(csv);
  await button(page, "Use this data").click();
  const chosen = () => page.getByLabel("Data set", { exact: true }).locator("option:checked").textContent();
  const about = page.getByText(/^60 examples/);
  await until(chosen, (name) => name.includes("mine"), "the table is in use");
  await enabled(page, "Train").click();
  await until(() => keptAt(page), () => true, "kept");
  const at = await pause(page);
  const [name, said] = [await chosen(), await about.textContent()];
  assert.match(said, /missing/);
  await page.reload();
  await offer(page).filter({ hasText: `mine.csv, step ${at}.` }).waitFor();
  await button(page, "Go on").click();
  await until(() => steps(page), (n) => n === at, "the run stands where it was");
  assert.deepEqual([await chosen(), await about.textContent()], [name, said]);
  // A worker that takes the place of one that died gets the same data.
  await crew(page)[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
  await page.getByRole("alert").filter({ hasText: "killed by the test" }).waitFor();
  await enabled(page, "Step").click({ timeout: 60_000 });
  await until(() => steps(page), (n) => n === at + 1, "one step more");
  assert.deepEqual([await chosen(), await about.textContent()], [name, said]);
  const own = page.errors.filter((error) => !error.includes("killed by the test"));
  page.errors.splice(0, page.errors.length, ...own);
}));

test("two tabs keep a run each, and neither takes the other's", kept({}, async ({ open }) => {
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
  await button(third, "Go on").click();
  await until(() => steps(third), (n) => n === one, "the run of the tab that was closed");
  const fourth = await open();
  await fourth.getByText(/^Another tab has a run open/).waitFor();
  assert.equal(await offer(fourth).count(), 0);
}));

test("an offer stays while something else is trained, can be discarded, and the discarding undone", kept({}, async ({ open }) => {
  let page = await open();
  await train(page, 1);
  const at = await pause(page);
  await page.reload();
  await offer(page).waitFor();
  await train(page, 1);
  await pause(page);
  assert.equal(await offer(page).count(), 1);
  await button(page, "Discard").click();
  const discarded = page.getByText("The kept run was discarded; it is deleted when you close this.");
  await discarded.waitFor();
  assert.equal(await offer(page).count(), 0);
  await page.locator(".notice", { has: discarded }).getByRole("button", { name: "Undo" }).click();
  await offer(page).filter({ hasText: `step ${at}.` }).waitFor();
  assert.equal(Object.keys(await storage(page)).length, 2);
  await button(page, "Discard").click();
  await page.locator(".notice", { has: discarded }).getByRole("button", { name: "Dismiss this notice" }).click();
  await until(async () => Object.keys(await storage(page)).length, (n) => n === 1, "the discarded run is deleted");
  // The run trained meanwhile is the one that is kept. Going on puts aside what the page has, and Undo brings that back.
  await page.reload();
  await offer(page).waitFor();
  await enabled(page, "Step").click();
  await until(() => keptAt(page), (step) => step === 1, "one step of another run kept");
  await button(page, "Go on").click();
  await until(() => steps(page), (n) => n > 1, "the kept run");
  const stands = await steps(page);
  await button(page, "Undo").click();
  await until(() => steps(page), (n) => n === 1, "the run before");
  await until(() => keptAt(page), (step) => step === 1, "which is kept again");
  const kept = Object.values(await storage(page)).map((place) => place.slots[0].step);
  assert.ok(kept.includes(1) && kept.includes(stands), "and the other one still");
}));

test("a kept run that is damaged is said to be, and is gone", kept({}, async ({ open }) => {
  const page = await open();
  await train(page, 2);
  await pause(page);
  const damage = (files) =>
    page.evaluate(async (files) => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("dbm-lab");
      for await (const [, place] of folder.entries())
        for (const file of files) {
          const writable = await (await place.getFileHandle(file)).createWritable({ keepExistingData: true });
          await writable.write({ type: "write", position: 500, data: new Uint8Array([1, 2, 3]) });
          await writable.close();
        }
    }, files);
  // One slot: the other one is there.
  const [{ step, number }] = (await latestPlace(page)).slots;
  await damage([`slot-${(number + 1) % 2}`]);
  await page.reload();
  await offer(page).waitFor();
  const older = Number((await offer(page).textContent()).match(/step (\d+)\./)[1]);
  assert.ok(older < step, `${older} is the slot before ${step}`);
  // Both.
  await damage([`slot-${number % 2}`]);
  await page.reload();
  await page.getByText("A run of an earlier visit was kept, but what is left of it is damaged; it was deleted.").waitFor();
  assert.deepEqual(await storage(page), {});
  await page.reload();
  assert.equal(await isOffered(page), false);
}));

test("full storage is said, training goes on, and the run is kept again where there is room", kept({}, async ({ open }) => {
  const page = await open();
  const session = await page.context().newCDPSession(page);
  const room = (quotaSize) => session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin, ...quotaSize });
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await room({ quotaSize: 2_000 });
  await page.getByLabel("Data set", { exact: true }).selectOption("bars");
  await page.getByText(/30 examples, 4 × 4/).waitFor();
  await enabled(page, "Train").click();
  const nothing = page.getByText("The browser's storage is full: nothing of this run is kept so far. Training goes on. Free some space, or save the model as a file.");
  await nothing.waitFor({ timeout: 60_000 });
  const full = await steps(page);
  await until(() => steps(page), (n) => n > full, "training goes on");
  await room({});
  const first = await until(() => keptAt(page), () => true, "kept after all", 60);
  // The second slot is new, so it does not fit.
  await room({ quotaSize: 1 });
  const told = page.getByRole("alert").filter({ hasText: `The browser's storage is full: the run is kept up to step ${first}.` });
  await told.waitFor({ timeout: 60_000 });
  const { slots } = await latestPlace(page);
  assert.deepEqual([slots[0].step, slots[0].whole], [first, true]);
  assert.equal(await keptAt(page), first);
  await room({});
  const second = await until(() => keptAt(page), (step) => step > first, "kept again", 60);
  // From then on slots are written over, which takes no more room.
  await room({ quotaSize: 1 });
  await until(() => keptAt(page), (step) => step > second, "written over", 60);
}));

for (const [name, line] of [
  ["refused", 'navigator.storage.getDirectory = () => Promise.reject(new DOMException("Security error when calling GetDirectory", "SecurityError"));'],
  ["hollow", 'FileSystemFileHandle.prototype.createSyncAccessHandle = () => Promise.reject(new DOMException("not here", "InvalidStateError"));'],
]) {
  test(`where the private file system is ${name}, the run is kept in a database`, kept({}, async ({ open }) => {
    const at = await serveWithout(line);
    const page = await open(at);
    await train(page, 1);
    const paused = await pause(page);
    assert.deepEqual(await storage(page), {}, "nothing in the file system");
    for (let step = paused; step < paused + 2; step++) {
      await page.reload();
      await offer(page).filter({ hasText: `step ${step}.` }).waitFor();
      await button(page, "Go on").click();
      await until(() => steps(page), (n) => n === step, "the run is where it was");
      await enabled(page, "Step").click();
      await until(() => keptAt(page), (kept) => kept === step + 1, "one step more kept");
    }
  }));
}

test("where nothing can be kept, that is said once, and training goes on", kept({}, async ({ open }) => {
  const at = await serveWithout(
    'navigator.storage.getDirectory = () => Promise.reject(new DOMException("no", "SecurityError")); Object.defineProperty(self, "indexedDB", { get() { throw new DOMException("The operation is insecure.", "SecurityError"); } });',
  );
  const page = await open(at);
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  assert.equal(await isOffered(page), false);
  assert.equal(await page.getByRole("alert").count(), 0, "whoever keeps nothing need not know");
  await enabled(page, "Step").click();
  const said = page.getByRole("alert").filter({ hasText: "This browser keeps nothing in this mode: the run ends with this tab. Save the model as a file before you close it." });
  await said.waitFor();
  await said.getByRole("button", { name: "Dismiss this notice" }).click();
  await enabled(page, "Step").click();
  await until(() => steps(page), (n) => n === 2, "two steps");
  await page.waitForTimeout(1_000);
  assert.equal(await page.getByRole("alert").count(), 0, "it is not said again");
  assert.equal(await page.getByText(/^Kept at step/).count(), 0);
}));

test("the offer fits a desk and a phone, in light and dark", kept({}, async ({ open }) => {
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
      assert.ok(box.x >= 0 && box.x + box.width <= width, "beside nothing");
      await page.waitForTimeout(300);
      await screenshot(page, `offer-${width}-${colorScheme}`, false);
    }
}));
