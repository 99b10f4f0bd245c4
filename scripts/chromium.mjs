// The Chromium that end-to-end tests run in.
import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** The same engine without the browser's own windows: a visit takes two thirds of the processor time. Nightly tests are in the whole browser. */
const SHELLS = ["chromium-headless-shell", "chrome-headless-shell"];
const LIGHTEST = process.env.SLOW ? BROWSERS : [...SHELLS, ...BROWSERS];
const ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/** For pages that use a GPU on machines without one: the browser's own adapter, which computes on the processor. */
export const SOFTWARE_GPU = ["--enable-unsafe-webgpu", "--enable-unsafe-swiftshader", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--use-angle=swiftshader", "--use-vulkan=swiftshader"];

/** Starts it, headless; with more arguments, the whole browser. */
export const launch = (more = []) => chromium.launch({ executablePath: findBrowser(more.length ? BROWSERS : LIGHTEST), args: [...ARGUMENTS, ...more] });

/** The same as a server, which several programs use at once; and a program's connection to it. */
export const launchServer = () => chromium.launchServer({ executablePath: findBrowser(LIGHTEST), args: ARGUMENTS });
export const connect = (address) => chromium.connect(address);

/** The same with a persistent profile: what pages store in `folder` is there for the next browser started on it. Resolves to its one context. */
export const launchProfile = (folder, options = {}) =>
  chromium.launchPersistentContext(folder, { executablePath: findBrowser(LIGHTEST), args: ARGUMENTS, ...options });

/** The browser that CHROMIUM names, or the first of these on PATH. */
function findBrowser(names) {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const candidates = names.flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)));
  const found = candidates.find(isExecutable);
  assert(found, `no Chromium on PATH (looked for ${names.join(", ")}): run ./run setup`);
  return found;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
