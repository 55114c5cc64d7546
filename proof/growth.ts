import { measured } from "./measured.ts";
import { runProof } from "./run-proof.ts";

await runProof({
  name: "growth",
  claim:
    "A payment costs the same however many there were before it. One gateway is filled with copies of whole payments (payments, events, ledger, notifications, " +
    "attempts, request log, search) and another stays nearly empty; both take the same payments in turns, on PostgreSQL's default settings (128 MB of shared buffers), " +
    "and the medians of five rounds are compared. `--tries` is the largest size; smaller ones come before it. Dropped afterwards.",
  triesDefault: 5_000_000,
  run: ({ tries, say }) => measured("growth.ts", ["--payments", String(tries)], say),
});
