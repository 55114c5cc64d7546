import { runBenchmark } from "./reports/run-benchmark.ts";
import { runProof } from "./reports/run-proof.ts";

await runProof({
  name: "close",
  claim:
    "The settlement of a day with 5,000 merchants is closed within a minute in a ledger with a million movements of 30 days, and is paid out, while other merchants pay and refund: `pay` takes at most 100 ms longer " +
    "at its 99th percentile. Batches of the 29 days before are seeded as paid. Merchants that pay and refund are settled with the others. `--tries` is the number of movements. PostgreSQL's default " +
    "settings. The database is dropped afterwards.",
  triesDefault: 1_000_000,
  run: ({ tries, logProgress }) => runBenchmark("close.ts", ["--movements", String(tries)], logProgress),
});
