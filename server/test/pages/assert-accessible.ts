import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Asserts that axe-core finds no violation of WCAG 2.2 AA or its best practices. Frames are separate pages. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const found = await page.evaluate<readonly string[]>(
    `axe.run({ iframes: false }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(" | "))))`,
  );
  assert.deepEqual(found, [], name);
}
