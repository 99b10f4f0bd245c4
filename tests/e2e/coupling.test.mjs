// The Coupling view: the figure by dimension, and one coupling step by step; by keyboard alone and by touch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { button, bytesOf, enabled, goTo, lab, slowly, trainSteps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const FIGURE = "#view=coupling&m.d=5,25,50&m.runs=20";
const PAIRS = ["Metropolis, local mode", "Metropolis, uniform", "Gibbs, local mode", "Gibbs, uniform"];

const status = (page) => page.locator(".coupling-status p").textContent();
const done = (page) => until(() => status(page), (words) => /^All \d+ couplings are done/.test(words), "the figure");
const counted = (words) => Number(/^(\d+) of/.exec(words)?.[1] ?? 0);

/** Presses Tab until the focused element has this name. */
async function tabTo(page, name, key = "Tab") {
  const names = [];
  for (let count = 0; count < 120; count += 1) {
    await page.keyboard.press(key);
    const now = await page.evaluate(() => {
      const at = document.activeElement;
      return at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent.trim() ?? at.textContent.trim().slice(0, 80);
    });
    if (now === name) return;
    names.push(now);
  }
  assert.fail(`"${name}" is not reached by ${key}: ${names.join("; ")}`);
}

/** The lines of a CSV as objects. */
function parse(text) {
  const [head, ...lines] = text.trim().split("\n").map((line) => line.split(","));
  return lines.map((line) => {
    assert.equal(line.length, head.length);
    return Object.fromEntries(head.map((name, at) => [name, Number.isNaN(Number(line[at])) ? line[at] : Number(line[at])]));
  });
}

/** The file that the browser saves after `press`, as text. */
async function saved(page, press) {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), text: (await bytesOf(download)).toString() };
}

/** The rows of the table of runs: dimension, pair, runs, tau + T, tau, longest tau, T, share tau > 1, share at the cap. */
const rows = (page) =>
  page.locator(".coupling-numbers tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));

const csv = async (page) => {
  await page.getByLabel("Save Steps by dimension", { exact: true }).click();
  return saved(page, () => page.getByRole("button", { name: "Save Steps by dimension as CSV" }).click());
};

test("a figure by keyboard alone: computed, read as a table, taken home; and the same numbers from its address", lab({ search: FIGURE }, async ({ page, url, screenshot }) => {
  await enabled(page, "Compute").waitFor({ timeout: 60_000 });
  assert.match(await status(page), /^240 couplings to run/);
  await tabTo(page, "Compute");
  await page.keyboard.press("Enter");
  await done(page);
  await tabTo(page, "The runs behind the figure, dimension by dimension");
  await page.keyboard.press("Enter");
  const table = await until(() => rows(page), (all) => all.length === 12, "the table");
  const [dimension, pair, runs, , tau, longest, , parted, cut] = table.find((row) => row[0] === "50" && row[1] === PAIRS[0]);
  assert.deepEqual([dimension, pair, runs, tau, longest, parted, cut], ["50", PAIRS[0], "20", "1 (1 to 1)", "1", "0 %", "0 %"]);
  await tabTo(page, "Save Steps by dimension", "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, "Save Steps by dimension as CSV");
  const { name, text } = await saved(page, () => page.keyboard.press("Enter"));
  assert.equal(name, "coupling.csv");
  await page.getByLabel("Save Steps by dimension", { exact: true }).click();
  const picture = await saved(page, () => page.getByRole("button", { name: "Save Steps by dimension as SVG" }).click());
  assert.ok(picture.name === "coupling.svg" && PAIRS.every((pair) => picture.text.includes(`>${pair}</text>`)), "the lines have names");
  const lines = parse(text);
  assert.deepEqual(lines.map((line) => line.dimension), [5, 5, 5, 5, 25, 25, 25, 25, 50, 50, 50, 50]);
  for (const line of lines) {
    assert.ok(line.units === "signs" && line.runs === 20 && line.cap === 1000 && line.seed === 1);
    assert.ok(line.tau_mean >= 1 && line.tau_max >= line.tau_q75 && line.tau_q75 >= line.tau_q25, JSON.stringify(line));
    assert.ok(Math.abs(line.tau_mean + line.T_mean - line.tau_plus_T_mean) < 1e-9);
    assert.equal(line.start === "uniform", line.T_max === 0);
  }
  const of = (kernel, start) => lines.find((line) => line.dimension === 50 && line.kernel === kernel && line.start === start);
  assert.deepEqual([of("metropolis", "local-mode").tau_mean, of("metropolis", "local-mode").share_tau_above_1], [1, 0]);
  assert.ok(of("gibbs", "uniform").tau_mean > 20, "Gibbs takes long at 50");
  await screenshot("coupling-figure");
  // The address now contains computed values, and gives the same in a new browser with one worker instead of several.
  const address = await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("m.go=yes"), "the address");
  const other = await page.context().browser().newContext();
  try {
    const there = await other.newPage();
    await there.addInitScript(() => Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => 2 }));
    await there.goto(url + address);
    await done(there);
    assert.equal((await csv(there)).text, text);
    const names = await Promise.all(there.workers().map((worker) => worker.evaluate(() => self.name)));
    assert.equal(names.filter((name) => name === "dbm-diagnostics").length, 1);
  } finally {
    await other.close();
  }
}));

