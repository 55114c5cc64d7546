import { runProof } from "./reports/run-proof.ts";
import { runTestParts } from "./reports/run-tests.ts";

/** Parts of the proof, each with its tests. */
const parts = {
  "checkout, in English, Chinese and Arabic": ["benchmarks/server/checkout-page-states.load.ts"],
  "the provider, which is only in English": ["sandbox/src/testing/wallet-page-states.load.ts"],
  "the card page, which is only in English": ["sandbox/src/testing/card-page-states.load.ts"],
  "the demo point of sale, which is only in English": ["examples/till/testing/looks.load.ts"],
  "checkout in sixteen languages, and with texts that are 50 % longer": [
    "benchmarks/server/languages.load.ts",
    "server/src/checkout/checkout-browser.slow.ts",
  ],
  "the comparison in CI: the layout of twenty of these pages": [
    "server/src/checkout/layout.slow.ts",
    "sandbox/src/testing/layout.slow.ts",
  ],
} as const;

await runProof({
  name: "buyers",
  claim:
    "Every page and state that a buyer or a cashier can see, at 320, 390, 844 (a phone in landscape) and 1280 pixels, in light and dark mode: nothing is cut off, the contrast is sufficient, axe-core finds " +
    "no violation at the narrowest and the widest size, and no request leaves the origin. In the provider and the point of sale every text is also made 50 % longer, and none is cut off. " +
    "First paint is that of a first visit at 390 pixels, with the server on the same machine.",
  triesDefault: 1,
  run: ({ logProgress }) => runTestParts({ parts, variables: {}, logProgress }),
});
