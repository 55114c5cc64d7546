import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { differingShare } from "./differing-share.ts";
import { restoreTexts, stabilizeTexts } from "./page-stabilizers.ts";

export interface ScreenshotOptions {
  /** The subfolder of `screenshots/`. */
  readonly part: string;
  /** Selector of elements that differ in each run, such as a code with a random id. */
  readonly masked?: string;
  /** Selector of bars with a fixed position, which would be in the middle of a screenshot of the whole page. */
  readonly unpinned?: string;
}

export interface Screenshots {
  /** Takes a screenshot of the page, only if `npm run screenshots` runs the test. */
  take(page: Page, name: string): Promise<void>;
}

const folder = join(import.meta.dirname, "../../../screenshots");

/** "write" stores screenshots; "compare" fails for a page that differs from the stored one. */
const mode = process.env["TOLLGATE_SCREENSHOTS"];
export const areScreenshotsEnabled = mode !== undefined;

/** Browser builds draw letters differently. */
const differingShareMax = 0.003;

/** How long a comparison waits for late content, such as a row of a list that is polled. */
const waitMs = 3_000;

export function openScreenshots(options: ScreenshotOptions): Screenshots {
  /**
   * Differing screenshots, which are reported at the end of the test file, so that one changed page does not skip the
   * later pages.
   */
  const differing: string[] = [];
  after(() => {
    if (differing.length === 0) return;
    // The failure is not thrown, because an error would skip the later hooks, which stop browsers and servers.
    process.stderr.write(`Different from their screenshots:\n${differing.join("\n")}\n`);
    process.exitCode = 1;
  });
  const compare = async (page: Page, name: string): Promise<void> => {
    const before = await readFile(join(folder, options.part, `${name}.png`)).catch(() => undefined);
    if (before === undefined) return void differing.push(`${name}: there is no screenshot to compare with`);
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const now = await takeScreenshot(page, options);
      const { share, difference } = differingShare(before, now);
      if (share <= differingShareMax) return;
      if (performance.now() < untilMs) await page.waitForTimeout(500);
      else {
        differing.push(`${name}: ${(share * 100).toFixed(2)} % of its pixels`);
        const start = join(folder, "different", options.part, name);
        await store(`${start}.png`, now);
        if (difference) await store(`${start}.difference.png`, difference);
        return;
      }
    }
  };
  return {
    async take(page, name) {
      if (mode === "write")
        await store(join(folder, options.part, `${name}.png`), await takeScreenshot(page, options));
      if (mode === "compare") await compare(page, name);
    },
  };
}

async function takeScreenshot(page: Page, { masked, unpinned = "" }: ScreenshotOptions): Promise<Buffer> {
  const pin = (position: string): Promise<unknown> =>
    page.evaluate(
      `document.querySelectorAll(${JSON.stringify(unpinned)}).forEach(({ style }) => style.position = "${position}")`,
    );
  await page.evaluate(stabilizeTexts);
  if (unpinned !== "") await pin("static");
  const mask = masked === undefined ? {} : { mask: [page.locator(masked)], maskColor: "#808080" };
  const screenshot = await page.screenshot({ fullPage: true, animations: "disabled", ...mask });
  await page.evaluate(restoreTexts);
  if (unpinned !== "") await pin("");
  return screenshot;
}

async function store(file: string, png: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, png);
}
