import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { assertAccessible } from "../../server/test/pages/assert-accessible.ts";
import { waitForTransitions } from "../../server/test/pages/page-stabilizers.ts";
import { findLowContrastTexts } from "../../server/test/pages/page-scripts.ts";
import { openScreenshots, areScreenshotsEnabled } from "../../server/test/pages/screenshots.ts";

const runsAll = process.env["TOLLGATE_WHOLE"] === "1";
const screenshots = openScreenshots({ part: "portal" });

export const widths: readonly number[] = [390, 1440];
const isEvidence = runsAll || areScreenshotsEnabled;

/**
 * The colour schemes to check at a width. For evidence they are both. CI has time for only one: dark on a phone, light
 * on a desktop.
 */
const themesAt = (width: number): readonly ("light" | "dark")[] =>
  isEvidence ? ["light", "dark"] : [width < 1000 ? "dark" : "light"];

/** Labels of buttons that are wider than their button. */
export const truncatedButtonsScript = `[...document.querySelectorAll(".mantine-Button-label")]
  .filter((label) => label.scrollWidth > label.clientWidth + 1).map((label) => label.textContent)`;

/**
 * `checkPage` checks a page in light and dark mode at several widths: nothing is cut off, all texts have sufficient
 * contrast, and axe reports nothing. It returns the number of texts.
 */
export async function checkPage(page: Page, name: string, at: readonly number[] = widths): Promise<number> {
  let checked = 0;
  for (const width of at)
    for (const colorScheme of themesAt(width)) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      // Colour transitions must end first, because intermediate colours have no defined contrast.
      await page.evaluate(waitForTransitions);
      await screenshots.take(page, `${name}-${width}-${colorScheme}`);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, name);
      assert.deepEqual(await page.evaluate(truncatedButtonsScript), [], `${name}: buttons that are cut off`);
      const [count, faint] = await page.evaluate<[number, string[]]>(findLowContrastTexts);
      checked += count;
      assert.deepEqual(faint, [], `${name} in ${colorScheme}`);
      // Structure and names do not depend on width and colour scheme, and each axe run takes half a second.
      if (runsAll || (width === 1440 && colorScheme === "light")) await assertAccessible(page, name);
    }
  return checked;
}

/**
 * `checkPageForEvidence` runs `checkPage` only for evidence and screenshots, because CI has no time for every state of
 * a page.
 */
export async function checkPageForEvidence(page: Page, name: string): Promise<void> {
  if (isEvidence) await checkPage(page, name);
}
