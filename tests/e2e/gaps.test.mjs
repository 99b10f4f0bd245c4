// From a table with gaps to a filled one: two presses, every filled cell explained, nothing moving under the hand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { button, lab, screenshot, until } from "./browser.mjs";
import { dialog, generator, opened, saved, upload } from "./files.mjs";
import { SLACK, press, pressWatched } from "./hand.mjs";

/** A survey of 120 people: two camps answer alike, one answer in twelve is missing. */
function survey() {
  const random = generator(5);
  const rows = Array.from({ length: 120 }, (_, at) => {
    const camp = random() < 0.5;
    const answers = Array.from({ length: 6 }, () => (random() < 0.08 ? "" : (random() < 0.9) === camp ? "yes" : "no"));
    return [...answers, ["red", "green", "blue"][Math.floor(3 * random())], at === 3 ? "" : `note ${at}`].join(";");
  });
  return `q1;q2;q3;q4;q5;q6;colour;remark\r\n${rows.join("\r\n")}\r\n`;
}

const TEXT = survey();
const file = { name: "survey.csv", mimeType: "text/csv", buffer: Buffer.from(TEXT) };
const gaps = TEXT.split("\r\n").slice(1, -1).flatMap((row) => row.split(";")).filter((cell) => cell === "").length;
const filled = (page) => page.locator(".filled button");

for (const width of [1280, 390]) {
  test(`two presses fill a table at ${width}`, lab({ view: "complete", width, height: 844 }, async ({ page }) => {
    await button(page, "Complete").waitFor();
    await page.locator("body").evaluate((body, { name, text }) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      for (const kind of ["dragenter", "dragover", "drop"]) body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
    }, { name: file.name, text: TEXT });
    await press(page, dialog(page).getByRole("button", { name: "Fill the gaps" }));
    const status = page.locator("section.gaps [role=status]").first();
    // What is being done is shown for as long as it takes, which may be less than a look.
    await until(() => status.textContent(), (text) => /^(Beginning|Trying|Checking|Training|Filling|Filled)/.test(text), "what is being done is said");
    await until(() => status.textContent(), (text) => /^Filled by a model with .* steps.*: the best of 12 recipes/.test(text), "filled");
    const table = page.getByRole("region", { name: "The table", exact: true });
    assert.equal(await table.evaluate((box) => box.getBoundingClientRect().top < innerHeight && box.getBoundingClientRect().bottom > 0), true, "the table is in view");
    const text = readFileSync(await saved(page, () => press(page, button(page, "Save the table"))), "latin1");
    const [before, after] = [TEXT, text].map((lines) => lines.split("\r\n").map((row) => row.split(";")));
    assert.deepEqual(after.map((row) => row.length), before.map((row) => row.length));
    for (const [row, cells] of before.entries()) {
      for (const [column, cell] of cells.entries()) {
        if (cell !== "" || column === 7) assert.equal(after[row][column], cell, "known cells and remarks stay");
        else assert.match(after[row][column], row === before.length - 1 ? /^$/ : /^(yes|no)$/);
      }
    }
    await page.getByText(`${gaps} of 960 cells are missing. 1 of them are in columns`).waitFor();

    // A cell, its alternatives and its like; then the threshold, and other rows: nothing moves.
    await press(page, filled(page).first());
    const details = page.locator(".cell-details");
    await details.getByText("Rows most like it").waitFor();
    const shares = await details.locator(".values .number").allTextContents();
    assert.ok(shares.length === 2 && Math.abs(shares.map(Number).reduce((a, b) => a + b) - 1) < 0.002, `${shares}`);
    assert.ok((await details.locator("tbody tr").count()) === 5);
    const of = () => status.textContent().then((said) => Number(said.match(/(\d+) cells filled/)[1]));
    assert.equal(await of(), gaps - 1);
    await page.getByLabel("Leave empty below probability").fill("0.9");
    await until(of, (count) => count > 0 && count < gaps - 1, "improbable values are left out");
    const only = page.getByLabel("Only rows with gaps");
    const seen = await pressWatched(page, await only.elementHandle());
    assert.ok(seen.moved <= SLACK && seen.others.length === 0, `nothing moves: ${seen.moved}, ${JSON.stringify(seen.others)}`);
    await until(() => page.locator(".pager").textContent(), (said) => !said.includes("of 120"), "fewer rows");
    await screenshot(page, `gaps-${width}`, false);
    await page.getByRole("img", { name: /^Calibration: of \d+ cells/ }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "nothing sticks out");
  }));
}

test("filling can be cancelled and begun again, and moves nothing", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  await upload(page).setInputFiles([file]);
  await press(page, button(page, "Use this data"));
  const fill = button(page, "Fill the gaps");
  const seen = await pressWatched(page, await fill.elementHandle());
  assert.ok(seen.moved <= SLACK && seen.others.length === 0, `nothing moves: ${seen.moved}, ${JSON.stringify(seen.others)}`);
  const cancel = page.locator("section.gaps").getByRole("button", { name: "Cancel" });
  // On a fast machine it may be filled already.
  await cancel.click({ timeout: 1000 }).catch(() => {});
  await until(() => fill.isEnabled(), (yes) => yes, "it can be pressed again");
  await press(page, fill);
  await filled(page).first().waitFor({ timeout: 120_000 });
}));

test("the sample table is one choice away, and its model is worth its answers", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  await page.getByLabel("Data set", { exact: true }).selectOption("survey");
  await page.getByText(/^500 examples, 38 bits, /).waitFor();
  await press(page, button(page, "Fill the gaps"));
  await page.getByText(/^The model beats both: expect about \d+ of 100 filled cells to be right/).waitFor({ timeout: 120_000 });
  await screenshot(page, "gaps-survey");
}));
