// The visitor's own data and models: every format, by every route; the description; training, completing, filling; and every download is
// read back by other programs.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DIST, serve } from "../../scripts/serve.mjs";
import { button, enabled, goTo, lab, more, quiet, screenshot, slowly, steps, trainSteps, until, useData } from "./browser.mjs";
import { at, dialog, folder, generator, opened, saved, savedAs, upload } from "./files.mjs";
import { press } from "./hand.mjs";
import { parseCsv, rereader } from "./reread.mjs";

const FIXTURES = at("tests/fixtures");
const EXPECTED = JSON.parse(readFileSync(join(FIXTURES, "expected.json"), "utf8"));
const fixture = (name) => join(FIXTURES, name);

let reread;
const servers = [];

before(async () => {
  reread = await rereader();
});

after(() => {
  reread?.close();
  for (const server of servers) server.close();
});

const chosen = (page) => page.getByLabel("Data set", { exact: true }).locator("option:checked").textContent();
const file = (name, bytes) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });

// The routes.

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

/** `dist/` with an additional file, whose address the page is opened with. */
async function byAddress(page, [name]) {
  const root = join(folder, "dist");
  cpSync(DIST, root, { recursive: true });
  cpSync(fixture(name), join(root, name));
  const server = await serve({ root });
  servers.push(server);
  await page.goto(`http://127.0.0.1:${server.address().port}/?data=${name}#view=train`);
}

/**
 * The ten drawings of tests/fixtures, some of which most picture files contain, from their simplest file: a header of 16 bytes, then 28 x
 * 28 bytes each.
 */
const DRAWINGS = Array.from({ length: 10 }, (_, at) => [...readFileSync(fixture("images.idx")).subarray(16 + 784 * at, 16 + 784 * (at + 1))]);

/** Every value of the examples in some files, read by other programs than ours; null is missing. */
async function truth({ pictures }, { drawings, decoded }) {
  const [n, rows, columns] = pictures.shape;
  const size = rows * columns;
  if (decoded) return Promise.all(decoded.map(async (name) => (await reread.picture(fixture(name))).values));
  const all = drawings ? drawings.map((place) => DRAWINGS[place]).flat() : pictures.values;
  assert.equal(all.length, n * size, "all values are known");
  assert.ok(Math.abs(all.reduce((sum, value) => sum + value, 0) - pictures.sum) < 1e-3 * (1 + Math.abs(pictures.sum)));
  return Array.from({ length: n }, (_, row) => all.slice(size * row, size * (row + 1)));
}

/** Checks the dialog for pictures and arrays; resolves to the bits that the page will make of them. */
async function looksAtPictures(page, expected, options) {
  const [n, rows, columns] = expected.pictures.shape;
  const what = rows > 1 ? `pictures of ${rows} × ${columns}` : `rows of ${columns} values`;
  await dialog(page).getByText(`${n} ${what}, values from `).waitFor({ timeout: 60_000 });
  const { labels } = expected.pictures;
  await dialog(page).getByText(labels ? new RegExp(`, ${new Set(labels).size} classes\\.$`) : /, values from \S+ to \S+\.$/).waitFor();
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

/** Checks the dialog for a table. */
async function looksAtTable(page, { table: { names, rows } }) {
  await dialog(page).getByText(`${rows.length} rows, ${rows[0].length} columns.`).waitFor({ timeout: 60_000 });
  const heads = await dialog(page).locator("thead tr").first().locator("th > span").allTextContents();
  if (names) assert.deepEqual(heads, names);
  const shown = await dialog(page).locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => (cell.className === "gap" ? null : cell.textContent))));
  assert.deepEqual(shown, rows.slice(0, 8));
  return heads;
}

/**
 * Completes a row of the data in use, and checks the answers that are saved as NPY and as CSV. Resolves to the CSV read back, and the
 * number of known units.
 */
