// The page and the command are one program: what one saves, the other continues, fills in and samples alike. The native tests build the command.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { button, enabled, lab, screenshot, steps, trainSteps, until, useData } from "./browser.mjs";
import { at, dialog, folder, generator, opened, saved, savedAs, upload } from "./files.mjs";
import { press } from "./hand.mjs";
import { rereader } from "./reread.mjs";

let reread;
before(async () => {
  reread = await rereader();
});
after(() => reread?.close());

const openModel = (page) => page.getByLabel("Open model");
const savedModel = (page) => savedAs(page, "this run", "model");

/** 500 rows of 30 columns of 0 and 1, which three hidden causes turn on or off, with one value in ten wrong and a tenth of the cells missing. */
function causedTable() {
  const random = generator(17);
  const needs = Array.from({ length: 30 }, () => [Math.floor(3 * random()), random() < 0.5]);
  const rows = Array.from({ length: 500 }, () => {
    const causes = [0, 1, 2].map(() => random() < 0.5);
    return needs.map(([cause, turned]) => Number((causes[cause] !== turned) !== random() < 0.1));
  });
  const shown = rows.map((row) => row.map((cell) => (random() < 0.1 ? "" : String(cell))));
  const names = needs.map((_, at) => `trait ${at + 1}`);
  return { rows, shown, names, text: `${[names, ...shown].map((row) => row.join(",")).join("\n")}\n` };
}

let command;
/** Runs `dbm`; returns its output. */
function dbm(...given) {
  command ??= ["target/debug/dbm", "target/release/dbm"].map(at).find(existsSync);
  if (!command) {
    assert.equal(spawnSync("cargo", ["build", "-p", "dbm-cli"], { cwd: at("."), stdio: "inherit" }).status, 0, "dbm-cli builds");
    command = at("target/debug/dbm");
  }
  const { status, stdout, stderr } = spawnSync(command, given, { encoding: "utf8" });
  assert.equal(status, 0, `dbm ${given.join(" ")}: ${stderr}`);
  return stdout;
}

test("fills the gaps of a table, and dbm impute with the saved model gives the same bytes", lab({ view: "train" }, async ({ page }) => {
  const { rows, shown, names, text } = causedTable();
  await opened(page);
  const path = join(folder, "traits.csv");
  writeFileSync(path, text);
  await upload(page).setInputFiles(path);
  await dialog(page).getByText("500 rows, 30 columns.").waitFor();
  const missing = shown.flat().filter((cell) => cell === "").length;
  await dialog(page).getByText(`${(missing / 150).toFixed(1)} % missing`).waitFor();
  await dialog(page).getByLabel(/^Hold back 10 %/).uncheck();
  await useData(page);
  await page.getByText(new RegExp(`^500 examples, 30 bits, .*, ${missing} bits missing$`)).waitFor();
  const step = await trainSteps(page, 300);
  const model = await saved(page, async () => {
    await page.locator("summary").and(page.getByLabel("Save this run")).click();
    await press(page, button(page, "Save this run as model"));
  });
  await page.getByLabel("Using", { exact: true }).selectOption("training");
  await press(page, button(page, "Fill the gaps"));
  await page.getByText(`Filled by the model in training. ${missing} cells filled, probability `).waitFor({ timeout: 120_000 });
  const table = await saved(page, () => press(page, button(page, "Save the table")));
  const probabilities = await saved(page, () => press(page, button(page, "Save the probabilities")));
  const filled = await reread.csv(table);
  assert.deepEqual(filled.names, names);
  assert.equal(filled.rows.length, 500);
  assert.deepEqual(filled.missing, names.map(() => 0));
  let right = 0;
  for (const [row, cells] of shown.entries()) {
    for (const [place, cell] of cells.entries()) {
      if (cell) assert.equal(filled.rows[row][place], cell, "known cells stay");
      else right += Number(filled.rows[row][place] === String(rows[row][place]));
    }
  }
  const likely = await reread.csv(probabilities);
  assert.deepEqual([likely.names, likely.rows.length], [["row", "column", "value", "probability"], missing]);
  for (const [row, column, value, probability] of likely.rows) {
    assert.equal(filled.rows[row - 1][names.indexOf(column)], value);
    assert.ok(probability >= 0.5 && probability <= 1, probability);
  }
  // The causes are visible in nine other columns: the mode alone is right in about half of the cells.
  assert.ok(right / missing > 0.7, `${right} of ${missing} gaps were filled with what they hid`);

  const [out, of] = [join(folder, "filled.csv"), join(folder, "of.csv")];
  dbm("impute", "--data", path, "--model", model, "--seed", "1", "--no-evaluate", "--out", out, "--probabilities", of);
  assert.ok(readFileSync(out).equals(readFileSync(table)), "the command fills in the same");
  assert.ok(readFileSync(of).equals(readFileSync(probabilities)), "and finds it as likely");
  const drawn = join(folder, "drawn.csv");
  dbm("sample", "--model", model, "--count", "5", "--out", drawn);
  assert.deepEqual((await reread.csv(drawn)).names, names);
  const further = join(folder, "further-traits.safetensors");
  assert.match(dbm("train", "--data", path, "--resume", model, "--steps", String(step + 1), "--out", further), new RegExp(`at step ${step + 1} in `));
}));

