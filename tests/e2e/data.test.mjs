// The visitor's own data and models: every format in, by every way; what was understood; trained on, completed, filled; and everything taken home is read back by other programs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serve } from "../../scripts/serve.mjs";
import { button, enabled, lab, screenshot, steps, trainSteps, until, useData } from "./browser.mjs";
import { parseCsv, rereader } from "./reread.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const FIXTURES = at("tests/fixtures");
const EXPECTED = JSON.parse(readFileSync(join(FIXTURES, "expected.json"), "utf8"));
const fixture = (name) => join(FIXTURES, name);

let folder;
let reread;
const servers = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "dbm-data-"));
  reread = await rereader();
});

after(() => {
  reread?.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const upload = (page) => page.getByLabel("Upload data set", { exact: true });
const dialog = (page) => page.getByRole("dialog");
const chosen = (page) => page.getByLabel("Data set", { exact: true }).locator("option:checked").textContent();
const opened = (page) => enabled(page, "Train").waitFor({ timeout: 60_000 });
const file = (name, bytes) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });

let count = 0;
/** Where the file is that the browser saves when `press` has been done. */
async function saved(page, press) {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  const path = join(folder, `${count++}-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return path;
}

/** The same by one of the menus. */
const savedAs = (page, what, form) =>
  saved(page, async () => {
    await page.locator("summary").and(page.getByLabel(`Save ${what}`, { exact: true })).click();
    await button(page, `Save ${what} as ${form}`).click();
  });

/** Seeded numbers from 0 to 1. */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), seed | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

// The ways in.

const byInput = (page, names) => upload(page).setInputFiles(names.map(fixture));

async function byDrop(page, names) {
  const files = names.map((name) => [name, readFileSync(fixture(name)).toString("base64")]);
  const transfer = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const [name, base64] of files) transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
    return transfer;
  }, files);
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

const byPaste = (page, [name]) =>
  page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, readFileSync(fixture(name), "utf8"));

/** `dist/` with a file beside the page, whose address the page is opened with. */
async function byAddress(page, [name]) {
  const root = join(folder, "dist");
  cpSync(at("dist"), root, { recursive: true });
  cpSync(fixture(name), join(root, name));
  const server = await serve({ root });
  servers.push(server);
  await page.goto(`http://127.0.0.1:${server.address().port}/?data=${name}`);
}

/** The ten drawings of tests/fixtures, which most of the picture files hold some of, as their plainest file has them: a header of 16 bytes, then 28 x 28 bytes each. */
const DRAWINGS = Array.from({ length: 10 }, (_, at) => [...readFileSync(fixture("images.idx")).subarray(16 + 784 * at, 16 + 784 * (at + 1))]);

/** Every value of the examples in some files, by other programs than ours; null is missing. */
async function truth({ pictures }, { drawings, decoded }) {
  const [n, rows, columns] = pictures.shape;
  const size = rows * columns;
  if (decoded) return Promise.all(decoded.map(async (name) => (await reread.picture(fixture(name))).values));
  const all = drawings ? drawings.map((place) => DRAWINGS[place]).flat() : pictures.values;
  assert.equal(all.length, n * size, "all values are known");
  assert.ok(Math.abs(all.reduce((sum, value) => sum + value, 0) - pictures.sum) < 1e-3 * (1 + Math.abs(pictures.sum)));
  return Array.from({ length: n }, (_, row) => all.slice(size * row, size * (row + 1)));
}

/** Looks at the dialog for pictures and arrays; resolves to the bits that the page will make of them. */
async function looksAtPictures(page, expected, options) {
  const [n, rows, columns] = expected.pictures.shape;
  const what = rows > 1 ? `pictures of ${rows} × ${columns}` : `rows of ${columns} values`;
  await dialog(page).getByText(`${n} ${what}, values from `).waitFor({ timeout: 60_000 });
  const { labels } = expected.pictures;
  await dialog(page).getByText(labels ? new RegExp(`, ${Math.max(...labels) + 1} classes\\.$`) : /, values from \S+ to \S+\.$/).waitFor();
  if (expected.notes === "Colours") await dialog(page).getByText(/colour/i).first().waitFor();
  const threshold = Number(await dialog(page).locator("label.slider .number").textContent());
  const values = await truth(expected, options);
  const bits = values.map((row) => row?.map((value) => (value === null ? null : Number(value > threshold))));
  const known = bits.flat().filter((bit) => typeof bit === "number");
  const ones = (100 * known.reduce((sum, bit) => sum + bit, 0)) / Math.max(known.length, 1);
  const said = await dialog(page).getByRole("status").textContent();
  assert.ok(said.startsWith(`As bits: ${rows * columns} visible units, `), said);
  if (known.length && !options.decoded) assert.ok(Math.abs(Number(said.match(/([\d.]+) % ones/)[1]) - ones) < 0.06, `${said}, and ${ones} were counted`);
  return bits;
}

/** Looks at the dialog for a table. */
async function looksAtTable(page, { table: { names, rows } }) {
  await dialog(page).getByText(`${rows.length} rows, ${rows[0].length} columns.`).waitFor({ timeout: 60_000 });
  const heads = await dialog(page).locator("thead tr").first().locator("th").allTextContents();
  if (names) assert.deepEqual(heads, names);
  const shown = await dialog(page).locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => (cell.className === "gap" ? null : cell.textContent))));
  assert.deepEqual(shown, rows.slice(0, 8));
  return heads;
}