async function completes(page, { rows, columns }) {
  const units = rows * columns;
  await goTo(page, "Complete");
  await more(page);
  await page.getByLabel("Start from", { exact: true }).selectOption("data");
  await page.getByLabel("Answers", { exact: true }).and(page.locator("select")).selectOption("4");
  await page.getByLabel("By", { exact: true }).selectOption("search");
  const unknown = Number((await page.getByText(new RegExp(`^\\d+ of ${units} pixels unknown`)).textContent()).match(/\d+/)[0]);
  assert.ok(unknown > 0 && unknown < units);
  await press(page, enabled(page, "Complete"));
  await page.getByText(/^\d distinct of 4, by the model in training, step \d+, in /).waitFor({ timeout: 60_000 });
  const npy = await reread.npy(await savedAs(page, "answers", "NPY"));
  assert.deepEqual([npy.shape, npy.type], [rows > 1 ? [4, rows, columns] : [4, columns], "uint8"]);
  assert.ok(npy.values.every((value) => value === 0 || value === 1));
  const answers = Array.from({ length: 4 }, (_, row) => npy.values.slice(units * row, units * (row + 1)));
  // Lower halves are hidden: known values come first, except for a row with a gap in its upper half, whose answers may differ there.
  const known = units - unknown;
  const whole = unknown <= Math.ceil(units / 2);
  for (const answer of whole ? answers : []) assert.deepEqual(answer.slice(0, known), answers[0].slice(0, known), "the answers agree where it was known");
  const csv = await savedAs(page, "answers", "CSV");
  await goTo(page, "Train");
  return { csv, answers, known };
}

/** Whether `row` begins like one of the examples; null matches anything. */
const isOneOf = (examples, row, mistakes = 0) => examples.some((example) => row.filter((bit, at) => example[at] !== null && bit !== example[at]).length <= mistakes);

const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Pictures that are dropped, every time; the others with SLOW=1. */
const OFTEN = "many PNG at once, dropped";

// Several tabs at a time: they mostly wait.
describe("every format", { concurrency: 3 }, () => {
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
    (title === OFTEN ? test : slowly)(`takes ${title}, trains, completes, and exports`, lab({ view: "train" }, async ({ page }) => {
      await opened(page);
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
      // JPEG decoders differ by a few grey levels.
      if (bits.every(Boolean)) assert.ok(isOneOf(bits, answers[0].slice(0, known), options.decoded ? 3 : 0), "what was known is as one of the examples has it");
      const png = await reread.picture(await savedAs(page, "samples", "PNG"));
      assert.equal(png.format, "PNG");
      const samples = await reread.npy(await savedAs(page, "samples", "NPY"));
      assert.deepEqual(samples.shape.slice(1), rows > 1 ? [rows, columns] : [columns]);
      assert.ok(png.width >= 8 * columns && png.height >= (samples.shape[0] / 8) * rows, `${samples.shape[0]} samples in ${png.width} × ${png.height}`);
    }));
  }

  for (const [title, name, bring, numeric] of [
    ["a CSV of bits with gaps", "binary.csv", byInput],
    ["pandas' CSV", "pandas.csv", byInput, "weight"],
    ["a TSV of yes and no, pasted", "answers.tsv", byPaste],
    ["a CSV of quoted categories, dropped", "quoted.csv", byDrop],
  ]) {
    slowly(`takes ${title}, trains, completes, and exports`, lab({ view: "train" }, async ({ page }) => {
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
      // A column of row numbers is ignored.
      const columns = names.map((head, place) => ({ head, values: rows.map((row) => row[place]) })).filter(({ values }) => values.some((value, row) => value !== String(row)));
      for (const [path, n] of [[csv, 4], [await savedAs(page, "samples", "CSV"), undefined]]) {
        const table = await reread.csv(path);
        assert.deepEqual(table.names, columns.map(({ head }) => head));
        assert.ok(n === undefined ? table.rows.length > 4 : table.rows.length === n);
        for (const row of table.rows) for (const [place, { values }] of columns.entries()) assert.ok(row[place] === "" || values.includes(row[place]), `${row[place]} in ${columns[place].head}`);
        // Columns of one unit each, the first of which are known. Numbers are written as their side of the threshold.
        const firm = n && units === columns.length ? columns.slice(0, known).map(({ head }) => head !== numeric) : [];
        const isLike = (row, answer) => firm.every((checked, place) => !checked || columns[place].values[row] === null || columns[place].values[row] === answer[place]);
        for (const answer of n ? table.rows : []) assert.ok(rows.some((_, row) => isLike(row, answer)), `${answer} begins as one of the rows`);
      }
    }));
  }
});

