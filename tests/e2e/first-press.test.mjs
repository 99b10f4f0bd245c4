// The first press of a newcomer does what it says, whenever it comes, and so does the first stroke. SLOW=1 waits longer before it, and presses
// at every size, in Firefox and WebKit too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { engines, open } from "../../scripts/engines.mjs";
import { serve } from "../../scripts/serve.mjs";
import { button, shared, until } from "./browser.mjs";
import { eyes, glide, pressWatched } from "./hand.mjs";
import { stop } from "./installed.mjs";
import { SIZES, atATime } from "./walk.mjs";

const BUTTONS = ["Complete", "New digit", "Upper half"];
/** Seconds between the moment when Complete can be pressed and the press. */
const DELAYS = process.env.SLOW ? [0, 0.5, 2, 5, 30] : [0, 2];
const PRESSED_AT = process.env.SLOW ? Object.keys(SIZES) : ["390"];
const AT_A_TIME = 3;

const canComplete = () => document.querySelector("#complete:enabled") !== null;

/** Opens the page as a newcomer, waits until Complete can be pressed and this many seconds more, and does something. */
async function visit(size, delay, body) {
  const { browser, url } = shared();
  const context = await browser.newContext({ ...SIZES[size], serviceWorkers: "block" });
  try {
    await context.addInitScript(eyes);
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction(canComplete, null, { polling: "raf", timeout: 120_000 });
    await page.waitForTimeout(1000 * delay);
    return await body(page);
  } finally {
    await context.close();
  }
}

/** Prints what became of the presses, as a table, and fails if one was lost. */
function judge(t, presses) {
  for (const { where, name, delay, seen } of presses) {
    t.diagnostic(`${where}: ${name} after ${delay} s: ${seen.clicked ? "pressed" : `lost: ${seen.down ? "there" : "not there"} at down, ${seen.up ? "there" : "not there"} at up`}, moved by ${Math.round(seen.moved)} px`);
  }
  const lost = presses.filter(({ seen }) => !seen.clicked);
  t.diagnostic(`${lost.length} of ${presses.length} first presses lost`);
  assert.equal(lost.length, 0, lost.map(({ where, name, delay }) => `${name} at ${where} after ${delay} s`).join(", "));
}

/** Every delay, button and size of these; after half a minute only Complete. */
const CASES = DELAYS.flatMap((delay) => BUTTONS.filter((name) => delay < 30 || name === "Complete").flatMap((name) => PRESSED_AT.map((where) => ({ where, name, delay }))));

test("the first press in Chromium", async (t) => {
  const press = (one) => () => visit(one.where, one.delay, async (page) => ({ ...one, seen: await pressWatched(page, await button(page, one.name).elementHandle()) }));
  judge(t, await atATime(process.env.SLOW ? 2 * AT_A_TIME : AT_A_TIME, CASES.map(press)));
});

/** The same in another engine, with the pointer at every size. */
async function pressIn(name) {
  const engine = await open(name);
  const presses = [];
  try {
    for (const { where, name: label, delay } of CASES) {
      const fresh = await serve(); // at a new port, everyone is a newcomer
      try {
        const { width, height } = SIZES[where].viewport;
        const [wide] = await engine.resize(width, height);
        await engine.go(`http://127.0.0.1:${fresh.address().port}/`);
        await engine.button("Complete");
        await wait(1000 * delay);
        const { clicked, moved } = await engine.press(label);
        presses.push({ where: `${name} at ${wide}`, name: label, delay, seen: { clicked, moved, down: true, up: clicked } });
      } finally {
        await stop(fresh);
      }
    }
  } finally {
    await engine.close();
  }
  return presses;
}

test("the first press in the other engines, at every size", { skip: !process.env.SLOW && "SLOW=1 presses in them" }, async (t) => {
  const presses = [];
  // One after another: side by side, a browser may be so slow that its driver gives it up.
  for (const name of engines().filter((name) => name !== "chromium")) presses.push(...(await pressIn(name)));
  judge(t, presses);
});

/** The line of the stroke, in fractions of the canvas, and a newcomer's brush, in cells. */
const [FROM, TO] = [{ x: 0.1, y: 0.1 }, { x: 0.9, y: 0.4 }];
const [CELLS, BRUSH] = [28, 3];

/** The cells of the upper half that a mask in the address hides. */
function painted(mask) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const bits = [...mask].flatMap((letter) => Array.from({ length: 6 }, (_, at) => (letters.indexOf(letter) >> (5 - at)) & 1));
  return Array.from({ length: (CELLS * CELLS) / 2 }, (_, at) => ({ x: (at % CELLS) + 0.5, y: Math.floor(at / CELLS) + 0.5, is: bits[at] === 1 }));
}

/** Distance of a cell from the line, in cells. */
function fromLine({ x, y }) {
  const [dx, dy] = [CELLS * (TO.x - FROM.x), CELLS * (TO.y - FROM.y)];
  const [px, py] = [x - CELLS * FROM.x, y - CELLS * FROM.y];
  const t = Math.min(1, Math.max(0, (px * dx + py * dy) / (dx * dx + dy * dy)));
  return Math.hypot(px - t * dx, py - t * dy);
}

for (const delay of process.env.SLOW ? [0, 0.5, 2, 10] : [0]) {
  test(`a stroke ${delay} s after the canvas has come up is a straight line`, () =>
    visit("1280", delay, async (page) => {
      const { x, y, width, height } = await page.getByLabel("Picture", { exact: true }).boundingBox();
      const at = (part) => ({ x: x + width * part.x, y: y + height * part.y });
      await page.mouse.move(at(FROM).x, at(FROM).y);
      await page.mouse.down();
      await glide(page, at(FROM), at(TO), { ms: 600 });
      await page.mouse.up();
      await wait(800); // until the address contains the complete stroke
      const mask = await until(() => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("c.mask")), (mask) => mask?.length === 131, "the stroke in the address", 20);
      const cells = painted(mask);
      // A cell whose centre is near the rim of the brush may be painted or not.
      const wrong = cells.filter((cell) => (cell.is ? fromLine(cell) > BRUSH / 2 + 0.6 : fromLine(cell) < BRUSH / 2 - 0.4));
      assert.equal(wrong.length, 0, wrong.map(({ x, y, is }) => `row ${Math.ceil(y)}, column ${Math.ceil(x)} is ${is ? "painted" : "left out"}`).join("; "));
    }));
}
