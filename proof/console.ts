import { runProof } from "./run-proof.ts";
import { showByTests } from "./run-tests.ts";

/** Each with the file that measures it. */
const parts = {
  "every list, search and chart is there within 300 ms": ["server/src/http/console-lists.load.ts"],
  "what the search costs a payment": ["server/src/search/search-cost.load.ts"],
} as const;

await runProof({
  name: "console",
  claim:
    "People list, search and chart payments of a merchant with very many (the figure `payments`; seeded by SQL, dropped afterwards), and beside a small one that shares " +
    "its bucket: each within 300 ms at the server, the slowest of three. `pay` writes no more WAL for it. Other load on the machine only makes it slower. " +
    "That no large table is read sequentially is shown by `server/src/api/view-plans.test.ts`, with every change.",
  triesDefault: 5_000_000,
  async run({ tries, say }) {
    const shown = await showByTests({ parts, variables: { CONSOLE_PAYMENTS: String(tries) }, say });
    return { ...shown, figures: { payments: tries, ...shown.figures } };
  },
});