slowly("the threshold follows its slider", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  await byInput(page, ["images.idx"]);
  await dialog(page).waitFor();
  const share = async () => Number((await dialog(page).getByRole("status").textContent()).match(/([\d.]+) % ones/)[1]);
  const slider = dialog(page).getByRole("slider");
  const counted = (threshold) => (100 * DRAWINGS.flat().filter((value) => value > threshold).length) / (10 * 784);
  const before = await dialog(page).locator("canvas").evaluate((canvas) => canvas.toDataURL());
  for (const threshold of [0, 199, 222, 254]) {
    await slider.fill(String(threshold));
    await until(share, (now) => Math.abs(now - counted(threshold)) < 0.06, `${counted(threshold)} % above ${threshold}`);
    assert.equal(await dialog(page).locator("label.slider .number").textContent(), String(threshold));
  }
  await until(() => dialog(page).locator("canvas").evaluate((canvas) => canvas.toDataURL()), (now) => now !== before, "the pictures change");
  await slider.fill("222");
  await useData(page);
  const said = await page.getByText(/^10 examples, 28 × 28, /).textContent();
  assert.ok(Math.abs(Number(said.match(/([\d.]+) % ones/)[1]) - counted(222)) < 0.06, said);
}));

slowly("eight bits a value make as many units each, and the samples are bytes again", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  await byInput(page, ["colour.npy"]);
  await dialog(page).waitFor();
  await dialog(page).getByLabel("Bits per value").selectOption("8");
  await dialog(page).getByText("As bits: 160 visible units, ").waitFor();
  assert.equal(await dialog(page).getByRole("slider").count(), 0, "there is no threshold");
  await useData(page);
  await page.getByText(/^3 examples, 4 × 5 of 8 bits, /).waitFor();
  await page.getByLabel("Hidden layers").fill("16");
  await trainSteps(page, 20);
  const samples = await reread.npy(await savedAs(page, "samples", "NPY"));
  assert.deepEqual([samples.shape.slice(1), samples.type], [[4, 5], "uint8"]);
  assert.ok(samples.values.some((value) => value > 127) && new Set(samples.values).size > 8, "whole bytes, and not bits");
  const lines = await reread.csv(await savedAs(page, "samples", "CSV"), null);
  assert.deepEqual(lines.rows.flat().map(Number), samples.values);
  await goTo(page, "Complete");
  await more(page);
  await page.getByLabel("Start from", { exact: true }).selectOption("data");
  await page.getByText(/^10 of 20 pixels unknown/).waitFor();
  await press(page, enabled(page, "Complete"));
  await page.getByText(/^\d distinct of 8, by the model in training/).waitFor();
  const answers = await reread.npy(await savedAs(page, "answers", "NPY"));
  assert.deepEqual(answers.shape, [8, 4, 5]);
  const { values } = EXPECTED["colour.npy"].pictures;
  assert.ok(isOneOf([0, 20, 40].map((start) => values.slice(start, start + 10)), answers.values.slice(0, 10)), "what was known is whole bytes of one of the examples");
}));

test("the model in training fills gaps, tested on cells that it never saw", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  await byInput(page, ["binary.csv"]);
  await dialog(page).waitFor();
  assert.equal(await dialog(page).getByLabel(/^Hold back 10 %/).isChecked(), true);
  await useData(page);
  await page.getByLabel("Using", { exact: true }).selectOption("training");
  assert.equal(await button(page, "Fill the gaps").isDisabled(), true, "nothing is learned yet");
  await trainSteps(page, 20);
  await press(page, button(page, "Fill the gaps"));
  await page.getByText(/^Filled by the model in training\. 4 cells filled, /).waitFor();
  const rows = page.locator(".trust table.numbers tbody tr");
  const scores = await rows.evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(scores.map(([name]) => name), ["the model", "most frequent value", "nearest rows"]);
  for (const [, right, loss] of scores) assert.ok(/^\d+\.\d %$/.test(right) && Number(loss) > 0, `${right}, ${loss}`);
  await page.getByText(/^On \d+ known cells, which the model had not seen: /).waitFor();
  const filled = await reread.csv(await saved(page, () => press(page, button(page, "Save the table"))));
  const { names, rows: known } = EXPECTED["binary.csv"].table;
  assert.deepEqual([filled.names, filled.rows.length, filled.missing], [names, known.length, names.map(() => 0)]);
  for (const [row, cells] of known.entries()) for (const [place, cell] of cells.entries()) assert.ok(cell === null || filled.rows[row][place] === cell, "known cells stay");
}));

