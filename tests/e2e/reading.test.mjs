// How files are read is shown, and every decision can be corrected with a real pointer, at once and without anything moving.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lab, screenshot, steps, until } from "./browser.mjs";
import { dialog, opened, upload } from "./files.mjs";
import { SLACK, press, pressWatched } from "./hand.mjs";

const file = (name, text) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });

const TABLE = `sex,country,dose,ill
${["Male,NA,1,yes", "male,BW,.,no", "female,ZA,3,", "male,NA,2,yes", ",ZA,-9,no", "female,BW,1,yes", "male,NA,3,no", "female,ZA,-9,yes", "Male,BW,2,"].join("\n")}
`;

const units = async (page) => Number((await dialog(page).getByRole("status").textContent()).match(/As bits: (\d+) visible units/)[1]);
const missing = async (page) => Number((await dialog(page).getByRole("status").textContent()).match(/([\d.]+) % missing/)?.[1] ?? 0);

/** An NPY of three pictures of 12 x 8, light but for a stroke. */
const pictures = () => {
  const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 12, 8), }".padEnd(117) + "\n";
  const values = Array.from({ length: 3 * 96 }, (_, at) => (at % 96 < 40 && at % 8 > 2 && at % 8 < 6 && at % 96 > 8 ? 20 : 250));
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Buffer.from([header.length, 0]), Buffer.from(header, "latin1"), Buffer.from(values)]);
};

for (const width of [1280, 390]) {
  test(`what was understood of a table can be corrected at ${width}`, lab({ view: "train", width, height: 844 }, async ({ page }) => {
    await upload(page).setInputFiles([file("people.csv", TABLE)]);
    await dialog(page).getByText("9 rows, 4 columns.").waitFor();
    const before = [await units(page), await missing(page)];
    // A doubt is answered, and the answer taken back.
    const same = dialog(page).getByRole("button", { name: "They are the same" });
    const seen = await pressWatched(page, await same.elementHandle());
    assert.ok(seen.moved <= SLACK && seen.others.length === 0, `nothing moves: ${seen.moved}, ${JSON.stringify(seen.others)}`);
    await until(() => units(page), (now) => now === before[0] - 2, "spellings are one value");
    await press(page, same);
    await until(() => units(page), (now) => now === before[0], "and two again");
    // A word is missing, and is not.
    const word = dialog(page).getByRole("button", { name: /^-9 in dose/ });
    await press(page, word);
    await until(() => missing(page), (now) => now > before[1], "-9 is missing");
    assert.equal(await dialog(page).getByRole("button", { name: "-9 in dose, 2 cells, missing" }).getAttribute("aria-pressed"), "true");
    assert.equal(await page.evaluate(() => document.activeElement.id.startsWith("word-2-")), true, "the focus stays");
    // Kinds, the heading, the encoding, the separator, words that are typed.
    await dialog(page).getByLabel("Kind of country").selectOption("leave-out");
    await dialog(page).getByText("set aside").waitFor();
    await dialog(page).getByLabel("Missing words").fill("., -9");
    await dialog(page).getByLabel("Missing words").press("Enter");
    await dialog(page).getByRole("button", { name: ". in dose, 1 cells, missing" }).waitFor();
    await dialog(page).getByLabel("Encoding").selectOption("windows-1252");
    await dialog(page).getByLabel("Heading").selectOption("none");
    await dialog(page).getByText("Kind of country").waitFor({ state: "detached" });
    await dialog(page).getByRole("alert").getByText("a column called").waitFor();
    await screenshot(page, `reading-table-${width}`, false);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "nothing sticks out");
    await press(page, dialog(page).getByRole("button", { name: "Use this data" }));
    await dialog(page).waitFor({ state: "hidden" });
  }));

  test(`what was understood of pictures can be corrected at ${width}`, lab({ view: "train", width, height: 844 }, async ({ page }) => {
    await upload(page).setInputFiles([{ name: "x.npy", mimeType: "application/octet-stream", buffer: pictures() }]);
    await dialog(page).getByText("3 pictures of 12 × 8, values from 20 to 250.").waitFor();
    const ones = async () => Number((await dialog(page).getByRole("status").textContent()).match(/([\d.]+) % ones/)[1]);
    const before = await ones();
    await dialog(page).getByLabel("Invert").selectOption("yes");
    await until(ones, (now) => Math.abs(now - (100 - before)) < 0.2, "light and dark are swapped");
    assert.equal(await dialog(page).getByRole("button", { name: "Swap light and dark" }).isDisabled(), true, "it is done");
    await dialog(page).getByLabel("Turn").selectOption("1");
    await dialog(page).getByText("3 pictures of 8 × 12").waitFor();
    await dialog(page).getByLabel("Transpose").selectOption("yes");
    await dialog(page).getByText("3 pictures of 12 × 8").waitFor();
    await dialog(page).getByLabel("Bits are").selectOption("redraw");
    await dialog(page).getByText("High above").waitFor({ state: "detached" });
    await screenshot(page, `reading-pictures-${width}`, false);
    await press(page, dialog(page).getByRole("button", { name: "Use this data" }));
    await page.getByText(/^3 examples, 12 × 8, .* drawn at every visit$/).waitFor();
    await press(page, page.getByRole("button", { name: "Step", exact: true }).and(page.locator(":enabled")));
    await until(() => steps(page), (count) => count === 1, "a step");
  }));
}

test("cells of a spreadsheet are pasted as a table, not as their picture", lab({ view: "train" }, async ({ page }) => {
  await opened(page);
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "a\tb\n1\t0\n0\t\n1\t1\n");
    clipboardData.setData("text/html", "<table></table>");
    clipboardData.items.add(new File([new Uint8Array([0x89, 0x50])], "image.png", { type: "image/png" }));
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await dialog(page).getByText("3 rows, 2 columns.").waitFor();
}));
