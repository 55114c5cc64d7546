import { test } from "node:test";
import type { Page } from "playwright-core";
import {
  assertStretches,
  launchBrowser,
  formatLoads,
  checkAllSizes,
  measureLoad,
  newVisit,
  startPageChecks,
  formatTally,
  type PageState,
  type PictureOptions,
} from "./page-checks.ts";

export interface PageStateTests {
  /** The folder of the screenshots. */
  readonly part: string;
  readonly states: readonly PageState[];
  readonly allowedPrefixes: readonly string[];
  /** The languages of the pages; absent for pages in English only. */
  readonly languages?: readonly string[];
  readonly pictures?: PictureOptions;
  /** Makes the page deterministic before it is opened. */
  stabilize(page: Page): Promise<void>;
}

/** Checks every page of a list at every size, in light and dark theme, and measures its load. */
export async function testPageStates(tested: PageStateTests): Promise<void> {
  const { part, states, languages = [], allowedPrefixes, stabilize } = tested;
  const browser = await launchBrowser();
  const looking = startPageChecks(part, tested.pictures);
  const visitPage = async (
    { open, act, close }: PageState,
    language: string,
    look: PageCheck,
  ): Promise<void> => {
    const page = await newVisit(browser, { allowedPrefixes, locale: language });
    try {
      await stabilize(page);
      await page.goto(await open(language));
      await act?.(page);
      await look(page);
    } finally {
      await close?.();
      await page.context().close();
    }
  };
  for (const look of states)
    void test(`${part} ${look.name}: readable at every size`, async () => {
      for (const language of look.languages ?? languages)
        await visitPage(look, language, (page) => checkAllSizes(page, `${look.name}-${language}`, looking));
      if (languages.length === 0)
        await visitPage(look, "en", async (page) => {
          await checkAllSizes(page, look.name, looking);
          await assertStretches(page, look.name);
        });
    });
  void test(`${part}: number of checks, and load of the pages`, async (t) => {
    t.diagnostic(formatTally(looking.tally));
    const loads = [];
    for (const { open, close } of states) {
      loads.push(await measureLoad(browser, await open("en")));
      await close?.();
    }
    t.diagnostic(formatLoads(loads));
  });
}

type PageCheck = (page: Page) => Promise<void>;