test("a dropped folder is read with all that is in it", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  const within = join(folder, "dropped", "inner");
  mkdirSync(within, { recursive: true });
  writeFileSync(join(folder, "dropped", "readme.txt"), "What each question was.\nAsked in spring.\n");
  writeFileSync(join(within, "answers.csv"), "a,b\n0,1\n1,0\n1,\n");
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [join(folder, "dropped")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await devtools.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  await dialog(page).getByText("3 rows, 2 columns.").waitFor();
  await dialog(page).getByRole("heading", { name: /answers\.csv/ }).waitFor();
}));

async function onBars(page) {
  await opened(page);
  await page.getByLabel("Data set", { exact: true }).selectOption("bars");
  await page.getByText(/30 examples, 4 × 4/).waitFor();
}

slowly("the training log and the figures are files of their kind", lab({ view: "train" }, async ({ page }) => {
  await onBars(page);
  const step = await trainSteps(page, 100);
  const [csv, json] = [await reread.log(await savedAs(page, "this run", "log as CSV")), await reread.log(await savedAs(page, "this run", "log as JSON"))];
  assert.ok(csv.steps.length > 0 && csv.steps.every((now, at) => now <= step && now >= (csv.steps[at - 1] ?? 0)), `${csv.steps}`);
  assert.deepEqual(json.steps, csv.steps);
  assert.ok(csv.names.includes("positive_mean_meeting_time") && json.names.includes("positive"));
  for (const what of ["Meeting time", "Search sweeps"]) {
    const region = page.getByRole("region", { name: what, exact: true });
    const save = async (form) => {
      await region.locator("summary").first().click();
      return saved(page, () => region.getByRole("button", { name: new RegExp(`as ${form}$`) }).click());
    };
    const png = await reread.picture(await save("PNG"));
    assert.ok(png.format === "PNG" && png.width > 100 && png.height > 50);
    const svg = readFileSync(await save("SVG"), "utf8");
    const parsed = await page.evaluate((svg) => {
      const tree = new DOMParser().parseFromString(svg, "image/svg+xml");
      return [tree.documentElement.tagName, tree.querySelectorAll("parsererror").length, tree.documentElement.querySelectorAll("*").length];
    }, svg);
    assert.deepEqual(parsed.slice(0, 2), ["svg", 0]);
    assert.ok(parsed[2] > 5, `${parsed[2]} elements`);
  }
}));

/** The message for an input, from the table that a test of the readers writes. */
const documented = (area, input) => {
  const row = parseCsv(readFileSync(at("crates/dbm-data/tests/bad_inputs/messages.csv"), "utf8")).find((row) => row[0] === area && row[1] === input);
  assert.ok(row, `${area}, ${input}`);
  return row[2];
};

