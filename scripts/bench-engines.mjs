// How soon a visitor sees something, in every engine: from the address to a Complete that can be pressed, from Train to a grid of samples newer than the start, and how often the grid moves while the
// run goes at full speed. Prints a table. --seconds=N of training (20); --dist=FOLDER another build of the page, to compare with; ENGINES=… for some of the engines.
import { resolve } from "node:path";
import { engines, open } from "./engines.mjs";
import { serve } from "./serve.mjs";

const args = Object.fromEntries(process.argv.slice(2).map((arg) => arg.replace(/^--/, "").split("=")));
const unknown = Object.keys(args).find((name) => !["seconds", "dist"].includes(name));
if (unknown !== undefined) {
  console.error(`error: unknown option --${unknown}: --seconds=N and --dist=FOLDER are known`);
  process.exit(2);
}
const seconds = Number(args.seconds ?? 20);
/** The worker makes its first run beside the page's first pictures: it is left to end that. */
const SETTLING_MS = 3000;

const canPress = (name) => [...document.querySelectorAll("button")].some((button) => button.textContent.trim() === name && !button.disabled) && performance.now();

/** Presses Train and notes when the line below the grid names another step. */
function watch(seconds) {
  const line = () => [...document.querySelectorAll(".figures-text")].map((it) => it.textContent).find((text) => /samples at step \d+$/.test(text))?.match(/\d+$/)[0];
  const [grids, pressed] = [[], performance.now()];
  let last = line();
  const seen = new MutationObserver(() => {
    const now = line();
    if (now !== undefined && now !== last && Number(now) > 0) grids.push(performance.now() - pressed);
    last = now;
  });
  seen.observe(document.body, { subtree: true, childList: true, characterData: true });
  const steps = () => Number(document.querySelector("output[aria-label='Gradient steps']").textContent);
  [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === "Train").click();
  return new Promise((resolve) => setTimeout(() => resolve({ grids, steps: steps() }), 1000 * seconds));
}

console.log("engine                     Complete, s  first grid, s  grids a second  longest gap, s  steps a second");
for (const name of engines()) {
  const server = await serve(args.dist ? { root: resolve(args.dist) } : {});
  const engine = await open(name);
  try {
    const url = `http://127.0.0.1:${server.address().port}/`;
    await engine.go(url);
    const complete = await engine.until("Complete", canPress, "Complete");
    await engine.go(`${url}?train#view=train`);
    await engine.until("Train", canPress, "Train");
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
    const { grids, steps } = await engine.evaluate(watch, seconds);
    const gaps = grids.slice(1).map((grid, at) => grid - grids[at]);
    const numbers = [complete / 1000, (grids[0] ?? NaN) / 1000, grids.length / seconds, Math.max(...gaps) / 1000, steps / seconds];
    console.log(`${`${name} ${engine.version}`.padEnd(26)} ${numbers.map((value, at) => value.toFixed(at < 2 ? 2 : 1).padStart([11, 14, 15, 15, 15][at])).join(" ")}`);
  } finally {
    await engine.close();
    server.close();
    server.closeAllConnections();
  }
}
