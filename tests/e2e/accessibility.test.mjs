// axe-core finds no violation in any view, light or dark, wide or narrow, with menus and dialogs open.
import { test } from "node:test";
import { RULES, isAccessible } from "./axe.mjs";
import { button, enabled, lab, slowly, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const VIEWS = ["train", "complete", "coupling", "proof"];
const WINDOWS = [{ width: 1280, height: 900 }, { width: 390, height: 844, hasTouch: true, isMobile: true }];
/** Unfolds everything that folds. */
const unfold = (page) => page.locator("details:not(.save):not([open])").evaluateAll((all) => all.forEach((details) => (details.open = true)));

/** Opens the menus of the view in turn, and calls `look` with each. A control covered by a menu has no size then that a finger could meet. */
async function menus(page, look) {
  for (const summary of await page.locator("details.save:visible > summary").all()) {
    const name = (await summary.getAttribute("aria-label")) ?? (await summary.textContent());
    await summary.scrollIntoViewIfNeeded();
    await summary.click();
    await look(`menu ${name}`, "details.save[open]");
    await summary.click();
  }
}

const TABLE = { name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(`age,b,c\n${Array.from({ length: 20 }, (_, r) => `${20 + r},${r % 5 ? (r >> 1) % 2 : "?"},${(r >> 2) % 2}`).join("\n")}\n`) };

/** What a visitor has done in a view before the check. */
const VISITS = {
  train: async (page, look) => {
    await press(page, enabled(page, "Train"), { timeout: 60_000 });
    await until(() => steps(page), (n) => n >= 20, "20 steps");
    await press(page, button(page, "Pause"));
    await enabled(page, "Train").waitFor({ timeout: 60_000 });
    await look("trained");
    await page.getByLabel("Hidden layers").fill("none");
    await look("with a setting that cannot be used");
    await page.getByLabel("Hidden layers").fill("16");
    await page.getByLabel("Upload data set", { exact: true }).setInputFiles(TABLE);
    await page.getByRole("dialog").getByRole("status").filter({ hasText: "As bits" }).waitFor({ timeout: 60_000 });
    await look("preview of a table");
    await press(page, button(page, "Use this data"));
    await page.getByText(/ is loaded\. Fill its gaps, or train\.$/).first().waitFor({ timeout: 60_000 });
    await look("with gaps, and a notice");
    await press(page, button(page, "Fill the gaps"));
    await page.locator(".filled button").first().click({ timeout: 60_000 });
    await page.getByText("Rows most like it").waitFor();
    await look("with gaps filled");
  },
  complete: async (page, look) => {
    await press(page, enabled(page, "Complete"), { timeout: 60_000 });
    await page.getByText(/distinct/).first().waitFor({ timeout: 60_000 });
    await look("completed");
    const unfold = page.locator("details.completion-more > summary");
    if (await unfold.count()) await unfold.click();
    const watch = button(page, "Watch the answer");
    if (await watch.count()) {
      await watch.click();
      await page.getByRole("slider").last().waitFor();
      await look("watching an answer");
    }
  },
  coupling: async (page, look) => {
    await press(page, button(page, "Compute").first(), { timeout: 60_000 });
    await until(() => page.locator(".coupling-status p").textContent(), (words) => /^([1-9]\d* of|All)/.test(words), "some couplings");
    await look("computing");
    // The workers are needed for the runs.
    await press(page, enabled(page, "Cancel").first());
    await page.locator("#smc-model").selectOption("random");
    await press(page, enabled(page, "Couple runs"));
    await page.getByText(/^All 100 pairs are done/).waitFor({ timeout: 120_000 });
    await look("pairs of runs");
  },
  proof: async (page, look) => {
    await press(page, button(page, "Run"), { timeout: 60_000 });
    await until(() => page.getByLabel("Samples of each so far").textContent(), (count) => /[1-9]/.test(count), "some samples");
    await look("sampling");
  },
};

for (const window of WINDOWS) {
  for (const colorScheme of ["light", "dark"]) {
    for (const view of VIEWS) {
      // Colours do not depend on the width, nor sizes on the colours: the two that most visitors use are looked at every time, in one combination each.
      const often = { train: colorScheme === "light" && window.width > 1000, complete: colorScheme === "dark" && window.width < 1000 }[view];
      (often ? test : slowly)(`${view}, ${colorScheme}, ${window.width} wide`, lab({ ...window, colorScheme, view, reducedMotion: "reduce" }, async ({ page }) => {
        const look = (what, inside) => isAccessible(page, `${view}, ${colorScheme}, ${window.width} wide, ${what}`, inside, RULES[colorScheme]);
        await page.getByRole("navigation", { name: "Views" }).waitFor({ timeout: 60_000 });
        await page.waitForLoadState("networkidle");
        if (["coupling", "proof"].includes(view)) await page.locator("main h2:visible").first().waitFor({ timeout: 60_000 });
        await look("as it comes");
        await unfold(page);
        await look("unfolded");
        await VISITS[view]?.(page, look);
        await menus(page, look);
        // Touch screens have none.
        if (await button(page, "Keyboard shortcuts").isVisible()) {
          await press(page, button(page, "Keyboard shortcuts"));
          await look("shortcuts");
          await page.keyboard.press("Escape");
        }
      }));
    }
  }
}

test("the page that says what a browser lacks", lab({}, async ({ page, url }) => {
  await page.addInitScript(() => delete self.HTMLDialogElement);
  await page.goto(url);
  await page.getByRole("alert").waitFor();
  await isAccessible(page, "a browser that lacks something");
}));