test("one press fills a table as dbm impute does by itself", lab({ view: "train" }, async ({ page }) => {
  const { shown, names } = causedTable();
  const path = join(folder, "few.csv");
  writeFileSync(path, `${[names.slice(0, 8), ...shown.slice(0, 80).map((row) => row.slice(0, 8))].map((row) => row.join(",")).join("\n")}\n`);
  await opened(page);
  await upload(page).setInputFiles(path);
  await press(page, dialog(page).getByRole("button", { name: "Fill the gaps" }));
  const saying = page.getByText(/^Filled by a model with \d+ hidden units, trained by [A-Z]+.* for \d+ steps.*: the best of 12 recipes on \d+ held-back cells\. \d+ cells filled/);
  await saying.waitFor({ timeout: 120_000 });
  const [table, probabilities, imputations] = [
    await saved(page, () => press(page, button(page, "Save the table"))),
    await saved(page, () => press(page, button(page, "Save the probabilities"))),
    await saved(page, () => press(page, button(page, "Save 5 imputations"))),
  ];
  const [out, of] = [join(folder, "few-filled.csv"), join(folder, "few-of.csv")];
  dbm("impute", "--data", path, "--out", out, "--probabilities", of, "--imputations", "5");
  assert.ok(readFileSync(out).equals(readFileSync(table)), "the command fills in the same");
  assert.ok(readFileSync(of).equals(readFileSync(probabilities)), "and finds it as likely");
  assert.equal(hashOf("--data", imputations), hashOf("--data", join(folder, "few-filled-1.csv")), "and draws the same");
}));

/** The SHA-256 of the data in use on the page, and of a file as the command reads it. */
const hashOnPage = (page) => page.locator(".hash > span").getAttribute("title");
const hashOf = (...given) => JSON.parse(dbm("read", "--json", ...given).trim().split("\n").at(-1)).sha256;

/** A PNG of 48 x 32 pixels, in which tiles of 16 x 16 have a grey stroke on nothing. */
async function sheetOfTiles(page) {
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 48, height: 32 });
    const drawing = canvas.getContext("2d");
    drawing.fillStyle = "#808080";
    for (let tile = 0; tile < 6; tile++) drawing.fillRect((tile % 3) * 16 + 3 + tile, Math.floor(tile / 3) * 16 + 2, 5, 11);
    return canvas.toDataURL("image/png");
  });
  return Buffer.from(url.split(",")[1], "base64");
}

