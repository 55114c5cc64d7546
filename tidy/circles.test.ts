import { circlesOfFiles, circlesOfFolders, findCrowdedFolders } from "./circles.ts";
import { file, testRule, src } from "./rule.ts";

/** The parts of the repository in which no folder and no file may import itself through others (import circle). */
const layered = [
  "server/src",
  "accounts/src",
  "portal/src",
  "cli/src",
  "sandbox/src",
  "connectors/kit",
  "proof",
  "benchmarks",
  "clients",
];

function isLayered(path: string): boolean {
  return /\.(?:ts|tsx|js)$/.test(path) && layered.some((part) => path.startsWith(`${part}/`));
}

testRule({
  name: "no folder imports itself through others",
  appliesTo: isLayered,
  fileCountMin: 1500,
  check: circlesOfFolders,
  allowed: [
    src("payments/payment.ts", 'import { type Money } from "../core/money.ts";'),
    src("captures/capture.ts", 'import { type Payment } from "../payments/payment.ts";'),
    src("captures/send-capture.ts", 'import { type Job } from "../contract/job.ts";'),
    src("catalog/jobs.ts", 'import { sendCapture } from "../captures/send-capture.ts";'),
    src("contract/job.ts", 'import { type Money } from "../core/money.ts";'),
    src("core/money.ts"),
    src("payments/pay.test.ts", 'import { capture } from "../captures/capture.ts";'),
    src(
      "sessions/session.ts",
      'import { type Payment } from "../payments/payment.ts";\nimport "./choose.ts";',
    ),
    src("sessions/choose.ts", 'import type { Session } from "./session.ts";'),
    file("proof/cells.ts", 'import { cell } from "./cells/cell.ts";'),
    file("proof/cells/cell.ts"),
  ],
  breaks: [
    src("providers/provider.ts", 'import type { Dispute } from "../disputes/dispute.ts";'),
    src("disputes/dispute.ts", 'import type { Provider } from "../providers/provider.ts";'),
    src("merchants/client.ts", 'import { key } from "../keys/key.ts";'),
    src("keys/key.ts", 'import { post } from "../ledger/transfer.ts";'),
    src("ledger/transfer.ts", 'import { client } from "../merchants/client.ts";'),
    file("accounts/src/people/person.ts", 'import type { Route } from "../api/route.ts";'),
    file("accounts/src/api/route.ts", 'import type { Engine } from "../engine.ts";'),
    file("accounts/src/engine.ts", 'import type { Person } from "./people/person.ts";'),
    file("proof/oracle/judge.ts", 'import { storm } from "../storm/storm.ts";'),
    file("proof/storm/storm.ts", 'import { judge } from "../oracle/judge.ts";'),
  ],
});

testRule({
  name: "no file imports itself through others",
  appliesTo: isLayered,
  fileCountMin: 1500,
  check: circlesOfFiles,
  allowed: [
    src("postgres/sql.ts"),
    src("postgres/pool.ts", 'import { sql } from "./sql.ts";'),
    src("postgres/pool.test.ts", 'import { pool } from "./pool.ts";\nimport "./pool.test.ts";'),
  ],
  breaks: [
    src("postgres/database.ts", 'import { watch } from "./standby.ts";'),
    src("postgres/standby.ts", 'import type { Outcome } from "./database.ts";'),
    file("clients/generator/model.ts", 'import { createTypeRegistry } from "./types.ts";'),
    file("clients/generator/types.ts", 'import type { Field } from "./model.ts";'),
  ],
});

const fileCountMax = 40;
testRule({
  name: `no folder of server/src has more than ${fileCountMax} source files directly in it`,
  appliesTo: (path) => path.startsWith("server/src/") && path.endsWith(".ts"),
  fileCountMin: 200,
  // The rule reports a folder, but `testRule` compares file paths. So this check reports the last file of a crowded
  // folder.
  check: (files) =>
    findCrowdedFolders(fileCountMax, files).map((line) => {
      const folder = line.slice(0, line.indexOf(": "));
      const last = files.findLast(({ path }) => path.startsWith(`${folder}/`));
      return `${last?.path ?? folder}: ${line}`;
    }),
  allowed: Array.from({ length: fileCountMax }, (_, index) => src(`payments/${index}.ts`)),
  breaks: [src("payments/one-more.ts")],
});
