// Shared by the tests of storing a run: a browser with its own profile, and access to its storage.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { launchProfile } from "../../scripts/chromium.mjs";
import { DIST, serve } from "../../scripts/serve.mjs";
import { button, collectErrors, enabled, quiet, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

export { button, enabled };

const folders = [];
const servers = [];
export let url;

const folder = (name) => {
  const made = mkdtempSync(join(tmpdir(), `dbm-${name}-`));
  folders.push(made);
  return made;
};

/** Serves dist/ with a line inserted before the program of the second worker, which removes something from the browser. */
export async function serveWithout(line) {
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

/**
 * A test body with a browser on its own profile: `body` gets `open()`, which opens the page in a new tab, and `restart(kill)`, which starts
 * another browser on the profile.
 */
export function kept(options, body) {
  return async () => {
    const profile = folder("profile");
    let context = await launchProfile(profile, options);
    const errors = [];
    const open = async (at = url) => {
      const page = await context.newPage();
      page.errors = collectErrors(page);
      errors.push(page.errors);
      await page.goto(`${at}#view=train`);
      return page;
    };
    const restart = async () => {
      // The lock of a profile says who holds it.
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

export const keptAt = async (page) => Number((await page.getByText(/^Saved at step \d+$/).textContent({ timeout: 60_000 })).match(/\d+/)[0]);
export const offer = (page) => page.getByRole("status").filter({ hasText: "Your last run was saved" });
/** Whether an offer appears, once the page has requested one. Its absence can only be determined by waiting. */
export const isOffered = async (page) => {
  await until(async () => page.workers().some((worker) => worker.url().includes("dbm-files")), Boolean, "a keeper");
  await quiet(page, 2_000);
  return (await offer(page).count()) > 0;
};

/** Trains on bars and stripes, which is quick, and waits for `count` checkpoints to be stored. */
export async function train(page, count) {
  await onBars(page);
  await press(page, enabled(page, "Train"));
  let last = 0;
  for (let i = 0; i < count; i++) last = await until(() => keptAt(page), (step) => step > last, "another checkpoint kept", 60);
  return last;
}

/**
 * Every slot of every place in the private file system: its header, whether it is complete, and a hash of its checkpoint. The storing
 * worker may write or delete at the same time: if something disappears midway, the slots are read again.
 */
export async function storage(page) {
  for (let tries = 0; ; tries++) {
    const places = await page.evaluate(readPlaces);
    if (places) return places;
    assert.ok(tries < 200, "the private file system never holds still");
  }
}

/** In the page: null if a file or a folder disappeared while it was being read. */
async function readPlaces() {
  try {
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
  } catch (error) {
    if (error.name === "NotFoundError" || error.name === "NotReadableError") return null;
    throw error;
  }
}

/** The place that was written last. */
export const latestPlace = async (page) => Object.values(await storage(page)).filter((place) => place.slots.length).sort((a, b) => b.slots[0].written - a.slots[0].written)[0];

/** Sets the page to bars and stripes, with steps long enough to be counted and shared by the available workers. */
export async function onBars(page) {
  await enabled(page, "Train").waitFor({ timeout: 60_000 });
  await page.getByLabel("Data set", { exact: true }).selectOption("bars");
  await page.getByText(/30 examples, 4 × 4/).waitFor();
  await page.getByLabel("Batch size").fill("3000");
}

/** Pauses; what is stored then is the run's present state. */
export async function pause(page) {
  await press(page, button(page, "Pause"));
  await enabled(page, "Train").waitFor();
  const at = await steps(page);
  await until(() => keptAt(page), (step) => step === at, "the pause kept");
  return at;
}
