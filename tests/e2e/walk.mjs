// The walk: a newcomer presses every control of a view like a hand, and anything that moves, is covered or overflows is recorded.
import { collectErrors } from "./browser.mjs";
import { SLACK, eyes, pressWatched } from "./hand.mjs";

export const SIZES = {
  1280: { viewport: { width: 1280, height: 900 } },
  768: { viewport: { width: 768, height: 1024 } },
  390: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
const NAMES = ["complete", "train", "coupling", "proof"];
/** What is walked, by address. Only the bare one is a first visit; it shows Complete. */
export const VIEWS = {
  complete: "",
  train: "#view=train",
  two: "#view=train&t.two=yes",
  coupling: "#view=coupling",
  proof: "#view=proof",
  ...Object.fromEntries(NAMES.map((view) => [`embed-${view}`, `?embed=${view}`])),
};
/** Among controls that differ only in a number or a position, this many are pressed. */
const OF_A_KIND = [
  ["svg [tabindex]", 3],
  [".tile", 6],
  [".pattern-bit", 4],
  ["fieldset button", 6],
  [".comparisons button", 6],
  [".presets a", 4],
  ["details.save button", 2],
  ["details.chart-table > summary", 2],
  ["details.explanation a", 2],
  [".notices button", 3],
  ["input:not([type])", 3],
  ["input[type=text]", 3],
  ["input[type=checkbox]", 4],
  ["input[type=radio]", 6],
];
/** In an embedded view, which has the same controls, fewer are. */
const EMBEDDED = [["select", 3], ["details.save > summary", 2], ...OF_A_KIND.map(([kind, most]) => [kind, Math.ceil(most / 3)])];
/** Controls above every view are walked in the first view; in the others, only the menu of views. */
const ABOVE = ".masthead :not(nav *)";
/** These end running work, which is left alone for this many presses. */
const ENDS = /^(Cancel|Stop|Pause)/;
const AT_WORK = 5;
/** A press on one of these reveals more, or something else, and may move others. */
const SHOWS = "summary, select, [type=radio], [type=checkbox], a, [aria-expanded], [aria-haspopup]";
/** This restores what was shown before, such as another data set's settings. */
const BRINGS_BACK = /^Undo/;
/** These are pressed last: they start runs, which would occupy the processors for the rest of the walk. */
const STARTS = /^Presets/;
/** This leads elsewhere, like a link: to the start of the tour. */
const LEADS = /^Take the tour/;
/** No view has more. */
const MOST = 250;

/** In the page: the controls that can be pressed now, in document order, without menu entries. */
function list([ofAKind, above]) {
  hand.listed = hand.controls().filter((control) => !control.matches(`:disabled, [aria-disabled=true], details.save > div *, .tour *, dialog *, ${above}`));
  return hand.listed.map((control, index) => {
    const name = hand.name(control);
    const around = control.closest("section, fieldset, form, nav, footer, details:not(.save)");
    return {
      index,
      name,
      key: [control.localName, around?.getAttribute("aria-label") ?? around?.querySelector("h2, h3, legend, summary")?.textContent ?? "", control.id || name].join("|"),
      kind: ofAKind.find(([kind]) => control.matches(kind))?.[0],
      isMain: control.matches(".primary"),
    };
  });
}

/** In the page: rests on a control until its help appears, if it has any, and returns what the help covers. */
async function restOn(control) {
  const [box, helped] = [document.querySelector("#help-box"), control.closest("[data-help]")];
  hand.hovered ??= new WeakSet();
  if (!box || !helped) return [];
  hand.hovered.add(helped);
  for (const end = performance.now() + 700; (box.hidden || box.textContent !== helped.dataset.help) && performance.now() < end; ) await new Promise(requestAnimationFrame);
  return box.hidden ? [] : hand.covered(box, control.control ?? control);
}

/** In the page: the state after a press. */
function lookAround() {
  const { clientWidth, scrollWidth } = document.documentElement;
  const outside = (box) => {
    const { left, top, right, bottom } = box.getBoundingClientRect();
    return Math.round(Math.max(-left, -top, right - innerWidth, bottom - innerHeight));
  };
  const keys = new URLSearchParams(location.hash.slice(1));
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((it) => it.checkVisibility());
  const foot = shown(".foot").find((it) => getComputedStyle(it).position === "fixed");
  return {
    wide: scrollWidth - clientWidth,
    where: `${keys.get("view") ?? "complete"}|${keys.get("t.two")}`,
    menus: shown("details.save[open] > div").map(outside),
    dialogs: shown("dialog[open]").map(outside),
    tour: shown(".tour").length > 0,
    // The lower edge of the window is the footer: controls are scrolled clear of it, and no message changes it.
    foot: foot?.getBoundingClientRect().top,
    notices: foot ? shown(".notices > *").filter((notice) => notice.getBoundingClientRect().top < foot.getBoundingClientRect().top).map((notice) => notice.textContent.slice(0, 40)) : [],
  };
}

/** Whether a view can be used. */
const canBeUsed = () => [...document.querySelectorAll("main .primary:enabled")].some((button) => button.checkVisibility());

/**
 * Walks a view at a size, in a new browser context. Resolves to the number of controls pressed, and to the problems: rows of `what`
 * ("moved", "moved others", "missed", "covered", "off the screen", "too wide" or "error"), the control, by how many pixels, and further
 * details.
 */
export async function walk(browser, url, view, size) {
  const context = await browser.newContext({ ...SIZES[size], serviceWorkers: "block", permissions: ["clipboard-read", "clipboard-write"] });
  const wrong = new Map();
  const note = (what, control, px, words = "") => {
    const key = [what, control, what === "covered" ? words : ""].join("|");
    if ((wrong.get(key)?.px ?? -1) < px) wrong.set(key, { view, size, what, control, px, words });
  };
  let pressed = 0;
  const ofAKind = view.startsWith("embed") ? EMBEDDED : OF_A_KIND;
  try {
    await context.addInitScript(eyes);
    const page = await context.newPage();
    const errors = collectErrors(page);
    context.on("page", (opened) => opened !== page && opened.close());
    page.on("filechooser", () => {}); // with a listener, no file dialog opens
    await page.goto(url + VIEWS[view]);
    await page.waitForFunction(canBeUsed, null, { timeout: 120_000 });
    const { where: home, foot } = await page.evaluate(lookAround);

    /** Leaves the native list that a press has opened, and chooses its next option: with keys or, without any, as the list would. */
    const chooseNext = async (select) => {
      await page.keyboard.press("Escape");
      if (!(await select.evaluate((it) => it === document.activeElement))) return; // the press was lost
      if (!SIZES[size].hasTouch) return page.keyboard.press("ArrowDown");
      await select.evaluate((it) => {
        const options = [...it.options];
        it.value = (options.slice(it.selectedIndex + 1).find((option) => !option.disabled) ?? options[0]).value;
        for (const event of ["input", "change"]) it.dispatchEvent(new Event(event, { bubbles: true }));
      });
    };
    /** Presses a control and records what was observed. */
    const one = async (element, name, { isEntry = false } = {}) => {
      // Lists that open and sliders receive the press without a click.
      const [isSelect, noClick, isMenu, mayMove] = await element.evaluate((it, shows) => [it.matches("select"), it.matches("select, [type=range]"), it.matches("details.save > summary"), it.matches(shows)], SHOWS);
      const over = [];
      const seen = await pressWatched(page, element, {
        block: isMenu ? "center" : "nearest",
        rest: size === "1280" ? async () => over.push(...(await element.evaluate(restOn))) : undefined,
        between: isSelect ? () => chooseNext(element) : undefined,
      });
      const after = await page.evaluate(lookAround);
      // A control that disappeared before it could be reached, and an edge below another, do not count.
      if (!seen.found && !(await element.evaluate((it) => hand.isSeen(it) && !(it instanceof SVGElement)))) return after;
      // What it would have ended had already ended, or there was nothing left to do.
      if (!seen.clicked && (seen.disabled || (ENDS.test(name) && !(await element.evaluate((it) => hand.isSeen(it) && !it.disabled))))) return after;
      pressed += 1;
      if (seen.moved > SLACK && !LEADS.test(name)) note("moved", name, Math.round(seen.moved));
      const { others } = seen;
      if (others.length && !mayMove && !BRINGS_BACK.test(name) && !isEntry && !after.dialogs.length && !after.tour) note("moved others", name, others[0].px, `${others.length}: ${others.slice(0, 3).map(({ name, px }) => `${name} ${px}`).join(", ")}`);
      if (!seen.down || !seen.up || !(seen.clicked || noClick)) note("missed", name, 0, [seen.found || "is out of reach", seen.down || "not there at down", seen.up || "not there at up", seen.clicked || noClick || "no click"].filter((word) => word !== true).join(", "));
      for (const control of over) note("covered", control, 0, `by the help of ${name}`);
      for (const says of after.notices) note("covered", name, 0, `the notice “${says}” is outside its strip`);
      if (after.foot !== foot) note("moved others", name, 0, `the strip of messages, from ${foot} to ${after.foot}`);
      for (const px of [...after.menus, ...after.dialogs]) if (px > 1) note("off the screen", name, px, after.menus.length ? "its menu" : "its dialog");
      if (after.wide > 0) note("too wide", name, after.wide);
      return after;
    };
    /** Returns to the place of the walk, with nothing open over it. */
    const back = async (after) => {
      if (after.dialogs.length || after.tour) {
        await page.keyboard.press("Escape");
        await page.waitForFunction(() => !document.querySelector("dialog[open]") && ![...document.querySelectorAll(".tour")].some((it) => it.checkVisibility()));
      }
      if ((await page.evaluate(lookAround)).where !== home) {
        const [name, two] = home.split("|");
        await page.evaluate((hash) => (location.hash = hash), `#view=${name}${two === "yes" ? "&t.two=yes" : ""}`);
        await page.locator("main h2:visible").first().waitFor();
      }
    };
    /** Presses some entries of an open menu; each closes it. */
    const entries = async (menu, name) => {
      const most = await menu.evaluate((menu, ofAKind) => Math.min(menu.querySelectorAll("div :is(a, button)").length, ofAKind.find(([kind]) => menu.querySelector("div :is(a, button)")?.matches(kind))?.[1] ?? 2), ofAKind);
      for (let at = 0; at < most; at++) {
        const entry = (await menu.evaluateHandle((menu, at) => ((menu.open = true), menu.querySelectorAll("div :is(a, button)")[at]), at)).asElement();
        await back(await one(entry, `${name}: ${await entry.evaluate((it) => hand.name(it))}`, { isEntry: true }));
      }
      await menu.evaluate((menu) => (menu.open = false));
    };

    const [done, kinds, atWork] = [new Set(), new Map(), new Map()];
    let cursor = { index: -1, key: "" };
    while (pressed < MOST) {
      const all = await page.evaluate(list, [ofAKind, view === "complete" ? "nothing" : ABOVE]);
      const after = all.find(({ key }) => key === cursor.key)?.index ?? cursor.index - 1;
      const limit = new Map(ofAKind);
      const left = all.filter(({ key, kind, name }) => !done.has(key) && !(kind && kinds.get(kind) >= limit.get(kind)));
      for (const { key, name } of left) if (ENDS.test(name) && !atWork.has(key)) atWork.set(key, pressed);
      const ends = left.filter(({ name }) => ENDS.test(name));
      const others = [false, true].map((starts) => left.filter(({ name }) => !ENDS.test(name) && STARTS.test(name) === starts)).find((some) => some.length) ?? [];
      // A newcomer presses the main button first.
      const next = ends.find(({ key }) => pressed - atWork.get(key) >= AT_WORK) || (!pressed && others.find(({ isMain }) => isMain)) || (others.find(({ index }) => index > after) ?? others[0] ?? ends[0]);
      if (!next) break;
      if (!ENDS.test(next.name)) cursor = next;
      done.add(next.key);
      if (next.kind) kinds.set(next.kind, (kinds.get(next.kind) ?? 0) + 1);
      const element = (await page.evaluateHandle((index) => hand.listed[index], next.index)).asElement();
      if (!(await element.evaluate((it) => hand.isSeen(it)))) continue; // it has disappeared meanwhile
      const seen = await one(element, next.name);
      const menu = seen.menus.length && (await element.evaluateHandle((it) => it.closest("details.save[open]"))).asElement();
      if (menu) await entries(menu, next.name);
      await back(seen);
    }
    // Help that belongs to no control, such as that of a label.
    while (size === "1280") {
      const label = (await page.evaluateHandle(() => {
        hand.hovered ??= new WeakSet();
        const kinds = (hand.kinds ??= {});
        const kind = (it) => it.localName + it.className + it.parentElement.className;
        const next = [...document.querySelectorAll("[data-help]")].find((it) => it.checkVisibility() && !hand.hovered.has(it) && !it.matches("button, select, input") && (kinds[kind(it)] ?? 0) < 4);
        if (next) kinds[kind(next)] = (kinds[kind(next)] ?? 0) + 1;
        return next;
      })).asElement();
      if (!label) break;
      const { x, y } = await label.evaluate((it) => hand.aim(it));
      await page.mouse.move(x, y);
      for (const control of await label.evaluate(restOn)) note("covered", control, 0, `by the help of ${await label.evaluate((it) => hand.name(it))}`);
    }
    // Whatever is still running; work that ends meanwhile can no longer be stopped.
    await page.evaluate(() => [...document.querySelectorAll("button:enabled")].filter((it) => /^Pause/.test(it.textContent.trim()) && it.checkVisibility()).forEach((it) => it.click()));
    for (const error of errors.filter((error) => !error.startsWith("did not load: https:"))) note("error", error.slice(0, 200), 0);
  } finally {
    await context.close();
  }
  return { view, size, pressed, wrong: [...wrong.values()] };
}

/** How long a page is observed once it can be used, in milliseconds. */
const STILL = 4000;

/**
 * In the page, before its own scripts: each move of a control from where it was first painted, or from where the previous move left it;
 * slow ones too.
 */
function follow(slack) {
  const first = new Map();
  hand.moves = [];
  requestAnimationFrame(function look() {
    for (const control of hand.controls()) {
      const [x, y] = hand.place(control);
      const before = first.get(control) ?? [x, y];
      const far = Math.max(Math.abs(x - before[0]), Math.abs(y - before[1]));
      if (far > slack) hand.moves.push({ name: hand.name(control), ms: Math.round(performance.now()), px: Math.round(far) });
      if (far > slack || !first.has(control)) first.set(control, [x, y]);
    }
    requestAnimationFrame(look);
  });
}

/**
 * Opens a view at a size and only observes: every spontaneous move of a control, until four seconds after it can be used, as rows like
 * those of {@link walk}.
 */
export async function comesUp(browser, url, view, size) {
  const context = await browser.newContext({ ...SIZES[size], serviceWorkers: "block" });
  try {
    await context.addInitScript(eyes);
    await context.addInitScript(follow, SLACK);
    const page = await context.newPage();
    await page.goto(url + VIEWS[view]);
    await page.waitForFunction(canBeUsed, null, { timeout: 120_000 });
    await page.waitForTimeout(STILL);
    // Those that moved at the same moment by the same distance are one row.
    const rows = new Map();
    for (const { name, ms, px } of await page.evaluate(() => hand.moves)) {
      const key = `${ms} ${px}`;
      rows.set(key, { view, size, ms, px, names: [...(rows.get(key)?.names ?? []), name] });
    }
    return [...rows.values()];
  } finally {
    await context.close();
  }
}

/** Runs jobs, this many at a time; resolves to their results, in order. */
export async function atATime(count, jobs) {
  const results = [];
  const left = [...jobs.entries()];
  const worker = async () => {
    for (let job = left.shift(); job; job = left.shift()) results[job[0]] = await job[1]();
  };
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}
