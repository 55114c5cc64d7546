import { test } from "node:test";
import type { Page } from "playwright-core";
import {
  assertStretches,
  launchBrowser,
  loadInWords,
  checkAllSizes,
  measureLoad,
  newVisit,
  startLooking,
  tallyInWords,
  type Look,
  type PictureOptions,
} from "./page-checks.ts";

export interface LooksTested {
  /** The folder of the screenshots. */
  readonly part: string;
  readonly looks: readonly Look[];
  readonly mayAsk: readonly string[];
  /** The languages of the pages; absent for pages in English only. */
  readonly languages?: readonly string[];
  readonly pictures?: PictureOptions;
  /** Makes the page deterministic before it is opened. */
  steady(page: Page): Promise<void>;
}

/** Checks every page of a list at every size, in light and dark theme, and measures its load. */
export async function testLooks(tested: LooksTested): Promise<void> {
  const { part, looks, languages = [], mayAsk, steady } = tested;
  const browser = await launchBrowser();
  const looking = startLooking(part, tested.pictures);
  const visit = async ({ open, act, close }: Look, language: string, look: Visitor): Promise<void> => {
    const page = await newVisit(browser, { mayAsk, locale: language });
    try {
      await steady(page);
      await page.goto(await open(language));
      await act?.(page);
      await look(page);
    } finally {
      await close?.();
      await page.context().close();
    }
  };
  for (const look of looks)
    void test(`${part} ${look.name}: readable at every size`, async () => {
      for (const language of look.languages ?? languages)
        await visit(look, language, (page) => checkAllSizes(page, `${look.name}-${language}`, looking));
      if (languages.length === 0)
        await visit(look, "en", async (page) => {
          await checkAllSizes(page, look.name, looking);
          await assertStretches(page, look.name);
        });
    });
  void test(`${part}: number of checks, and load of the pages`, async (t) => {
    t.diagnostic(tallyInWords(looking.tally));
    const loads = [];
    for (const { open, close } of looks) {
      loads.push(await measureLoad(browser, await open("en")));
      await close?.();
    }
    t.diagnostic(loadInWords(loads));
  });
}

type Visitor = (page: Page) => Promise<void>;
