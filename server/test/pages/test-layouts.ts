import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { openLayoutSnapshots } from "./layout-snapshots.ts";
import {
  launchBrowser,
  newVisit,
  setAppearance,
  type PageState,
  type SizeName,
  type Theme,
} from "./page-checks.ts";

/** A layout to test: page, size, light or dark theme, and language. */
export type LayoutCase = readonly [name: string, size: SizeName, theme: Theme, language: string];

export interface LayoutTests {
  readonly part: string;
  readonly states: readonly PageState[];
  readonly cases: readonly LayoutCase[];
  readonly allowedPrefixes: readonly string[];
  stabilize(page: Page): Promise<void>;
}

/** Layouts of the few pages that CI has time for, on any machine. For all pages see `checkout-page-states.load.ts`. */
export async function testLayouts({
  part,
  states,
  cases,
  allowedPrefixes,
  stabilize,
}: LayoutTests): Promise<void> {
  const browser = await launchBrowser();
  const layouts = await openLayoutSnapshots(part);
  after(() => layouts.close());
  for (const [name, size, theme, language] of cases)
    void test(`${part} ${name} at ${size} pixels, ${theme}, in ${language}: layout as reviewed`, async () => {
      const look = states.find((each) => each.name === name);
      if (!look) throw new Error(`Unknown page ${name}.`);
      const page = await newVisit(browser, { allowedPrefixes, locale: language });
      try {
        await stabilize(page);
        await setAppearance(page, size, theme);
        await page.goto(await look.open(language));
        await look.act?.(page);
        await layouts.check(page, `${name}-${language}-${size}-${theme}`);
      } finally {
        await look.close?.();
        await page.context().close();
      }
    });
}