test("Cancel keeps what is there, and only the rest is run afterwards", lab({ search: "#view=coupling&m.d=2,30,100-140:10&m.runs=400" }, async ({ page }) => {
  await press(page, enabled(page, "Compute"), { timeout: 60_000 });
  await until(() => status(page), (words) => counted(words) >= 400, "some couplings");
  await press(page, button(page, "Cancel"));
  const [, missing, wanted] = /^(\d+) of (\d+) couplings are missing\. Cancelled/.exec(await until(() => status(page), (words) => words.includes("Cancelled"), "Cancel"));
  assert.ok(Number(wanted) === 7 * 4 * 400 && Number(missing) < Number(wanted), `${missing} of ${wanted}`);
  const kept = parse((await csv(page)).text);
  assert.equal(kept.reduce((sum, line) => sum + line.runs, 0), wanted - missing);
  // Fewer dimensions and runs: earlier runs count, and only missing ones are computed.
  await page.getByLabel("Dimensions", { exact: true }).fill("2");
  await page.getByLabel("Runs per point", { exact: true }).fill("30");
  await until(() => status(page), (words) => /^(All 120 |\d+ of 120 |120 couplings to run)/.test(words), "another plan");
  if (await enabled(page, "Compute").count()) await press(page, button(page, "Compute"));
  await done(page);
  const small = parse((await csv(page)).text);
  assert.deepEqual(small.map((line) => line.runs), [30, 30, 30, 30]);
  await page.getByLabel("Runs per point", { exact: true }).fill("31");
  // A pair whose 31st run was done before Cancel lacks none.
  await until(() => status(page), (words) => /^(All 124 |[1-4] of 124 )/.test(words), "one more run of each");
}));

test("what cannot be is refused with words, and no run is begun", lab({ search: "#view=coupling&m.d=0,900&m.runs=x&m.units=%F0%9F%92%A5&m.go=yes&m.model=99-99&m.at=-3" }, async ({ page }) => {
  await page.getByText("Numbers from 1 to 400 and ranges are expected", { exact: false }).waitFor({ timeout: 60_000 });
  await page.getByText("A whole number from 1 to 10000 is expected.").waitFor();
  await page.getByText("Two layer sizes or more are expected", { exact: false }).waitFor();
  assert.equal(await enabled(page, "Compute").count(), 0);
  await page.getByLabel("Dimensions", { exact: true }).fill("2");
  await page.getByLabel("Runs per point", { exact: true }).fill("3");
  await press(page, enabled(page, "Compute"));
  await done(page);
}));

const pairs = (page) => page.locator(".particles-status p").first().textContent();
const allPairs = (page, count) => until(() => pairs(page), (words) => words.startsWith(`All ${count} pairs are done`), "the pairs");
/** The rows of the table of meeting times: mean, share above 1, largest, cut, accepted, deviation of log Z. */
const meetings = (page) =>
  page.locator(".particles-numbers tbody tr").evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));

const RUNS = "#view=coupling&m.smc-model=random&m.smc-sizes=6-4&m.smc-deviation=2&m.particles=3&m.smc-steps=3&m.smc-pairs=150&m.smc-cap=200";

