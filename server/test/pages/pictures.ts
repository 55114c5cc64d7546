import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { inSixteenColours } from "./png.ts";
import { restoreTexts, steadyTexts, unlikePixels } from "./look-scripts.ts";

/** Reviewed pictures of pages, and what is done with them. */
export interface GalleryOptions {
  readonly folder: string;
  /** "write": pictures become the baselines, to be reviewed. "compare": one that differs from its baseline fails. */
  readonly how: string | undefined;
  /** What pages of many colours are kept as, or what keeps letters sharp where there are few. */
  readonly type: "jpeg" | "png";
  /** What looks different each time and is looked at elsewhere, such as a code with a random name in it. */
  readonly masked?: string;
  /** Bars that stay in view, and would stand in the middle of a picture of the whole page. */
  readonly unpinned?: string;
}

export interface Gallery {
  /** Does nothing where pictures are neither written nor compared. */
  take(page: Page, name: string): Promise<void>;
}

/** Letters are not drawn alike by every build of the browser. */
const unlikeShareMax = 0.003;

/** What comes late, such as a row of a list that renews itself, is waited for; a page that has changed stays as it is. */
const patienceMs = 8_000;

export function openGallery(options: GalleryOptions): Gallery {
  const { folder, how, type } = options;
  /** Told when the file is through: a page that looks otherwise is no reason to stop on the way. */
  const unlike: string[] = [];
  after(() => {
    if (unlike.length === 0) return;
    // Not thrown: the hooks that end browsers and servers come after this one, and would be left out.
    process.stderr.write(`Unlike their pictures:\n${unlike.join("\n")}\n`);
    process.exitCode = 1;
  });
  const compare = async (page: Page, name: string): Promise<void> => {
    const kept = await readFile(join(folder, `${name}.${type}`)).catch(() =>
      assert.fail(`There is no baseline for ${name}.`),
    );
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      const taken = await pictureOf(page, options);
      const share = kept.equals(taken) ? 0 : await shareUnlike(page, type, [kept, taken]);
      if (share <= unlikeShareMax) return;
      if (performance.now() < untilMs) await page.waitForTimeout(500);
      else {
        unlike.push(`${name}: ${(share * 100).toFixed(2)} % of its pixels have changed`);
        return keep(join(folder, "different", `${name}.${type}`), taken);
      }
    }
  };
  return {
    async take(page, name) {
      if (how === "write") await keep(join(folder, `${name}.${type}`), await pictureOf(page, options));
      if (how === "compare") await compare(page, name);
    },
  };
}

async function pictureOf(page: Page, { type, masked, unpinned = "" }: GalleryOptions): Promise<Buffer> {
  const pin = (position: string): Promise<unknown> =>
    page.evaluate(
      `document.querySelectorAll(${JSON.stringify(unpinned)}).forEach(({ style }) => style.position = "${position}")`,
    );
  await page.evaluate(steadyTexts);
  if (unpinned !== "") await pin("static");
  const mask = masked === undefined ? {} : { mask: [page.locator(masked)], maskColor: "#808080" };
  const options = { fullPage: true, animations: "disabled", ...mask } as const;
  const taken = await page.screenshot(type === "jpeg" ? { type, quality: 40, ...options } : options);
  await page.evaluate(restoreTexts);
  if (unpinned !== "") await pin("");
  return type === "png" ? inSixteenColours(taken) : taken;
}

async function keep(file: string, picture: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, picture);
}

/** In another page, whose policy lets it draw pictures. */
async function shareUnlike(page: Page, type: string, pictures: readonly Buffer[]): Promise<number> {
  const drawing = await page.context().newPage();
  try {
    const [one, other] = pictures.map((each) => `data:image/${type};base64,${each.toString("base64")}`);
    return await drawing.evaluate<number>(
      `(${unlikePixels})(${JSON.stringify(one)}, ${JSON.stringify(other)})`,
    );
  } finally {
    await drawing.close();
  }
}
