import { test } from "node:test";
import type { Page } from "playwright-core";
import {
  assertStretches,
  launchBrowser,
  loadInWords,
  lookAtAll,
  measureLoad,
  newVisit,
  startLooking,
  tallyInWords,
  type Look,
  type PictureOptions,
} from "./looks.ts";

export interface LooksTested {
  /** The folder of the pictures. */
  readonly part: string;
  readonly looks: readonly Look[];
  readonly mayAsk: readonly string[];
  /** None for pages that are there in English alone. */
  readonly languages?: readonly string[];
  readonly pictures?: PictureOptions;
  /** Makes a page the same each time, before it is opened. */
  steady(page: Page): Promise<void>;
}

/** Every page of a list, as reviewed, at every size, by day and by night; and what it takes until it is there. */
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
    void test(`${part} ${look.name}: as reviewed`, async () => {
      for (const language of look.languages ?? languages)
        await visit(look, language, (page) => lookAtAll(page, `${look.name}-${language}`, looking));
      if (languages.length === 0)
        await visit(look, "en", async (page) => {
          await lookAtAll(page, look.name, looking);
          await assertStretches(page, look.name);
        });
    });
  void test(`${part}: how much was looked at, and what it takes until it is there`, async (t) => {
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
