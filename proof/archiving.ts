import { measured } from "./measured.ts";
import { runProof } from "./run-proof.ts";

await runProof({
  name: "archiving",
  claim:
    "Payments that are long over are archived while others are made: `pay` takes at most 100 ms longer at its 99th percentile, every file is verified, and new payments take the place of " +
    "what went. A gateway is filled with copies of whole payments that are 800 days older, which `archive` then moves in batches of 500; then as many are copied again, and what the tables have " +
    "grown by is what a payment takes for ever where as many are archived as are made. `--tries` is how many. PostgreSQL's default settings. Dropped afterwards.",
  triesDefault: 200_000,
  run: ({ tries, say }) => measured("archiving.ts", ["--payments", String(tries)], say),
});
