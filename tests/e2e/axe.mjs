// What axe-core finds wrong with the content of a page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { atRest } from "./browser.mjs";

/** The dark page differs from the light one only in its colours: only the rules for colours are checked. */
export const RULES = {
  light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] },
  dark: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Fails if axe-core finds a violation in the present page. The page's policy forbids foreign scripts; what the developer tools evaluate is
 * exempt.
 */
export async function isAccessible(page, where, inside = "html", rules = RULES.light) {
  await atRest(page); // text that fades in has little contrast at first
  if (!(await page.evaluate(() => "axe" in self))) await page.evaluate(AXE);
  const violations = await page.evaluate(async ([inside, runOnly]) => {
    const { violations } = await self.axe.run(inside, { runOnly, resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html, any, all, none }) => ({ id, help, target: target.join(" "), html: html.slice(0, 200), why: [...any, ...all, ...none].map(({ message }) => message) })));
  }, [inside, rules]);
  const lines = violations.map(({ id, help, target, html, why }) => `${id} (${help}): ${target}\n    ${html}\n    ${why.join("\n    ")}`);
  assert.equal(lines.length, 0, `${where}: ${lines.length} violations\n  ${lines.join("\n  ")}`);
}
