import { runProof } from "./reports/run-proof.ts";
import { runTestParts } from "./reports/run-tests.ts";

/** Parts of the proof, each with the file that measures it. */
const parts = {
  "every list, search and chart responds within 300 ms": ["benchmarks/server/console-lists.load.ts"],
  "the cost of search for a payment": ["benchmarks/server/search-cost.load.ts"],
} as const;

await runProof({
  name: "console",
  claim:
    "People list, search and chart payments of a merchant with very many payments (the figure `payments`; seeded by SQL, dropped afterwards), and of a small merchant that shares " +
    "its bucket. Each takes at most 300 ms at the server, the slowest of three runs. `pay` writes no additional WAL for it. Other load on the machine can only increase the times. " +
    "`server/src/catalog/view-plans.test.ts` checks with every change that no large table is read sequentially.",
  triesDefault: 5_000_000,
  async run({ tries, logProgress }) {
    const result = await runTestParts({ parts, variables: { CONSOLE_PAYMENTS: String(tries) }, logProgress });
    return { ...result, figures: { payments: tries, ...result.figures } };
  },
});
