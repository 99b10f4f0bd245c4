// A hand: a pointer or a finger that goes to a control, is down for 90 ms and comes up, like a visitor's; and what moves under it
// meanwhile.
//
//     await press(page, button(page, "Complete"));          // fails if the press lands on anything else
//     const seen = await pressWatched(page, control);       // the same, and returns what moved, from down to 500 ms after release
import assert from "node:assert/strict";

/** How long a press is down, and how long afterwards nothing may have moved, in milliseconds. */
export const HELD = 90;
export const AFTER = 500;
/** Pixels by which a control may move without being missed. */
export const SLACK = 2;
/** Beyond this, a touch may be a long press: the page's limit is 450 ms. */
const LONG = 440;
/** How long a hand waits for a control: these machines may be busy. */
const PATIENCE = 120_000;

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** In the page: observes controls, as `hand`. It runs before the page's own scripts, or later; once is enough. */
export function eyes() {
  if (window.hand) return;
  const CONTROLS = "button, a[href], input, select, summary, canvas.picture, [role=button], svg [tabindex]";

  /** The visible part of a control: a label, if the field itself is invisible. */
  const face = (control) => {
    const label = control.labels?.[0];
    if (!label) return control;
    const { width, height } = control.getBoundingClientRect();
    return width < 4 || height < 4 || getComputedStyle(control).opacity === "0" ? label : control;
  };
  const name = (control) => {
    const named = control.labels?.[0] ?? control;
    let words = control.getAttribute("aria-label") ?? named.textContent;
    for (const select of named.querySelectorAll("select")) words = words.replace(select.textContent, "");
    return words.trim().replace(/\s+/g, " ").slice(0, 40) || control.id || control.localName;
  };
  const rect = (control) => face(control).getBoundingClientRect();
  const isSeen = (control) => {
    if (!control.isConnected || !control.checkVisibility({ visibilityProperty: true })) return false;
    const { width, height } = rect(control);
    return width >= 4 && height >= 4;
  };
  const controls = () => [...document.querySelectorAll(CONTROLS)].filter(isSeen);

  /** The part of an element that is on the screen: inside the window and everything that clips it. */
  const onScreen = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    [left, top, right, bottom] = [Math.max(left, 0), Math.max(top, 0), Math.min(right, innerWidth), Math.min(bottom, innerHeight)];
    for (let around = element; around !== document.body && around?.parentElement; around = around.parentElement) {
      if (getComputedStyle(around).position === "fixed") break;
      const outer = around.parentElement;
      if (outer === document.body || getComputedStyle(outer).overflow === "visible") continue;
      const clip = outer.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, clip.left), Math.max(top, clip.top), Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
    }
    return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom, x: (left + right) / 2, y: (top + bottom) / 2 } : null;
  };
  /** Whether a press here belongs to the control. */
  const hits = (control, { x, y }) => {
    const found = document.elementFromPoint(x, y);
    return Boolean(found) && (control.contains(found) || face(control).contains(found) || found.closest("label")?.control === control);
  };

  /** The point by which a control is tracked: its corner; for a drawn one, whose outline grows when it is chosen, its centre. */
  const place = (control) => {
    const { left, top, width, height } = rect(control);
    return control instanceof SVGElement ? [left + width / 2, top + height / 2] : [left, top];
  };

  /** Scrolls a control into view, as little as possible, and returns where to press it. */
  const aim = (control, block = "nearest") => {
    const shown = face(control);
    shown.scrollIntoView({ block, inline: "nearest", behavior: "instant" });
    const middle = () => onScreen(shown) ?? shown.getBoundingClientRect();
    if (!hits(control, middle())) shown.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, left, top } = middle();
    const at = { x: x ?? left, y: y ?? top };
    return { ...at, found: hits(control, at), touch: navigator.maxTouchPoints > 0 };
  };

  /**
   * Watches a control, and all others on the screen, at every frame; `stop()` returns what was observed, including those others that moved
   * by more than `slack`.
   */
  const watch = (control, slack) => {
    const watched = controls().filter((other) => other === control || onScreen(face(other))).map((it) => ({ it, name: name(it), from: place(it), far: 0 }));
    const seen = { down: false, up: false, clicked: false, disabled: false };
    const look = () => {
      for (const one of watched) {
        if (!isSeen(one.it)) continue;
        const [x, y] = place(one.it);
        one.far = Math.max(one.far, Math.abs(x - one.from[0]), Math.abs(y - one.from[1]));
      }
    };
    let frame = requestAnimationFrame(function next() {
      look();
      frame = requestAnimationFrame(next);
    });
    const own = (target) => control.contains(target) || face(control).contains(target) || target.closest?.("label")?.control === control;
    const hear = ({ type, clientX: x, clientY: y, target }) => {
      // The previous press may take effect meanwhile, and leave nothing to do here.
      if (type !== "click") seen.disabled ||= control.matches(":disabled, [aria-disabled=true]");
      if (type === "pointerdown") seen.down = hits(control, { x, y });
      else if (type === "pointerup") seen.up = hits(control, { x, y });
      else seen.clicked ||= own(target);
    };
    const EVENTS = ["pointerdown", "pointerup", "click"];
    for (const event of EVENTS) addEventListener(event, hear, true);
    return {
      seen,
      stop() {
        cancelAnimationFrame(frame);
        for (const event of EVENTS) removeEventListener(event, hear, true);
        if (document.visibilityState === "visible") look();
        const others = watched.filter(({ it }) => it !== control && !control.contains(it)).sort((a, b) => b.far - a.far);
        return { ...seen, moved: watched.find(({ it }) => it === control)?.far ?? 0, others: others.filter(({ far }) => far > slack).map(({ name, far }) => ({ name, px: Math.round(far) })) };
      },
    };
  };

  /** The controls that a box on the page covers, except `own`. */
  const covered = (box, own) => {
    const over = onScreen(box);
    if (!over || box.hidden || !box.checkVisibility({ visibilityProperty: true })) return [];
    const before = box.style.cssText;
    box.style.setProperty("visibility", "hidden", "important");
    const under = controls().filter((control) => {
      if (control === own || box.contains(control)) return false;
      const part = onScreen(face(control));
      if (!part || !hits(control, part)) return false;
      return Math.min(part.right, over.right) - Math.max(part.left, over.left) > 1 && Math.min(part.bottom, over.bottom) - Math.max(part.top, over.top) > 1;
    });
    box.style.cssText = before;
    return under.map(name);
  };

  window.hand = { controls, face, name, rect, isSeen, onScreen, hits, place, aim, watch, covered };
}