/** Completes a row of the data in use, and checks the answers that are saved as NPY and as CSV. Resolves to the CSV read back, and how many of the units were known. */
async function completes(page, { rows, columns }) {
  const units = rows * columns;
  await page.getByLabel("Start from", { exact: true }).selectOption("data");
  await page.getByLabel("Answers", { exact: true }).and(page.locator("select")).selectOption("4");
  await page.getByLabel("By", { exact: true }).selectOption("search");
  const unknown = Number((await page.getByText(new RegExp(`^\\d+ of ${units} pixels unknown`)).textContent()).match(/\d+/)[0]);
  assert.ok(unknown > 0 && unknown < units);
  await enabled(page, "Complete").click();
  await page.getByText(/^\d distinct of 4, by the model in training in /).waitFor({ timeout: 60_000 });
  const npy = await reread.npy(await savedAs(page, "answers", "NPY"));
  assert.deepEqual([npy.shape, npy.type], [rows > 1 ? [4, rows, columns] : [4, columns], "uint8"]);
  assert.ok(npy.values.every((value) => value === 0 || value === 1));
  const answers = Array.from({ length: 4 }, (_, row) => npy.values.slice(units * row, units * (row + 1)));
  // Lower halves are hidden: what is known comes first.
  const known = units - unknown;
  for (const answer of answers) assert.deepEqual(answer.slice(0, known), answers[0].slice(0, known), "the answers agree where it was known");
  return { csv: await savedAs(page, "answers", "CSV"), answers, known };
}

/** Whether `row` begins as one of the examples does; null is anything. */
const isOneOf = (examples, row, mistakes = 0) => examples.some((example) => row.filter((bit, at) => example[at] !== null && bit !== example[at]).length <= mistakes);

const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
for (const [title, files, bring, options = {}] of [
  ["IDX in gzip with its labels", "images.idx.gz labels.idx", byInput, { drawings: all }],
  ["IDX, dropped", "images.idx", byDrop, { drawings: all }],
  ["NPY of bytes", "bytes.npy", byInput, { drawings: all }],
  ["NPY of bool", "bool.npy", byInput],
  ["NPY of float, one of them NaN", "float.npy", byDrop],
  ["NPY of double", "double.npy", byInput],
  ["NPZ as Keras ships MNIST", "keras.npz", byInput, { drawings: [0, 1, 2, 3, 4, 5] }],
  ["Kaggle's CSV of digits", "kaggle.csv", byInput, { drawings: [0, 1, 2, 3] }],
  ["a PNG sheet, by its address", "sheet.png", byAddress, { drawings: all }],
  ["many PNG at once, dropped", "digit10.png digit8.png digit9.png", byDrop, { drawings: [0, 1, 2] }],
  ["JPEG", "grey.jpg colour.jpg", byInput, { decoded: ["colour.jpg", "grey.jpg"] }],
  ["a zip of pictures", "folders.zip", byInput, { drawings: [0, 2, 4, 1, 3, 5] }],
]) {
  test(`takes ${title}, trains, completes, and exports`, lab({}, async ({ page }) => {
    if (bring !== byAddress) await opened(page);
    const expected = EXPECTED[files];
    const [n, rows, columns] = expected.pictures.shape;
    await bring(page, expected.files);
    const bits = await looksAtPictures(page, expected, options);
    await useData(page);
    await page.getByText(new RegExp(`^${n} examples, `)).waitFor();
    await page.getByLabel("Hidden layers").fill("16");
    await trainSteps(page, 20);
    const { csv, answers, known } = await completes(page, { rows, columns });
    const lines = await reread.csv(csv, null);
    assert.deepEqual(lines.rows.map((row) => row.map(Number)), answers, "CSV and NPY say the same");
    // JPEG decoders differ by a few greys.
    if (bits.every(Boolean)) assert.ok(isOneOf(bits, answers[0].slice(0, known), options.decoded ? 3 : 0), "what was known is as one of the examples has it");
    const png = await reread.picture(await savedAs(page, "samples", "PNG"));
    assert.equal(png.format, "PNG");
    const samples = await reread.npy(await savedAs(page, "samples", "NPY"));
    assert.deepEqual(samples.shape.slice(1), rows > 1 ? [rows, columns] : [columns]);
    assert.ok(png.width >= 8 * columns && png.height >= (samples.shape[0] / 8) * rows, `${samples.shape[0]} samples in ${png.width} × ${png.height}`);
  }));
}

for (const [title, name, bring, { firm, values }] of [
  ["a CSV of bits with gaps", "binary.csv", byInput, { firm: 4 }],
  ["pandas' CSV", "pandas.csv", byInput, { firm: 0 }],
  ["a TSV of yes and no, pasted", "answers.tsv", byPaste, { firm: 2 }],
  ["a CSV of quoted categories, dropped", "quoted.csv", byDrop, { firm: 1 }],
]) {
  test(`takes ${title}, trains, completes, and exports`, lab({}, async ({ page }) => {
    await opened(page);
    const expected = EXPECTED[name];
    const { rows } = expected.table;
    await bring(page, [name]);
    const names = await looksAtTable(page, expected);
    const units = Number((await dialog(page).getByRole("status").textContent()).match(/^As bits: (\d+) visible/)[1]);
    await useData(page);
    await page.getByText(new RegExp(`^${rows.length} examples, ${units} bits`)).waitFor();
    await trainSteps(page, 20);
    const { csv, known } = await completes(page, { rows: 1, columns: units });
    console.log(name, names, units, known, readFileSync(csv, "utf8"));
    void firm, values;
  }));
}
