import { runProof } from "./reports/run-proof.ts";
import { runTestParts } from "./reports/run-tests.ts";

/** Parts of the proof, each with its tests. */
const parts = {
  "pages and states of the portal": ["portal/test/pages.load.ts"],
  "disputes, payments, money and stores": ["portal/test/business.load.ts"],
  "how checkout pages look": ["portal/test/brand.slow.ts"],
  "the developers' workbench": ["portal/test/workbench.slow.ts"],
  "the operator's console": ["portal/test/operator.slow.ts"],
  "payouts, statements and breaks": ["portal/test/finance.slow.ts"],
  "going live, registration, account recovery": [
    "portal/test/go-live.slow.ts",
    "portal/test/journey.slow.ts",
  ],
  "secrets, and single sign-on of portal and operator console": ["portal/test/secrets.slow.ts"],
  "guessing of accounts, by response and by timing": ["accounts/src/sign-in/sign-in.load.ts"],
  "load time of a page": ["portal/test/page-speed.load.ts"],
} as const;

await runProof({
  name: "portal",
  claim:
    "Every page and state of the journeys, in light and dark mode, at 390 and 1440 pixels: nothing is cut off, the contrast is sufficient, and axe-core finds no violation. " +
    "No other load runs on the machine.",
  triesDefault: 1,
  run: ({ logProgress }) => runTestParts({ parts, variables: { TOLLGATE_WHOLE: "1" }, logProgress }),
});
