// Files that tests give to the page, and those that it saves.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { button, enabled } from "./browser.mjs";
import { press } from "./hand.mjs";

/** A file of this repository. */
export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const upload = (page) => page.getByLabel("Upload data set", { exact: true });

export const dialog = (page) => page.getByRole("dialog");

export const opened = (page) => enabled(page, "Train").waitFor({ timeout: 60_000 });

/** Where they lie until the tests end. */
export const folder = mkdtempSync(join(tmpdir(), "dbm-files-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let count = 0;
/** The path of the file that the browser saves after `press`. */
export async function saved(page, press) {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  const path = join(folder, `${count++}-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return path;
}

/** The same through one of the menus. */
export const savedAs = (page, what, form) =>
  saved(page, async () => {
    await page.locator("summary").and(page.getByLabel(`Save ${what}`, { exact: true })).click();
    await press(page, button(page, `Save ${what} as ${form}`));
  });

/** Seeded numbers from 0 to 1. */
export function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), seed | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}