for (const width of [1280, 390]) {
  test(`what is corrected on the page at ${width} is what the command reads with the same options`, lab({ view: "train", width, height: 844 }, async ({ page }) => {
    const path = join(folder, `people-${width}.csv`);
    writeFileSync(path, "sex,country,dose,size,ill\nMale,NA,1,M,yes\nmale,BW,.,L,no\nfemale,ZA,3,S,\nmale,NA,2,,yes\n,ZA,-9,M,no\nfemale,BW,1,L,yes\nmale,NA,3,S,no\n");
    await opened(page);
    await upload(page).setInputFiles(path);
    await press(page, dialog(page).getByRole("button", { name: "They are the same" }));
    await dialog(page).getByLabel("Missing words").fill("., -9");
    await dialog(page).getByLabel("Missing words").press("Enter");
    await dialog(page).getByRole("button", { name: /^-9 in dose, .*missing$/ }).waitFor();
    await dialog(page).getByLabel("Kind of country").selectOption("leave-out");
    await dialog(page).getByText("set aside").waitFor();
    await dialog(page).getByLabel("Kind of size").selectOption("ordered");
    const order = dialog(page).getByLabel("Values of size from low to high");
    await until(() => order.inputValue(), (now) => now === "M < L < S", "in the order of the table");
    await order.fill("S < M < L");
    await order.press("Enter");
    await dialog(page).getByText("Expected").waitFor({ state: "detached" });
    await screenshot(page, `reading-ordered-${width}`, false);
    await dialog(page).getByLabel(/^Hold back 10 %/).uncheck();
    await press(page, button(page, "Use this data"));
    const plain = hashOf("--data", path);
    await until(() => hashOnPage(page), (hash) => hash?.length === 64, "the data are in use");
    assert.notEqual(await hashOnPage(page), plain);
    assert.equal(await hashOnPage(page), hashOf("--data", path, "--alike", "sex", "--missing", ".,-9", "--column", "country=leave-out", "--column", "size=S<M<L"));

    const odd = join(folder, `odd-${width}.csv`);
    writeFileSync(odd, Buffer.from("1,5;ja;größer\n2,5;nein;kleiner\n7,25;ja;größer\n1,5;?;kleiner\n8,0;nein;größer\n", "latin1"));
    let last = await hashOnPage(page);
    const settings = { Heading: ["1", "--header", "1"], Encoding: ["windows-1252", "--encoding", "windows-1252"], Separator: ["semicolon", "--separator", ";"], "Decimal mark": ["comma", "--decimal", "comma"] };
    for (const [label, [choice, ...options]] of Object.entries(settings)) {
      await upload(page).setInputFiles(odd);
      const select = dialog(page).getByLabel(label);
      await select.waitFor();
      const values = await select.locator("option").evaluateAll((all) => all.map((option) => option.value));
      const value = values.find((value) => value === choice || value === options[1]);
      assert.ok(value, `${label}: ${values}`);
      await select.selectOption(value);
      await dialog(page).getByLabel(/^Hold back 10 %/).uncheck();
      await press(page, button(page, "Use this data"));
      await dialog(page).waitFor({ state: "hidden" });
      const expected = hashOf("--data", odd, ...options);
      await until(() => hashOnPage(page), (hash) => hash === expected, `${label} ${choice}`);
      last = expected;
    }

    const pictures = join(folder, `strokes-${width}.npy`);
    const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 12, 8), }".padEnd(117) + "\n";
    const values = Array.from({ length: 3 * 96 }, (_, at) => (at % 96 < 40 && at % 8 > 2 && at % 8 < 6 && at % 96 > 8 ? 20 : 250));
    writeFileSync(pictures, Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Buffer.from([header.length, 0]), Buffer.from(header, "latin1"), Buffer.from(values)]));
    const before = last;
    await upload(page).setInputFiles(pictures);
    await dialog(page).getByLabel("Invert").waitFor();
    // At once: the second is said before the first is answered.
    await dialog(page).evaluate((preview) => {
      for (const [name, value] of [["invert", "yes"], ["turn", "1"]]) {
        const choice = preview.querySelector(`#reading-${name}`);
        choice.value = value;
        choice.dispatchEvent(new Event("change", { bubbles: true }));
      }
    });
    await dialog(page).getByText("3 pictures of 8 × 12").waitFor();
    await dialog(page).getByLabel("Transpose").selectOption("yes");
    await dialog(page).getByText("3 pictures of 12 × 8").waitFor();
    await press(page, button(page, "Use this data"));
    await until(() => hashOnPage(page), (hash) => hash !== before, "the pictures are in use");
    assert.equal(await hashOnPage(page), hashOf("--data", pictures, "--invert", "--turn", "1", "--transpose"));
    assert.notEqual(await hashOnPage(page), hashOf("--data", pictures));

    const sheet = join(folder, `sheet-${width}.png`);
    writeFileSync(sheet, await sheetOfTiles(page));
    await upload(page).setInputFiles(sheet);
    await press(page, dialog(page).getByRole("button", { name: "Lay on black" }));
    await dialog(page).getByLabel("Tile").fill("16x8");
    await dialog(page).getByLabel("Tile").press("Enter");
    await dialog(page).getByText("12 pictures of 16 × 8").waitFor();
    await press(page, button(page, "Use this data"));
    const cut = hashOf("--data", sheet, "--background", "black", "--tile", "16x8");
    await until(() => hashOnPage(page), (hash) => hash === cut, "the sheet is in use");
    assert.ok([hashOf("--data", sheet), hashOf("--data", sheet, "--tile", "16x8"), hashOf("--data", sheet, "--background", "black")].every((hash) => hash !== cut));

    const answers = join(folder, `answers-${width}.csv`);
    writeFileSync(answers, "group,answer,dose\na,?,1\nb,yes,2\na,no,3\nb,?,1\na,yes,2\n");
    await upload(page).setInputFiles(answers);
    await press(page, dialog(page).getByRole("button", { name: /^\? in answer, 2 cells, missing$/ }));
    await dialog(page).getByRole("button", { name: /^\? in answer, 2 cells, known$/ }).waitFor();
    await press(page, button(page, "Use this data"));
    const known = hashOf("--data", answers, "--known", "answer=?");
    await until(() => hashOnPage(page), (hash) => hash === known, "the answers are in use");
    assert.notEqual(hashOf("--data", answers), known);
  }));
}

