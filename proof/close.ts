import { measured } from "./measured.ts";
import { runProof } from "./run-proof.ts";

await runProof({
  name: "close",
  claim:
    "A day of 5,000 merchants is closed within a minute where a million movements of 30 days stand in the books, and is paid out, while others pay and refund: `pay` takes at most 100 ms longer " +
    "at its 99th percentile. Batches of the 29 days before are seeded as paid. Merchants that pay and refund are settled with the others. `--tries` is the number of movements. PostgreSQL's default " +
    "settings. Dropped afterwards.",
  triesDefault: 1_000_000,
  run: ({ tries, say }) => measured("close.ts", ["--movements", String(tries)], say),
});
