// Nothing is lost: a run outlives its tab, its worker and its browser, and resumes to the bit.
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { describe, test } from "node:test";
import { crew, slowly, steps, until } from "./browser.mjs";
import { button, enabled, kept, keptAt, latestPlace, offer, onBars, train } from "./keeping.mjs";

// The promise is 5 s. If other work occupies the processors, writing may have to wait longer.
const AT_MOST_LOST = 5_000;
const NOISE = 2_000;

/**
 * The hash of the checkpoint that an undisturbed run has at a step: from another tab, which trains until shortly before it and takes the
 * last steps one by one.
 */
async function undisturbed(page, step) {
  await onBars(page);
  const press = (goal, far) =>
    page.evaluate(
      async ([goal, far]) => {
        const at = () => Number(document.querySelector("output[aria-label='Gradient steps']").textContent);
        const button = (name) => [...document.querySelectorAll("button")].find((button) => button.textContent === name);
        const wait = () => new Promise((resolve) => setTimeout(resolve, 4));
        const ready = async (name) => {
          while (button(name).disabled) await wait();
          return button(name);
        };
        if (at() + far < goal) {
          (await ready("Train")).click();
          while (at() + far < goal) await wait();
          (await ready("Pause")).click();
        }
        while (at() < goal) {
          const before = at();
          (await ready("Step")).click();
          while (at() === before) await wait();
        }
        return at();
      },
      [goal, far],
    );
  assert.equal(await press(step, 100), step);
  await until(() => keptAt(page), (kept) => kept === step, "the undisturbed run kept");
  const [latest] = (await latestPlace(page)).slots;
  assert.equal(latest.step, step);
  return latest.hash;
}

/** Presses Step three times; the checkpoint stored then must be that of an undisturbed run. */
async function goesOnToTheBit(page, open) {
  const from = await steps(page);
  for (let i = 1; i <= 3; i++) {
    await enabled(page, "Step").click();
    await until(() => steps(page), (n) => n === from + i, "one step more");
  }
  await until(() => keptAt(page), (step) => step === from + 3, "the last step kept");
  const place = await latestPlace(page);
  assert.equal(place.slots[0].step, from + 3);
  const other = await open();
  assert.equal(place.slots[0].hash, await undisturbed(other, from + 3), "the bits of an undisturbed run");
  await other.close();
}

/** After a death at `died`: the offer appears, names a step at most 5 s old, and resuming from it gives the bits of an undisturbed run. */
async function comesBack(page, open, seen, died) {
  await offer(page).waitFor({ timeout: 60_000 });
  const place = await latestPlace(page);
  const [{ step, written, whole }, before] = place.slots;
  assert.ok(whole, "the latest slot was written whole");
  assert.ok(step >= seen, `kept at ${step}, and ${seen} had been seen kept`);
  assert.ok(died - written <= AT_MOST_LOST + NOISE, `the run that came back was ${died - written} ms old`);
  assert.ok(written - before.written <= AT_MOST_LOST + NOISE, `${written - before.written} ms went by from one checkpoint to the next`);
  assert.match(await offer(page).textContent(), new RegExp(`^Your last run was saved .*: 16–\\d+–\\d+ on Bars and stripes 4 × 4, step ${step}\\.`));
  await button(page, "Resume").click();
  await until(() => steps(page), (n) => n === step, "the run stands where it was kept");
  await enabled(page, "Train").waitFor();
  await page.getByText(`The run is back at step ${step}; press Train to continue.`).waitFor();
  assert.equal(await page.getByLabel("Data set", { exact: true }).inputValue(), "bars");
  assert.equal(await offer(page).count(), 0);
  await goesOnToTheBit(page, open);
}

// Two at a time, if there are processors for both.
describe("deaths", { concurrency: availableParallelism() < 4 ? 1 : 2 }, () => {
  for (const [how, kill] of [
    ["closed", (page) => page.close()],
    ["reloaded", (page) => page.reload()],
    ["crashed", async (page) => {
      const session = await page.context().newCDPSession(page);
      const crashed = page.waitForEvent("crash");
      session.send("Page.crash").catch(() => {}); // there is nobody left to answer
      await crashed;
      page.errors.splice(0, page.errors.length);
      await page.close();
    }],
  ]) {
    (how === "closed" ? test : slowly)(`a tab that is ${how} in training can be resumed, to the bit`, kept({}, async ({ open }) => {
      const page = await open();
      // So that the undisturbed run has fewer steps to repeat. Every night this happens at full speed.
      if (!process.env.SLOW) await page.getByLabel("Speed", { exact: true }).selectOption({ label: "20 a second" });
      const seen = await train(page, 2);
      await until(() => steps(page), (n) => n >= seen + 20, "steps that are not kept yet");
      const died = Date.now();
      await kill(page);
      await comesBack(page.isClosed() ? await open() : page, open, seen, died);
    }));
  }

  slowly("a browser that is killed in training can be resumed, to the bit", kept({}, async ({ open, restart }) => {
    const page = await open();
    const seen = await train(page, 2);
    await until(() => steps(page), (n) => n >= seen + 20, "steps that are not kept yet");
    const died = Date.now();
    await restart();
    page.errors.splice(0, page.errors.length);
    await comesBack(await open(), open, seen, died);
  }));

  test("a worker that is killed in training is replaced, and the run continues with the same bits, and is saved", kept({}, async ({ open }) => {
    const page = await open();
    // The undisturbed run has fewer steps to repeat.
    await page.getByLabel("Speed", { exact: true }).selectOption({ label: "5 a second" });
    const seen = await train(page, 2);
    await crew(page)[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
    await page.getByRole("alert").filter({ hasText: "killed by the test" }).waitFor();
    await enabled(page, "Step").waitFor({ timeout: 60_000 });
    assert.ok((await steps(page)) >= seen, "from the checkpoint kept last, or a later one");
    await goesOnToTheBit(page, open);
    // The storing worker dies: the next checkpoint is stored by another one.
    await page.workers().find((worker) => worker.url().includes("dbm-files")).evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));
    await until(async () => page.workers().filter((worker) => worker.url().includes("dbm-files")).length, (n) => n === 0, "the keeper is gone");
    const before = await steps(page);
    await enabled(page, "Step").click();
    await until(() => keptAt(page), (step) => step === before + 1, "kept by another keeper");
    const own = page.errors.filter((error) => !error.includes("killed by the test"));
    page.errors.splice(0, page.errors.length, ...own);
  }));
});