/** All weights and biases of a safetensors file. */
function parameters(path) {
  const bytes = readFileSync(path);
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString("utf8", 8, start));
  const names = Object.keys(header).filter((name) => /^(weight|bias)\.\d+$/.test(name)).sort();
  assert.deepEqual(names, ["bias.0", "bias.1", "bias.2", "weight.0", "weight.1"]);
  return names.flatMap((name) => {
    const [from, to] = header[name].data_offsets;
    assert.equal(header[name].dtype, "F32");
    return Array.from({ length: (to - from) / 4 }, (_, at) => bytes.readFloatLE(start + from + 4 * at));
  });
}
/**
 * Checks that two programs have taken the same step from `before`. Their sums round differently, so that the last bits may differ, and
 * rarely a state whose draw was borderline.
 */
function tookTheSameStep(before, one, other) {
  const [from, a, b] = [before, one, other].map(parameters);
  const apart = (x, y) => x.reduce((sum, value, at) => sum + Math.abs(value - y[at]), 0);
  const moved = apart(from, a);
  assert.ok(moved > 0 && apart(a, b) < 0.1 * moved, `moved by ${moved}, and ${apart(a, b)} apart then`);
}

test("a model goes from the page to the command, and from the command to the page, and both take the same next step", lab({ search: "#view=train&t.data=bars&t.conditional=0.5&t.masks=boxes&t.mode-sweeps=3&t.rate-decay=500000&t.average=0.9" }, async ({ page }) => {
  await page.getByText(/30 examples, 4 × 4/).waitFor({ timeout: 60_000 });
  const step = await trainSteps(page, 20);
  const model = await savedModel(page);
  const drawn = join(folder, "drawn.npy");
  dbm("sample", "--model", model, "--count", "5", "--out", drawn);
  assert.deepEqual((await reread.npy(drawn)).shape.at(-1), 16);
  const further = join(folder, "further.safetensors");
  const said = dbm("train", "--data", "bars", "--resume", model, "--steps", String(step + 1), "--backend", "plain", "--out", further);
  assert.match(said, new RegExp(`at step ${step + 1} in `));
  await press(page, button(page, "Step"));
  await until(() => steps(page), (n) => n === step + 1, "one step more");
  tookTheSameStep(model, await savedModel(page), further);

  const own = join(folder, "own.safetensors");
  dbm("train", "--data", "bars", "--hidden", "8,4", "--steps", "60", "--backend", "plain", "--out", own);
  await openModel(page).setInputFiles(own);
  await page.getByText("16–8–4 signs, 60 steps").waitFor();
  const onView = page.getByLabel("Model", { exact: true });
  assert.equal(await onView.locator("option:checked").textContent(), "own.safetensors");
  await onView.selectOption("one-layer");
  await page.getByText(/784–500 signs, \d+ steps/).waitFor();
  await onView.selectOption({ label: "own.safetensors" });
  await page.getByText("16–8–4 signs, 60 steps").waitFor();
  await press(page, button(page, "Resume its run"));
  await page.getByText("Press Train to continue the opened model’s run from step 60.").waitFor();
  assert.equal(await steps(page), 60);
  await press(page, enabled(page, "Step"));
  await until(() => steps(page), (n) => n === 61, "one step more");
  const after = join(folder, "after.safetensors");
  dbm("train", "--data", "bars", "--resume", own, "--steps", "61", "--backend", "plain", "--out", after);
  tookTheSameStep(own, await savedModel(page), after);
}));

