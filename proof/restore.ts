import { restoreElsewhere } from "./restored-trial.ts";
import { runProof } from "./run-proof.ts";

await runProof({
  name: "restore",
  claim:
    "The database is dumped while payments are made, and restored to an empty server that counts its transactions from " +
    "the start. There nobody serves before all balances were summed anew. Then payments go on, and everything that was " +
    "ever paid is asked back: nobody is refused what it has, or gives back what it has not, also when the new server's " +
    "numbers come to where the old one's were; and the books match.",
  triesDefault: 200,
  run: ({ tries, say }) => restoreElsewhere({ payments: tries, calmMs: 6_000, say }),
});
