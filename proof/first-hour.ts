import { runProof } from "./run-proof.ts";
import { showByTests } from "./run-tests.ts";

/** Each with the tests that show it, one after the other: they measure, and start whole gateways. */
const parts = {
  "packed, started, paid, told and given back, headless and in a terminal": ["cli/pack.slow.ts"],
  "every wrong start is answered with a sentence": ["cli/src/dev/wrong-starts.slow.ts"],
  "every event can be triggered, and every result code that says so forced": [
    "cli/src/merchant/scenarios/scenarios.slow.ts",
  ],
  "conform passes on ours, and names what is wrong with others": [
    "cli/src/conform/receiver/receiver.slow.ts",
    "cli/src/conform/gateway/gateway.slow.ts",
    "cli/src/conform/wallet/wallet.slow.ts",
  ],
  "fifty test runs beside each other see nothing of each other": [
    "server/src/universes/parallel-universes.slow.ts",
  ],
  "a universe is opened in a moment, and two hundred at once": ["server/src/universes/universe.load.ts"],
  "the library calls of the docs are sent as their examples say": ["clients/life/library-calls.slow.ts"],
  "the README's four pastes, and a buyer in a browser": ["cli/readme.slow.ts", "cli/src/shop/shop.slow.ts"],
} as const;

await runProof({
  name: "first-hour",
  claim:
    "What a developer meets in the first hour, all of it: CI runs the same tests, of long tables every few rows. Each line below is a part, " +
    "with how many of its tests pass and with what they have measured. Nothing else runs on the machine meanwhile.",
  triesDefault: 1,
  run: ({ say }) => showByTests({ parts, variables: { TOLLGATE_WHOLE: "1" }, say }),
});