test("a model with labels draws the chosen digit, and says which digit it reads in the known part", lab({ search: "#view=complete&c.mask=all&c.class=2" }, async ({ page }) => {
  const SLOW = { timeout: 120_000 };
  const digit = page.getByLabel("Digit", { exact: true });
  const summary = page.getByRole("status").filter({ hasText: /^\d+ distinct of 8, by / });
  const hash = (key) => page.evaluate((key) => new URLSearchParams(location.hash.slice(1)).get(key), key);
  const answers = () =>
    page.getByRole("list", { name: "Answers" }).locator("li:not(.void) canvas").evaluateAll((all) => JSON.stringify(all.map((c) => c.toDataURL())));
  await enabled(page, "Complete").waitFor(SLOW);
  const [own, without] = ["labelled.safetensors", "without-labels.safetensors"].map((name) => join(folder, name));
  const learning = ["--hidden", "40", "--steps", "400", "--batch", "50", "--estimator", "centered-pcd-5", "--lr", "0.005", "--backend", "plain"];
  dbm("train", "--data", "digits", "--digits", "500", "--labels", ...learning, "--out", own);
  await openModel(page).setInputFiles(own);
  await page.getByText("784–40–10 signs, 400 steps").waitFor();
  assert.equal(await digit.inputValue(), "2", "of the address");
  assert.equal(await digit.locator("option").count(), 11);
  await press(page, button(page, "Complete"));
  await summary.waitFor(SLOW);
  const twos = await until(answers, (now) => now.length > 2000, "twos");
  await digit.selectOption("1");
  await until(() => hash("c.class"), (now) => now === "1", "in the address");
  await press(page, button(page, "Complete"));
  // The same noise: without a distinction between them, these would be the same pictures.
  await until(answers, (now) => now !== twos, "ones");
  assert.doesNotMatch(await summary.textContent(), /Read as/, "nothing was read");
  await digit.selectOption({ label: "let the model decide" });
  await press(page, button(page, "Lower half"));
  await press(page, button(page, "Complete"));
  await summary.filter({ hasText: /Read as: \d \(\d+ %\)(, \d \(\d+ %\)){0,2}$/ }).waitFor(SLOW);
  await until(() => hash("c.class"), (now) => now === null, "no class in the address");
  dbm("train", "--data", "bars", "--hidden", "8", "--steps", "1", "--out", without);
  await openModel(page).setInputFiles(without);
  await page.getByText("16–8 signs, 1 steps").waitFor();
  assert.ok(await digit.or(page.getByLabel("Class", { exact: true })).isDisabled(), "nothing to choose without labels");
}));
