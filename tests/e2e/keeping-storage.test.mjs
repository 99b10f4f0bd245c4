// Failures of the browser's storage are reported, and what still works is done: damaged, full, refused in part or entirely.
import assert from "node:assert/strict";
import { test } from "node:test";
import { quiet, slowly, steps, until } from "./browser.mjs";
import { button, enabled, isOffered, kept, keptAt, latestPlace, offer, pause, serveWithout, storage, train, url } from "./keeping.mjs";
import { press } from "./hand.mjs";

slowly("a kept run that is damaged is said to be, and is gone", kept({}, async ({ open }) => {
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
  await page.getByText("A run from an earlier visit was saved, but is damaged; it was deleted.").waitFor();
  assert.deepEqual(await storage(page), {});
  await page.reload();
  assert.equal(await isOffered(page), false);
}));

// Without the service worker, whose files would fill the little space that the test provides.
slowly("full storage is reported, training continues, and the run is saved again once there is room", kept({ serviceWorkers: "block" }, async ({ open }) => {
  const page = await open();
  const session = await page.context().newCDPSession(page);
  const room = (quotaSize) => session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin, ...quotaSize });
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await room({ quotaSize: 2_000 });
  await page.getByLabel("Data set", { exact: true }).selectOption("bars");
  await page.getByText(/30 examples, 4 × 4/).waitFor();
  await press(page, enabled(page, "Train"));
  const nothing = page.getByText("The browser's storage is full: nothing of this run is saved so far. Training continues. Free some space, or save the model as a file.");
  await nothing.waitFor({ timeout: 60_000 });
  const full = await steps(page);
  await until(() => steps(page), (n) => n > full, "training continues");
  await room({});
  const first = await until(() => keptAt(page), () => true, "kept after all", 60);
  // The second slot is new, so it does not fit.
  await room({ quotaSize: 1 });
  const alert = page.getByRole("alert").filter({ hasText: `The browser's storage is full: the run is saved up to step ${first}.` });
  await alert.waitFor({ timeout: 60_000 });
  const { slots } = await latestPlace(page);
  assert.deepEqual([slots[0].step, slots[0].whole], [first, true]);
  assert.equal(await keptAt(page), first);
  await room({});
  const second = await until(() => keptAt(page), (step) => step > first, "kept again", 60);
  // From then on slots are overwritten, which takes no more space.
  await room({ quotaSize: 1 });
  await until(() => keptAt(page), (step) => step > second, "written over", 60);
}));

for (const [name, line] of [
  ["refused", 'navigator.storage.getDirectory = () => Promise.reject(new DOMException("Security error when calling GetDirectory", "SecurityError"));'],
  ["hollow", 'FileSystemFileHandle.prototype.createSyncAccessHandle = () => Promise.reject(new DOMException("not here", "InvalidStateError"));'],
]) {
  slowly(`where the private file system is ${name}, the run is kept in a database`, kept({}, async ({ open }) => {
    const at = await serveWithout(line);
    const page = await open(at);
    await train(page, 1);
    const paused = await pause(page);
    assert.deepEqual(await storage(page), {}, "nothing in the file system");
    for (let step = paused; step < paused + 2; step++) {
      await page.reload();
      await offer(page).filter({ hasText: `step ${step}.` }).waitFor();
      await press(page, button(page, "Resume"));
      await until(() => steps(page), (n) => n === step, "the run is where it was");
      await press(page, enabled(page, "Step"));
      await until(() => keptAt(page), (kept) => kept === step + 1, "one step more kept");
    }
  }));
}

slowly("where the storage does not answer for a minute, another worker tries it, and that is said", kept({}, async ({ open }) => {
  const at = await serveWithout('const seen = await caches.open("seen"); if (!(await seen.match("/first"))) { await seen.put("/first", new Response()); navigator.storage.getDirectory = () => new Promise(() => {}); }');
  const page = await open("about:blank");
  await page.clock.install();
  await page.goto(`${at}#view=train`);
  await press(page, enabled(page, "Step"), { timeout: 60_000 });
  await until(() => steps(page), (n) => n === 1, "a step");
  const said = page.getByRole("alert").filter({ hasText: "the worker for files was lost: it did not respond for a minute." });
  const later = async () => (await page.clock.runFor(10_000), said.count());
  await until(later, (count) => count > 0, "the loss is said");
  await until(() => keptAt(page), (kept) => kept === 1, "kept by another");
}));

test("where nothing can be saved, the page says so once, and training continues", kept({}, async ({ open }) => {
  const at = await serveWithout(
    'navigator.storage.getDirectory = () => Promise.reject(new DOMException("no", "SecurityError")); Object.defineProperty(self, "indexedDB", { get() { throw new DOMException("The operation is insecure.", "SecurityError"); } });',
  );
  const page = await open(at);
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  assert.equal(await isOffered(page), false);
  assert.equal(await page.getByRole("alert").count(), 0, "whoever keeps nothing need not know");
  await press(page, enabled(page, "Step"));
  const said = page.getByRole("alert").filter({ hasText: "This browser saves nothing in this mode: the run ends with this tab. Save the model as a file before you close it." });
  await said.waitFor();
  await page.getByText("Not saved", { exact: true }).waitFor();
  await press(page, said.getByRole("button", { name: "Dismiss this notice" }));
  await press(page, enabled(page, "Step"));
  await until(() => steps(page), (n) => n === 2, "two steps");
  await quiet(page, 1_000); // it would be reported when the storing worker answers, which the page does not show
  assert.equal(await page.getByRole("alert").count(), 0, "it is not said again");
  assert.equal(await page.getByText(/^Saved at step/).count(), 0);
}));
