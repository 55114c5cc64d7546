import { circlesOfDomains } from "./circles.ts";
import { keepsRule, src } from "./rule.ts";

keepsRule({
  name: "no domain leads back to itself through others",
  looksAt: (path) => path.startsWith("server/src/") && path.endsWith(".ts"),
  fileCountMin: 200,
  check: circlesOfDomains,
  beside: [
    src("payments/payment.ts", 'import { type Money } from "../core/money.ts";'),
    src("captures/capture.ts", 'import { type Payment } from "../payments/payment.ts";'),
    src("captures/send-capture.ts", 'import { type Job } from "../jobs/job.ts";'),
    src("jobs/job.ts", 'import { sendCapture } from "../captures/send-capture.ts";'),
    src("payments/pay.test.ts", 'import { capture } from "../captures/capture.ts";'),
    src(
      "sessions/session.ts",
      'import { type Payment } from "../payments/payment.ts";\nimport "./choose.ts";',
    ),
  ],
  breaks: [
    src("wallets/wallet.ts", 'import type { Dispute } from "../disputes/dispute.ts";'),
    src("disputes/dispute.ts", 'import type { Wallet } from "../wallets/wallet.ts";'),
    src("merchants/client.ts", 'import { key } from "../keys/key.ts";'),
    src("keys/key.ts", 'import { post } from "../ledger/transfer.ts";'),
    src("ledger/transfer.ts", 'import { client } from "../merchants/client.ts";'),
  ],
});
