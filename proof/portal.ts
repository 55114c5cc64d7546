import { runProof } from "./run-proof.ts";
import { showByTests } from "./run-tests.ts";

/** Each with the tests that show it. */
const parts = {
  "pages and states of the portal": ["portal/test/pages.load.ts"],
  "disputes, payments, money and stores": ["portal/test/business.load.ts"],
  "how checkout pages look": ["portal/test/brand.slow.ts"],
  "the developers' workbench": ["portal/test/workbench.slow.ts"],
  "the operator's console": ["portal/test/operator.slow.ts"],
  "payouts, statements and breaks": ["portal/test/finance.slow.ts"],
  "going live, registering, coming back": ["portal/test/go-live.slow.ts", "portal/test/journey.slow.ts"],
  "secrets, and single sign-on at both doors": ["portal/test/secrets.slow.ts"],
  "guessing, by answers and by time": ["accounts/src/sessions/sign-in.load.ts"],
  "how soon a page is there": ["portal/test/page-speed.load.ts"],
} as const;

await runProof({
  name: "portal",
  claim:
    "Every page and state that the journeys come by, in light and dark, at 390 and 1440 pixels: nothing is cut off, no text is faint, axe-core finds nothing, and each " +
    "looks as its reviewed picture in `portal/test/pictures` (made again by `PORTAL_PICTURES=write`; ids, times and ports are the same in all). Nothing else runs on the " +
    "machine meanwhile.",
  triesDefault: 1,
  run: ({ say }) =>
    showByTests({ parts, variables: { TOLLGATE_WHOLE: "1", PORTAL_PICTURES: "compare" }, say }),
});
