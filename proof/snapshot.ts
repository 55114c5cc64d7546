import { runBenchmark } from "./reports/run-benchmark.ts";
import { runProof } from "./reports/run-proof.ts";

await runProof({
  name: "snapshot",
  claim:
    "While a backup or a report holds a snapshot for ten minutes during payments, vacuum can not remove completed jobs from the table of jobs. " +
    "Nevertheless a worker's poll for due jobs takes at most 5 ms at p99 of each minute, by PostgreSQL's own log. `--tries` is the number of minutes.",
  triesDefault: 10,
  numbers: { "per-second": 300 },
  run: ({ tries, number, logProgress }) =>
    runBenchmark(
      "snapshot.ts",
      ["--minutes", String(tries), "--per-second", String(number("per-second"))],
      logProgress,
    ),
});
