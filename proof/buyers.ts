import { runProof } from "./run-proof.ts";
import { showByTests } from "./run-tests.ts";

/** Each with the tests that show it. */
const parts = {
  "checkout, in English, Chinese and Arabic": ["server/src/checkout/looks.load.ts"],
  "the wallet, in English, which is all it speaks": ["sandbox/src/testing/looks.load.ts"],
  "the page on which cards are typed, in English, which is all it speaks": [
    "sandbox/src/testing/card-looks.load.ts",
  ],
  "the till, in English, which is all it speaks": ["examples/till/testing/looks.load.ts"],
  "checkout in sixteen languages, and with texts half as long again": [
    "server/src/checkout/languages.load.ts",
    "server/src/checkout/browser.slow.ts",
  ],
  "what CI compares: the layout of twenty of these pages": [
    "server/src/checkout/layout.slow.ts",
    "sandbox/src/testing/layout.slow.ts",
  ],
} as const;

await runProof({
  name: "buyers",
  claim:
    "Every page and state that a buyer or a cashier comes by, at 320, 390, 844 (a phone on its side) and 1280 pixels, in light and dark: it looks as its reviewed picture in " +
    "`server/test/pages/pictures` (made again by `BUYER_PICTURES=write`; ids, times and ports are the same in all), nothing is cut off, no text is faint, axe-core finds " +
    "nothing at the narrowest and the widest, and no request leaves the origin. Of the wallet and the till every text is also made half as long again, and none is cut off. " +
    "First paint is that of a first visit at 390 pixels, with the server on the same machine.",
  triesDefault: 1,
  run: ({ say }) => showByTests({ parts, variables: { BUYER_PICTURES: "compare" }, say }),
});
