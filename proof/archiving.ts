import { runBenchmark } from "./reports/run-benchmark.ts";
import { runProof } from "./reports/run-proof.ts";

await runProof({
  name: "archiving",
  claim:
    "Old final payments are archived while new payments are processed: `pay` takes at most 100 ms longer at its 99th percentile, every file is verified, and new payments reuse the space of " +
    "the archived ones. The database is filled with copies of complete payments that are 800 days older, which `archive` moves in batches of 500. Then the same number is copied again. The growth of the tables " +
    "is the permanent size of a payment if the number of archived and new payments is equal. `--tries` is the number of payments. PostgreSQL has its default settings. The database is dropped afterwards.",
  triesDefault: 200_000,
  run: ({ tries, logProgress }) => runBenchmark("archiving.ts", ["--payments", String(tries)], logProgress),
});