test("bad files are refused with the documented words while the run trains on", lab({ search: "#view=train&t.speed=5" }, async ({ page }) => {
  await onBars(page);
  await press(page, enabled(page, "Train"));
  let before = await until(() => steps(page), (n) => n > 0, "training");
  for (const [group, input, ...files] of [
    ["any file", "a Parquet table", file("data.parquet", "PAR1\x15\x04")],
    ["any file", "a web page, as a wrong link gives it", file("data.csv", "<!DOCTYPE html><html><body>Not found</body></html>")],
    ["any file", "no bytes", file("empty.bin", "")],
    ["gzip", "nothing behind the magic number", file("images.gz", [0x1f, 0x8b])],
    ["IDX", "labels alone", file("t10k-labels.idx", [0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3])],
    ["ZIP", "nothing in it", file("data.zip", [0x50, 0x4b, 5, 6, ...Array(18).fill(0)])],
    ["PNG", "nothing behind the magic number", file("sheet.png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ]) {
    await upload(page).setInputFiles(files);
    await page.getByRole("alert").filter({ hasText: documented(group, input) }).first().waitFor({ timeout: 10_000 });
    assert.equal(await dialog(page).count(), 0);
    before = await until(() => steps(page), (n) => n > before, "training continues");
  }
  await press(page, button(page, "Pause"));
  await opened(page);
  assert.equal(await chosen(page), "Bars and stripes 4 × 4");
}));

test("hostile names and cells are shown as text", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  const alerts = [];
  page.on("dialog", (alert) => (alerts.push(alert.message()), alert.dismiss()));
  const evil = (n) => `<img src=x onerror=alert(${n})>`;
  const name = `${evil(1)}.csv`;
  const names = [evil(2), "<script>alert(3)</script>", "=1+1"];
  const cell = (r, c) => ((r + c) % 3 ? evil(4) : "</td><b onclick=alert(5)>");
  const quote = (text) => `"${text.replaceAll('"', '""')}"`;
  const lines = [names, ...Array.from({ length: 12 }, (_, r) => [cell(r, 0), cell(r, 1), r === 3 ? "" : String(r % 2)])];
  await upload(page).setInputFiles(file(name, lines.map((line) => line.map(quote).join(",")).join("\n")));
  await dialog(page).getByText("12 rows, 3 columns.").waitFor();
  assert.equal(await dialog(page).getByRole("heading").textContent(), name);
  assert.deepEqual(await dialog(page).locator("thead tr").first().locator("th > span").allTextContents(), names);
  assert.equal(await dialog(page).locator("tbody td").first().textContent(), cell(0, 0));
  await useData(page);
  assert.equal(await chosen(page), name);
  await trainSteps(page, 5);
  const samples = await reread.csv(await savedAs(page, "samples", "CSV"));
  assert.deepEqual(samples.names, names);
  await upload(page).setInputFiles(file(`${evil(6)}.png`, "GIF89a"));
  await page.getByRole("alert").filter({ hasText: `${evil(6)}.png` }).waitFor();
  assert.equal(await page.locator("img, b[onclick], main script").count(), 0);
  assert.deepEqual(alerts, []);
}));

slowly("reading can be cancelled, nothing changes, and another file is read after", lab({ view: "train" }, async ({ page }) => {
  await onBars(page);
  const step = await trainSteps(page, 5);
  const about = page.getByText(/^30 examples, 4 × 4/);
  const said = await about.textContent();
  const random = generator(3);
  const line = () => Array.from({ length: 200 }, () => (random() < 0.5 ? "0" : "1")).join(",");
  const large = file("large.csv", `${Array.from({ length: 20_000 }, line).join("\n")}\n`);
  // Cancelled as soon as the button appears, and again after the reader has reported progress.
  for (const wanted of [/Reading the files/, /^(?!Reading the files)./]) {
    const pressed = page.evaluate(
      (wanted) =>
        new Promise((resolve) => {
          const look = () => {
            const reading = document.querySelector(".reading");
            if (!reading || !new RegExp(wanted).test(reading.querySelector("p").textContent)) return;
            watch.disconnect();
            resolve(reading.querySelector("p").textContent);
            reading.querySelector("button").click();
          };
          const watch = new MutationObserver(look);
          watch.observe(document.body, { childList: true, subtree: true, characterData: true });
        }),
      wanted.source,
    );
    await upload(page).setInputFiles(large);
    await pressed;
    await until(() => page.locator(".reading").count(), (n) => n === 0, "reading has ended");
    await quiet(page, 1_000); // longer than reading the file takes
    assert.equal(await dialog(page).count(), 0, "nothing is offered");
    assert.deepEqual([await steps(page), await chosen(page), await about.textContent()], [step, "Bars and stripes 4 × 4", said]);
    assert.equal(await page.getByRole("alert").count(), 0);
  }
  await byInput(page, ["binary.csv"]);
  await looksAtTable(page, EXPECTED["binary.csv"]);
  await press(page, dialog(page).getByRole("button", { name: "Cancel", exact: true }));
  await until(() => dialog(page).count(), (n) => n === 0, "the dialog is closed");
  assert.deepEqual([await steps(page), await chosen(page)], [step, "Bars and stripes 4 × 4"]);
}));

test("the preview fits a desk and a phone", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  for (const [name, what] of [["images.idx", "pictures"], ["binary.csv", "table"]]) {
    await byInput(page, [name]);
    await dialog(page).waitFor();
    for (const [width, height] of [[1280, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      const box = await dialog(page).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width && box.height <= height, `${JSON.stringify(box)} in ${width} × ${height}`);
      await screenshot(page, `preview-${what}-${width}`, false);
    }
    await press(page, dialog(page).getByRole("button", { name: "Cancel", exact: true }));
  }
}));
