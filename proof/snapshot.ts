import { measured } from "./measured.ts";
import { runProof } from "./run-proof.ts";

await runProof({
  name: "snapshot",
  claim:
    "While a backup or a report holds a snapshot for ten minutes, and payments go on, nothing that ended since can be removed from the table of jobs. " +
    "A worker's look for due jobs takes at most 5 ms all the same, at p99 of each minute, as PostgreSQL itself writes it down. `--tries` is the number of minutes.",
  triesDefault: 10,
  numbers: { "per-second": 300 },
  run: ({ tries, number, say }) =>
    measured("snapshot.ts", ["--minutes", String(tries), "--per-second", String(number("per-second"))], say),
});