/** Presses at a point: with a finger if the page is on a phone. */
async function downAndUp(page, { x, y, touch }) {
  if (!touch) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await wait(HELD);
    await page.mouse.up();
    return;
  }
  page.finger ??= await page.context().newCDPSession(page);
  // A finger does not stay until a busy page has noticed that it is down.
  const down = page.finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  await wait(HELD);
  await Promise.all([down, page.finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })]);
}

/**
 * Where a press on a control goes, in the window: the control is scrolled into view, as little as possible. `touch` says whether it is a
 * finger's.
 */
async function reach(page, element, { touch, block } = {}) {
  await element.evaluate(eyes);
  const at = await element.evaluate((control, block) => hand.aim(control, block), block);
  const frame = await element.ownerFrame();
  if (frame !== page.mainFrame()) {
    const { x, y } = await (await frame.frameElement()).boundingBox();
    at.x += x;
    at.y += y;
  }
  return { ...at, touch: touch ?? at.touch };
}

/** Presses a control like a hand, once it is there and can be pressed; fails if the press falls on something else. */
export async function press(page, locator, { touch, timeout = PATIENCE } = {}) {
  const element = await locator.elementHandle({ timeout });
  await element.waitForElementState("visible", { timeout });
  await element.waitForElementState("enabled", { timeout });
  for (let tries = 0; ; tries++) {
    const at = await reach(page, element, { touch });
    // A native list receives the release of the press that opens it.
    const landed = await element.evaluateHandle((control) => {
      const seen = { is: control.matches("select") };
      for (const event of ["pointerdown", "pointerup"]) addEventListener(event, ({ timeStamp }) => (seen[event] = timeStamp), { capture: true, once: true });
      seen.is ||= new Promise((resolve) => addEventListener("click", ({ target }) => resolve(control.contains(target) || hand.face(control).contains(target) || target.closest("label")?.control === control), { capture: true, once: true }));
      return seen;
    });
    await downAndUp(page, at);
    // A press that leaves the page takes the answer with it; a press without a click is lost.
    const { is, held } = await landed
      .evaluate(async (seen) => ({ is: await Promise.race([seen.is, new Promise((resolve) => setTimeout(resolve, 1000, false))]), held: seen.pointerup - seen.pointerdown }))
      .catch(() => ({ is: true, held: 0 }));
    // Where the machine is so busy that the finger stayed down, the page has seen another gesture, which shows help.
    if (at.touch && held > LONG && tries < 3) continue;
    assert.ok(is, `a press on ${locator} was lost`);
    return;
  }
}

/** Moves the mouse along a straight line, with as many events as a real mouse. */
export async function glide(page, from, to, { hz = 60, ms = 200 } = {}) {
  const count = Math.max(1, Math.round((ms * hz) / 1000));
  const began = performance.now();
  for (let at = 0; at <= count; at++) {
    await wait(began + (at * 1000) / hz - performance.now());
    await page.mouse.move(from.x + ((to.x - from.x) * at) / count, from.y + ((to.y - from.y) * at) / count);
  }
}

/**
 * Presses a control, and returns what was observed from down to half a second after release: `moved`, by how many pixels it did; `others`,
 * which other controls on the screen did, farthest first; `down`, `up` and `clicked`: whether it was under the pointer then, and got the
 * press. `between` does something meanwhile.
 */
export async function pressWatched(page, element, { touch, block, between = () => {}, rest } = {}) {
  const at = await reach(page, element, { touch, block });
  if (!at.touch) await page.mouse.move(at.x, at.y);
  await rest?.();
  const watching = await element.evaluateHandle((control, slack) => hand.watch(control, slack), SLACK);
  await downAndUp(page, at);
  const released = performance.now();
  await between();
  await wait(released + AFTER - performance.now());
  const seen = await watching.evaluate((it) => it.stop());
  return { ...seen, found: at.found };
}