test("pairs of runs on a small model: meeting times compared with those of uniform proposals, what the correction changes, one pair; the same on one worker", lab({ search: RUNS }, async ({ page, url, screenshot }) => {
  await press(page, enabled(page, "Couple runs"), { timeout: 60_000 });
  await allPairs(page, 150);
  const [runs, uniform] = await meetings(page);
  assert.ok(Number(runs[0]) > 1 && Number(runs[2]) > 2 && runs[3] === "0" && Number(runs[5]) > 0, runs.join(" "));
  assert.ok(Number(uniform[0]) >= 1 && uniform[4] === "–", uniform.join(" "));
  await page.getByText(/^Of 150 pairs of runs \d+ met after step one, the last at τ = \d+\./).waitFor();
  await page.getByText(/the correction changes a unit by [\d.]+ points of 100; chance alone, by [\d.]+\./).first().waitFor();
  await press(page, button(page, "The longest"));
  await page.getByText(`met at τ = ${runs[2]}.`).waitFor();
  const rows = await page.locator(".particles-pair .steps tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.equal(rows.length, Number(runs[2]) + 1);
  assert.equal(rows.at(-1)[5], rows.at(-1)[6], "X and Y have the same run when they have met");
  assert.ok(rows.slice(1, -1).every((row) => row[5] !== row[6]), "and not before");
  const counts = rows.reduce((sum, row) => sum + Number(row[7].replace("−", "-")), 0);
  assert.ok(Math.abs(counts - 1) < 0.02 * rows.length, `${counts}`);
  await screenshot("coupling-runs");
  const address = await until(() => page.evaluate(() => location.hash), (hash) => hash.includes("m.pair="), "the address");
  const other = await page.context().browser().newContext();
  try {
    const there = await other.newPage();
    await there.addInitScript(() => Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => 2 }));
    await there.goto(url + address);
    await press(there, enabled(there, "Couple runs"), { timeout: 60_000 });
    await allPairs(there, 150);
    assert.deepEqual(await meetings(there), [runs, uniform]);
    await there.getByText(`met at τ = ${runs[2]}.`).waitFor();
  } finally {
    await other.close();
  }
}));

slowly("pairs of runs on the pretrained digits, cancelled and continued; a path that there is none of is refused with words", lab({ search: "#view=coupling&m.particles=4&m.smc-steps=5&m.smc-cap=20&m.smc-pairs=1000" }, async ({ page }) => {
  await press(page, enabled(page, "Couple runs"), { timeout: 60_000 });
  await until(() => pairs(page), (words) => Number(/^(\d+) of 1000 pairs/.exec(words)?.[1] ?? 0) >= 2, "some pairs");
  const at = page.locator(".particles");
  await press(page, at.getByRole("button", { name: "Cancel" }));
  const words = await until(() => pairs(page), (words) => words.includes("Cancelled"), "Cancel");
  const kept = 1000 - Number(/^(\d+) of 1000 pairs are missing/.exec(words)[1]);
  assert.ok(kept >= 2, words);
  assert.equal((await meetings(page))[1][0], "1.00", "no uniform proposal is accepted at digit size");
  assert.equal(await at.locator(".particles-pictures canvas").count(), 3);
  await page.locator("#smc-4").fill(String(kept));
  await until(() => pairs(page), (words) => !words.includes("1000"), "fewer pairs");
  if (await enabled(page, "Couple runs").count()) await press(page, button(page, "Couple runs"));
  await allPairs(page, kept);
  await page.getByLabel("Path", { exact: true }).selectOption("past");
  await press(page, enabled(page, "Couple runs"));
  await page.getByText(/path should be temperatures for a model that has no ladder/).first().waitFor();
  await page.getByLabel("Particles", { exact: true }).fill("1");
  await page.getByText("A whole number from 2 to 1000 is expected.").waitFor();
  assert.equal(await enabled(page, "Couple runs").count(), 0);
}));

