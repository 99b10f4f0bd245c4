// Runs files of end-to-end tests with one Chromium and one server for all of them, some files at a time.
//
//     node tests/e2e/together.mjs 2 tests/e2e/*.test.mjs
//
// A file that is run alone, by `node --test`, starts its own.
import { spawn } from "node:child_process";
import { launchServer } from "../../scripts/chromium.mjs";
import { start } from "./host.mjs";

const [atATime, ...files] = process.argv.slice(2);
const [hosts, browser] = await Promise.all([start(), launchServer()]);
const LAB = JSON.stringify({ ports: hosts.ports, browser: browser.wsEndpoint() });
const tests = spawn(process.execPath, ["--test", "--test-reporter=spec", `--test-concurrency=${atATime}`, ...files], { stdio: "inherit", env: { ...process.env, LAB } });
tests.on("exit", async (code) => {
  await browser.close();
  hosts.close();
  process.exitCode = code ?? 1;
});
