// Nothing moves under the hand: a newcomer presses every control of a view and of its menus. WALK=complete@1280,train@390 walks these.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shared } from "./browser.mjs";
import { SIZES, VIEWS, atATime, comesUp, walk } from "./walk.mjs";

/** How many hands walk at a time: they mostly wait. */
const HANDS = Number(process.env.HANDS ?? 3);
const { WALK } = process.env;
/** Where every visit begins, on a phone; SLOW=1 walks all views at every size. */
const OFTEN = "complete@390";
const EVERYTHING = Object.keys(VIEWS).flatMap((view) => Object.keys(SIZES).map((size) => `${view}@${size}`));
const WALKS = (WALK?.split(",") ?? (process.env.SLOW ? EVERYTHING : OFTEN.split(","))).map((one) => one.split("@"));

/** What is counted, by size. */
const COUNTED = ["moved", "moved others", "missed", "covered", "off the screen", "too wide", "error"];
const line = ({ view, size, what, control, px, words }) => `${view}@${size}: ${what}: ${control}${px ? `, ${px} px` : ""}${words ? ` (${words})` : ""}`;

test("every control of every view is pressed, and nothing moves, is covered or sticks out", async (t) => {
  const { browser, url } = shared();
  const began = Date.now();
  const walked = await atATime(HANDS, WALKS.map(([view, size]) => async () => {
    const began = Date.now();
    const result = await walk(browser, url, view, size);
    // Printed at once: a walk takes long.
    console.log(`${view}@${size}: ${result.pressed} pressed, ${result.wrong.length} wrong, in ${((Date.now() - began) / 1000).toFixed(0)} s`);
    return result;
  }));
  const wrong = walked.flatMap((result) => result.wrong);
  t.diagnostic(["size", "pressed", ...COUNTED].join(" | "));
  for (const size of Object.keys(SIZES)) {
    const of = (what) => wrong.filter((row) => row.size === size && row.what === what);
    const count = (what) => (what === "too wide" ? new Set(of(what).map(({ view }) => view)).size : of(what).length);
    t.diagnostic([size, walked.filter((result) => result.size === size).reduce((sum, { pressed }) => sum + pressed, 0), ...COUNTED.map(count)].join(" | "));
  }
  t.diagnostic(`${((Date.now() - began) / 1000).toFixed(0)} s`);
  assert.equal(wrong.length, 0, `\n${wrong.map(line).join("\n")}`);
});

test("no control moves while a page comes up", async () => {
  const { browser, url } = shared();
  const views = WALKS.filter(([view, size]) => !view.startsWith("embed") && size !== "768");
  const rows = (await atATime(HANDS, views.map(([view, size]) => () => comesUp(browser, url, view, size)))).flat();
  assert.equal(rows.length, 0, `\n${rows.map(({ view, size, ms, px, names }) => `${view}@${size}: at ${(ms / 1000).toFixed(1)} s by ${px} px: ${names.length} controls, ${names.slice(0, 4).join(", ")}`).join("\n")}`);
});