slowly("pairs of runs on the model in training are of its step; once it has trained further they can be run again", lab({ search: "#view=train&t.data=bars&m.smc-model=training&m.particles=4&m.smc-steps=4&m.smc-pairs=20" }, async ({ page }) => {
  const step = await trainSteps(page, 3);
  await goTo(page, "Coupling");
  await press(page, enabled(page, "Couple runs"), { timeout: 60_000 });
  assert.match(await allPairs(page, 20), new RegExp(`They are of step ${step}\\.$`));
  assert.equal(await page.locator(".particles-pictures canvas").count(), 3, "bars are pictures");
  assert.ok((await page.locator(".particles-runs canvas").count()) >= 2);
  assert.equal(await enabled(page, "Couple runs").count(), 0);
  const later = await trainSteps(page, step + 2);
  await goTo(page, "Coupling");
  await press(page, enabled(page, "Couple runs"));
  await until(() => pairs(page), (words) => words.endsWith(`They are of step ${later}.`), "the later step");
}));

/** The step of the replay, and all of its text. */
const words = (page) => page.locator(".replay-words").textContent();

test("one coupling forward and back by keys, to where they meet", lab({ search: "#view=coupling", reducedMotion: "reduce" }, async ({ page, screenshot }) => {
  await page.getByText(/^Run 1: met at τ = 5\./).waitFor({ timeout: 60_000 });
  assert.equal(await button(page, "Play").count(), 0, "no motion where reduced motion is requested");
  assert.match(await words(page), /^uniform state: /);
  await page.getByRole("group", { name: "Both chains: left and right keys step" }).focus();
  await page.keyboard.press("End");
  assert.match(await words(page), /^t = 5: .* met at τ = 5\.$/);
  await screenshot("coupling-met");
  await page.keyboard.press("ArrowLeft");
  assert.match(await words(page), /^t = 4: .*They differ in \d/);
  const current = page.locator(".steps tr[aria-current]");
  assert.match(await current.textContent(), /^4.*\+ f\(x₄\) − f\(y₃\)$/);
  await page.keyboard.press("ArrowRight");
  assert.match(await current.textContent(), /none: x = y$/);
  await page.keyboard.press("Home");
  await tabTo(page, "Forward", "Shift+Tab");
  const seen = [await words(page)];
  while (!seen.at(-1).includes("met at τ = 5")) {
    assert.ok(seen.length < 40, seen.join("\n"));
    await page.keyboard.press("Enter");
    seen.push(await words(page));
  }
  assert.ok(seen.some((text) => text.startsWith("search, half-sweep 1")) && seen.some((text) => text.includes("This is x₀")), seen.join("\n"));
  // The slider and the address show the position; the address alone restores it.
  const at = await page.getByLabel("Moment of the coupling").inputValue();
  assert.equal(Number(at), seen.length - 1);
  await until(() => page.evaluate(() => location.hash), (hash) => hash.includes(`m.at=${at}`), "the address");
  await page.reload();
  await until(() => words(page), (text) => text.includes("met at τ = 5"), "the same moment");
}));

slowly("by touch at 390: a figure, a longer coupling, and the Gibbs pair", lab({ width: 390, height: 800, hasTouch: true, isMobile: true, search: "#view=coupling&m.d=5,20&m.runs=10&m.show=apart" }, async ({ page, screenshot }) => {
  await press(page, enabled(page, "Compute"), { timeout: 60_000 });
  await done(page);
  await page.getByText("The runs behind the figure, dimension by dimension").tap();
  assert.equal((await until(() => rows(page), (all) => all.length === 8, "the table")).length, 8);
  await page.getByText(/^Run 1: met at τ = 5\./).waitFor();
  await press(page, button(page, "Find one that takes longer"));
  await page.getByText(/^Run \d+: met at τ = \d+\. +Found among \d+ runs\./).waitFor();
  const before = await words(page);
  await press(page, button(page, "Play"));
  await until(() => words(page), (now) => now !== before, "Play");
  await press(page, button(page, "Pause"));
  await press(page, button(page, "Last"));
  assert.match(await words(page), /met at τ = \d+\.$/);
  assert.ok(Number(/met at τ = (\d+)/.exec(await words(page))[1]) > 5);
  await page.getByLabel("Kernel", { exact: true }).selectOption("gibbs");
  await page.getByRole("columnheader", { name: "Overlap" }).waitFor();
  await press(page, button(page, "Last"));
  await until(() => words(page), (text) => text.includes("met at τ = "), "the Gibbs pair");
  for (const name of ["First", "Back", "Forward", "Last", "Find one that takes longer", "Compute"]) {
    assert.ok((await button(page, name).boundingBox()).height >= 44, name);
  }
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "nothing is wider than the screen");
  await screenshot("coupling-390");
}));
