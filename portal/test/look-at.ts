import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { faintTexts } from "../../server/test/pages/page-scripts.ts";
import { steadyTexts, restoreTexts, transitionsEnd, unlikePixels } from "./look-scripts.ts";

/** "write": pictures become the baselines, to be reviewed. "compare": one that differs from its baseline fails. */
const pictures = process.env["PORTAL_PICTURES"];
const isWhole = process.env["TOLLGATE_WHOLE"] === "1";
const baselines = join(import.meta.dirname, "pictures");
/** Letters are not drawn alike by every build of the browser. */
const unlikeShareMax = 0.003;

export const widths: readonly number[] = [390, 1440];
const isEvidence = isWhole || pictures !== undefined;

/** Both for evidence. CI has time for one: a telephone at night, and a desk by day. */
const themesAt = (width: number): readonly ("light" | "dark")[] =>
  isEvidence ? ["light", "dark"] : [width < 1000 ? "dark" : "light"];

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
      await takePicture(page, `${name}-${width}-${colorScheme}`);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, name);
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

const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe-core finds wrong, by the rules of WCAG 2.2 AA and its own good practice. */
async function assertAccessible(page: Page, name: string): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await readFile(axeSource, "utf8"));
  const found = await page.evaluate<readonly string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(" | "))))`,
  );
  assert.deepEqual(found, [], name);
}

/** Told when the file is through: a page that looks otherwise is no reason to stop on the way. */
const unlike: string[] = [];
after(() => {
  if (unlike.length === 0) return;
  // Not thrown: the hooks that end browsers and servers come after this one, and would be left out.
  process.stderr.write(`Unlike their pictures:\n${unlike.join("\n")}\n`);
  process.exitCode = 1;
});

/** What comes late, such as a row of a list that renews itself, is waited for; a page that has changed stays as it is. */
const patienceMs = 8_000;

async function takePicture(page: Page, name: string): Promise<void> {
  if (pictures === "write") return keep(join(baselines, `${name}.jpeg`), await pictureOf(page));
  if (pictures !== "compare") return;
  const kept = await readFile(join(baselines, `${name}.jpeg`)).catch(() =>
    assert.fail(`There is no baseline for ${name}.`),
  );
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const taken = await pictureOf(page);
    const share = kept.equals(taken) ? 0 : await shareUnlike(page, kept, taken);
    if (share <= unlikeShareMax) return;
    if (performance.now() < untilMs) await page.waitForTimeout(500);
    else {
      unlike.push(`${name}: ${(share * 100).toFixed(2)} % of its pixels have changed`);
      return keep(join(baselines, "different", `${name}.jpeg`), taken);
    }
  }
}

async function pictureOf(page: Page): Promise<Buffer> {
  await page.evaluate(steadyTexts);
  const taken = await page.screenshot({ type: "jpeg", quality: 40, fullPage: true, animations: "disabled" });
  await page.evaluate(restoreTexts);
  return taken;
}

async function keep(file: string, picture: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, picture);
}

/** In another page, whose policy lets it draw pictures. */
async function shareUnlike(page: Page, kept: Buffer, taken: Buffer): Promise<number> {
  const drawing = await page.context().newPage();
  try {
    const [one, other] = [kept, taken].map((each) => each.toString("base64"));
    return await drawing.evaluate<number>(
      `(${unlikePixels})(${JSON.stringify(one)}, ${JSON.stringify(other)})`,
    );
  } finally {
    await drawing.close();
  }
}
