import { runProof } from "./reports/run-proof.ts";
import { runTestParts } from "./reports/run-tests.ts";

/** Parts with their tests, which run one after the other because they measure and start complete gateways. */
const parts = {
  "packed, started, paid, notified and refunded, headless and in a terminal": ["cli/pack.slow.ts"],
  "every wrong start prints an instruction": ["cli/src/dev/wrong-starts.slow.ts"],
  "every event can be triggered, and every result code with a scenario forced": [
    "cli/src/merchant/scenarios/scenarios.slow.ts",
  ],
  "conform passes on our own programs, and reports the bugs of others": [
    "cli/src/conform/receiver/receiver.slow.ts",
    "cli/src/conform/gateway/gateway.slow.ts",
    "cli/src/conform/connector/connector.slow.ts",
  ],
  "fifty concurrent test runs are isolated from each other": [
    "server/src/universes/parallel-test-merchants.slow.ts",
  ],
  "an isolated test merchant is created quickly, and two hundred at once": [
    "benchmarks/server/universe.load.ts",
  ],
  "the library calls of the docs are sent as their examples say": ["clients/life/library-calls.slow.ts"],
  "the README's four pasted blocks, and a buyer in a browser": [
    "cli/readme.slow.ts",
    "cli/src/shop/shop.slow.ts",
  ],
} as const;

await runProof({
  name: "first-hour",
  claim:
    "Everything that a developer uses in the first hour. CI runs the same tests, with a sample of long tables. Each line below is a part, " +
    "with its number of passed tests and their measurements. No other load runs on the machine.",
  triesDefault: 1,
  run: ({ logProgress }) => runTestParts({ parts, variables: { TOLLGATE_WHOLE: "1" }, logProgress }),
});
