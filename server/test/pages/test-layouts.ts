import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { openLayouts } from "./layout.ts";
import { launchBrowser, newVisit, pose, type Look, type SizeName, type Theme } from "./page-checks.ts";

/** A layout to test: page, size, light or dark theme, and language. */
export type Glance = readonly [name: string, size: SizeName, theme: Theme, language: string];

export interface LayoutsTested {
  readonly part: string;
  readonly looks: readonly Look[];
  readonly glances: readonly Glance[];
  readonly mayAsk: readonly string[];
  steady(page: Page): Promise<void>;
}

/** Layouts of the few pages that CI has time for, on any machine. For all pages see `looks.load.ts`. */
export async function testLayouts({ part, looks, glances, mayAsk, steady }: LayoutsTested): Promise<void> {
  const browser = await launchBrowser();
  const layouts = await openLayouts(part);
  after(() => layouts.close());
  for (const [name, size, theme, language] of glances)
    void test(`${part} ${name} at ${size} pixels, ${theme}, in ${language}: layout as reviewed`, async () => {
      const look = looks.find((each) => each.name === name);
      if (!look) throw new Error(`Unknown page ${name}.`);
      const page = await newVisit(browser, { mayAsk, locale: language });
      try {
        await steady(page);
        await pose(page, size, theme);
        await page.goto(await look.open(language));
        await look.act?.(page);
        await layouts.check(page, `${name}-${language}-${size}-${theme}`);
      } finally {
        await look.close?.();
        await page.context().close();
      }
    });
}
