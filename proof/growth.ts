import { runBenchmark } from "./reports/run-benchmark.ts";
import { runProof } from "./reports/run-proof.ts";

await runProof({
  name: "growth",
  claim:
    "The cost of a payment does not depend on the number of earlier payments. One database is filled with copies of complete payments (payments, events, ledger, notifications, " +
    "attempts, request log, search) and another stays nearly empty; both receive the same payments alternately, with PostgreSQL's default settings (128 MB of shared buffers), " +
    "and the medians of five rounds are compared. `--tries` is the largest size; smaller ones are measured before. The databases are dropped afterwards.",
  triesDefault: 5_000_000,
  run: ({ tries, logProgress }) => runBenchmark("growth.ts", ["--payments", String(tries)], logProgress),
});
