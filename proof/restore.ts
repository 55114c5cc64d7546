import { proveRestore } from "./failures/restore-to-new-server.ts";
import { runProof } from "./reports/run-proof.ts";

await runProof({
  name: "restore",
  claim:
    "The database is dumped during payments, and restored to an empty server whose transaction ids begin " +
    "again. There no process serves before all balances were summed again. Then payments continue, and a refund of every " +
    "payment is requested: no merchant is rejected below its balance or refunds more than its balance, also when the new server's " +
    "transaction ids reach those of the old one; and the ledger agrees.",
  triesDefault: 200,
  run: ({ tries, logProgress }) => proveRestore({ payments: tries, calmMs: 6_000, logProgress }),
});
