import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { assertAccessible } from "../../server/test/pages/accessible.ts";
import { transitionsEnd } from "../../server/test/pages/look-scripts.ts";
import { faintTexts } from "../../server/test/pages/page-scripts.ts";
import { openGallery } from "../../server/test/pages/pictures.ts";

const pictures = process.env["PORTAL_PICTURES"];
const isWhole = process.env["TOLLGATE_WHOLE"] === "1";
const folder = join(import.meta.dirname, "pictures");
const gallery = openGallery({ folder, how: pictures, type: "jpeg" });

export const widths: readonly number[] = [390, 1440];
const isEvidence = isWhole || pictures !== undefined;

/** Both for evidence. CI has time for one: a telephone at night, and a desk by day. */
const themesAt = (width: number): readonly ("light" | "dark")[] =>
  isEvidence ? ["light", "dark"] : [width < 1000 ? "dark" : "light"];

/** Texts of buttons that are wider than their button. */
export const cutButtons = `[...document.querySelectorAll(".mantine-Button-label")]
  .filter((label) => label.scrollWidth > label.clientWidth + 1).map((label) => label.textContent)`;

/**
 * Looks at a page as it stands, in light and dark, at both widths: nothing is cut off, no text is faint, and axe finds
 * nothing. Gives how many texts there were.
 */
export async function lookAt(page: Page, name: string, at: readonly number[] = widths): Promise<number> {
  let looked = 0;
  for (const width of at)
    for (const colorScheme of themesAt(width)) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      // Colours fade over: one that is half-way is no colour of ours.
      await page.evaluate(transitionsEnd);
      await gallery.take(page, `${name}-${width}-${colorScheme}`);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, name);
      assert.deepEqual(await page.evaluate(cutButtons), [], `${name}: buttons that are cut off`);
      const [count, faint] = await page.evaluate<[number, string[]]>(faintTexts);
      looked += count;
      assert.deepEqual(faint, [], `${name} in ${colorScheme}`);
      // Structure and names are the same everywhere, and half a second each is much for CI.
      if (isWhole || (width === 1440 && colorScheme === "light")) await assertAccessible(page, name);
    }
  return looked;
}

/** The same for evidence and pictures alone: CI has no time for every state of a page. */
export async function glanceAt(page: Page, name: string): Promise<void> {
  if (isEvidence) await lookAt(page, name);
}
