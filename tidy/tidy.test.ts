import {
  findInternalImports,
  findBarrels,
  findBrokenLinks,
  findCommentsWithoutSubject,
  findDeliveryOnS,
  documentLineCountMax,
  reportMatches,
  findForbiddenImports,
  findImpurities,
  isTest,
  findProcessExits,
  findLongFiles,
  findMisnumberedMigrations,
  findConflictMarkers,
  findNamesNotKebabCase,
  findVagueNames,
  registryHost,
  findMisplacedStatements,
  withoutTables,
} from "./tidy.ts";
import { file, joinHalves, testRule, src, type Rule } from "./rule.ts";

const isGenerated = (path: string): boolean => path.split("/").includes("generated");
const isCode = (path: string): boolean => /\.(?:ts|tsx|js|mjs)$/.test(path) && !isGenerated(path);
const isServerCode = (path: string): boolean => /^server\/(?:src|test)\//.test(path) && isCode(path);
const lines = (count: number): string => "line\n".repeat(count);

const imports: readonly Rule[] = [
  {
    name: "imports in the server follow the table",
    appliesTo: isServerCode,
    fileCountMin: 40,
    check: findForbiddenImports,
    allowed: [
      src(
        "catalog/operations.ts",
        'import { pay } from "../payments/pay.ts";\nimport { refundPayment } from "../refunds/refund-payment.ts";',
      ),
      src(
        "catalog/jobs.ts",
        'import { sendRefund, type Sent } from "../refunds/send-refund.ts";\nimport type { Payment } from "../payments/payment.ts";',
      ),
      src("core/money.ts", 'import assert from "node:assert/strict";'),
      src("payments/payment.ts", 'import { add } from "../core/money.ts";'),
      src("payments/decide-payment.ts", 'import type { Payment } from "./payment.ts";'),
      src(
        "payments/pay.ts",
        'import { action } from "../contract/operation.ts";\nimport "./pay-request.schema.ts";',
      ),
      src("payments/pay-request.schema.ts", 'import { Type } from "typebox";'),
      src(
        "payments/record-report.tx.ts",
        'import "./payment.sql.ts";\nimport "../refunds/record-refund.tx.ts";',
      ),
      src(
        "refunds/send-refund.ts",
        'import type { Job } from "../contract/job.ts";\nimport "./record-refund.tx.ts";',
      ),
      src("providers/provider.ts", 'import { type Money } from "../core/money.ts";'),
      src("providers/connector-directory.ts", 'import type { Signer } from "../signing/gateway-keys.ts";'),
      src(
        "settlement/payouts/run-payouts.workflow.ts",
        'import { queryAsOwner } from "../../operator-session/owner-session.ts";',
      ),
      src("egress/http-provider.ts", 'import "node:http";\nimport { sign } from "../signing/sign.ts";'),
      src("worker/delivery-queue-limits.ts", 'import "../jobs/run-job.ts";'),
      src("catalog/runner.ts", 'import { pay } from "../payments/pay.ts";'),
      src("main.ts", 'import fastify from "fastify";\nimport { pay } from "./payments/pay.ts";'),
      src("main.test.ts", 'import * as fc from "fast-check";\nimport "../test/start/given.ts";'),
      file("server/test/start/given.ts", '// import "left-pad";\n/* import "left-pad"; */'),
    ],
    breaks: [
      src("core/a.ts", 'import { type Payment } from "../payments/payment.ts";'),
      src("core/b.ts", 'import "node:fs";'),
      src("core/c.ts", 'import "left-pad";'),
      src("core/d.ts", 'export { pay } from "../payments/pay.ts";'),
      src("core/e.ts", joinHalves("await imp", 'ort("../payments/pay.ts");')),
      src("core/f.ts", joinHalves("await imp", "ort(address);")),
      src("core/g.ts", 'import {\n  pay,\n  cancel,\n} from "../payments/pay.ts";'),
      src("core/h.ts", joinHalves("/* Why. */ imp", 'ort { pay } from "../payments/pay.ts";')),
      src("core/i.ts", joinHalves('import "./money.ts"; imp', 'ort "fastify";')),
      src("payments/noun-imports-sql.ts", 'import { findPayment } from "./payment.sql.ts";'),
      src("payments/noun-imports-node.ts", 'import { createHash } from "node:crypto";'),
      src("payments/noun-imports-verb.ts", 'import { pay } from "./pay.ts";'),
      src(
        "payments/noun-imports-provider-client.ts",
        'import { createHttpProvider } from "../egress/http-provider.ts";',
      ),
      src("payments/noun-imports-memory.ts", 'import "../wallets/connector-directory.ts";'),
      src("payments/schema-without-its-name.ts", 'import { Type } from "typebox";'),
      src("payments/job-that-is-not-listed.ts", 'import type { Job } from "../contract/job.ts";'),
      src("payments/operation-that-is-not-listed.ts", 'import { action } from "../contract/operation.ts";'),
      src("settlement/payouts/posts.workflow.ts", 'import { postBytes } from "../../egress/post-bytes.ts";'),
      src("contract/reads-domain.ts", 'import { findPayment } from "../payments/payment.sql.ts";'),
      src("payments/reads.schema.ts", 'import { findPayment } from "./payment.sql.ts";'),
      src("payments/imports-pg.sql.ts", 'import pg from "pg";'),
      src("payments/imports-record.sql.ts", 'import { recordReport } from "./record-report.tx.ts";'),
      src("payments/imports-database.tx.ts", 'import "../postgres/database.ts";'),
      src(
        "refunds/refund-payment.ts",
        'import { pay } from "../payments/pay.ts";\nimport { openApi } from "../catalog/openapi.ts";',
      ),
      src("providers/noun-imports-database.ts", 'import "../postgres/database.ts";'),
      src("providers/imports-node.ts", 'import "node:http";'),
      src("providers/edge-book.ts", 'import "../http/serve.ts";'),
      src("egress/imports-database.ts", 'import "../postgres/database.ts";'),
      src("http/imports-test.ts", 'import { given } from "../../test/start/given.ts";'),
      src("http/imports-verb.ts", 'import { pay } from "../payments/pay.ts";'),
      src("worker/imports-http.ts", 'import { serve } from "../http/serve.ts";'),
      src("processes/imports-test.ts", 'import "../main.test.ts";'),
      src("processes/leaves-the-server.ts", 'import "../../../clients/typescript/src/client.ts";'),
      src("core/imports-package.test.ts", 'import { expect } from "chai";'),
      src("payments/unknown-ending.record.ts"),
      src("stray.ts"),
      src("parts/stray.ts", 'import "../core/money.ts";'),
    ],
  },
  {
    name: "an .sql.ts file holds statements, and no other file does",
    appliesTo: (path) =>
      path.startsWith("server/src/") && !path.startsWith("server/src/postgres/") && !isTest(path),
    fileCountMin: 40,
    check: findMisplacedStatements,
    allowed: [
      src("refunds/refund.sql.ts", "sql`select`"),
      src("refunds/record-refund.tx.ts", "// sql`insert`\ninsertRefund(tx);"),
      src("postgres/wake.ts", "sql`notify`"),
      src("documents/layout.ts", '"the `sql` tag"'),
    ],
    breaks: [
      src("refunds/send-refund.sql.ts", "// sql`select`\nupdateRefund(tx);"),
      src("refunds/lock-refund.tx.ts", "sql`select for update`"),
      src("refunds/refund-payment.ts", "sql`insert`"),
    ],
  },
  {
    name: "core and nouns use no clock, no randomness and no environment variables",
    appliesTo: isServerCode,
    fileCountMin: 40,
    check: findImpurities,
    allowed: [
      src(
        "core/time.ts",
        "// Date.now() is not for us.\nnew Date(0); new Date(ms); startClock(performance.now);",
      ),
      src("core/time.test.ts", "Date.now();"),
      src("http/serve.ts", "Date.now(); process.env.PORT;"),
    ],
    breaks:
      "Date.now()|new Date()|new Date;|performance.now()|process.env|Math.random()|randomUUID()|randomInt(6)|getRandomValues(bytes)"
        .split("|")
        .flatMap((text, index) => [src(`core/${index}.ts`, text), src(`payments/${index}.ts`, text)]),
  },
  {
    name: "no process ends itself, except in the entry point of the crash tests",
    appliesTo: isServerCode,
    fileCountMin: 40,
    check: findProcessExits,
    allowed: [file("server/test/crash/crashing-main.ts", joinHalves("process.kill(process", ".pid);"))],
    breaks: [
      src("http/a.ts", joinHalves("process.kill(process", ".pid);")),
      src("jobs/a.ts", joinHalves("CRASH", "_AT")),
    ],
  },
  {
    name: "a comment begins with its subject",
    appliesTo: (path) => isCode(path) && /^(?:server|accounts|sandbox|proof|benchmarks|scripts)\//.test(path),
    fileCountMin: 300,
    check: findCommentsWithoutSubject,
    allowed: [src("jobs/b.ts", '// The holder of the lease.\nconst asked = "Who is it?";')],
    breaks: [
      src("http/a.ts", joinHalves("/** Who", "ever comes first. */")),
      src("jobs/a.ts", joinHalves("// O", "f these, some.")),
      ...["accounts/src", "sandbox/src", "proof", "benchmarks", "scripts/release"].map((folder) =>
        file(`${folder}/a.ts`, joinHalves("// Wh", "o asks is told.")),
      ),
    ],
  },
  {
    name: "other parts of the product import no internals of the server",
    appliesTo: (path) => isCode(path) && !path.startsWith("server/"),
    fileCountMin: 100,
    check: findInternalImports,
    allowed: [
      file(
        "examples/node/sign.ts",
        'import "node:fs";\nimport { Client } from "../../clients/typescript/src/client.ts";',
      ),
      file("benchmarks/pay.ts", 'import { throwAway } from "../server/src/postgres/temporary-postgres.ts";'),
      file(
        "clients/life/run.ts",
        'import { sign } from "../typescript/src/signing.ts";\nimport "../../server/src/postgres/temporary-postgres.ts";',
      ),
    ],
    breaks: [
      file("clients/life/a.ts", 'import { database } from "../../server/src/postgres/database.ts";'),
      file("clients/typescript/src/b.ts", 'import "../../../server/src/postgres/temporary-postgres.ts";'),
      file("clients/typescript/src/a.ts", 'import { results } from "../../../server/src/core/result.ts";'),
      file("portal/src/a.ts", 'import { results } from "@tollgate/server";'),
      file("portal/src/b.ts", 'import { play } from "../../sandbox/src/play.ts";'),
      file("sandbox/src/a.ts", 'import { start } from "../../server/src/postgres/temporary-postgres.ts";'),
      file("benchmarks/a.ts", 'import { database } from "../server/src/postgres/database.ts";'),
      file("scripts/a.ts", joinHalves("await imp", 'ort("../server/src/main.ts");')),
    ],
  },
];

const sizesAndNames: readonly Rule[] = [
  {
    name: "a code file has at most 400 lines",
    appliesTo: isCode,
    fileCountMin: 40,
    check: (files) => findLongFiles(400, files),
    allowed: [
      file("cli/src/long.ts", lines(400)),
      file("clients/typescript/generated/models.ts", lines(401)),
    ],
    breaks: [file("cli/src/longer.ts", lines(401))],
  },
  {
    name: "a document that everyone reads is short",
    appliesTo: (path) => documentLineCountMax(path) !== undefined,
    fileCountMin: 0,
    check: (files) =>
      files.flatMap((each) => findLongFiles(documentLineCountMax(each.path) ?? 0, [withoutTables(each)])),
    allowed: [
      file("docs/decisions/0001-a.md", lines(80)),
      file("docs/interface.md", lines(900)),
      file(
        "README.md",
        `${lines(99)}<!-- parts, printed by \`npm run generate\` -->\n${lines(9)}<!-- end of parts -->\n`,
      ),
    ],
    breaks: [
      file("ARCHITECTURE.md", lines(181)),
      file("CONTRIBUTING.md", lines(91)),
      file("docs/decisions/0002-a.md", lines(81)),
    ],
  },
  {
    name: "no file has an unresolved merge conflict",
    appliesTo: () => true,
    fileCountMin: 3_000,
    check: findConflictMarkers,
    allowed: [file("docs/a.md", "Title\n=======\n\nquoted: <<<<<<< HEAD\n")],
    breaks: [
      file("docs/b.md", `${"<".repeat(7)} HEAD\n`),
      src("core/a.ts", `a();\n${">".repeat(7)} branch\n`),
    ],
  },
  {
    name: "file names are kebab-case",
    appliesTo: (path) =>
      /(?:^|\/)[^./][^/]*\.(?:ts|tsx|js|mjs|json|md|html|css|svg|sh|ya?ml)$/.test(path) && !isGenerated(path),
    fileCountMin: 50,
    check: findNamesNotKebabCase,
    allowed: [file("README.md"), src("core/money.test.ts"), src("payments/payment.sql.ts")],
    breaks: [src("Payment.ts"), file("docs/a_page.md"), file("portal/src/payOnce.tsx"), file("cli/-a.json")],
  },
  {
    name: "no file or folder has a meaningless name",
    appliesTo: (path) => !isGenerated(path),
    fileCountMin: 60,
    check: findVagueNames,
    allowed: [file("portal/index.html"), src("core/shared-key.ts"), file("clients/python/py.typed")],
    breaks: [src("utils/a.ts"), src("core/types.ts"), file("cli/src/index.ts"), file("docs/misc.md")],
  },
  {
    name: "exports have names",
    appliesTo: isCode,
    fileCountMin: 40,
    check: (files) =>
      files.flatMap((each) => reportMatches(each, /(?:^|;)[ \t]*export default\b|\bas default\s*[,}]/gm)),
    breaks: [
      file("cli/src/a.ts", "export default 1;"),
      file("cli/src/b.ts", joinHalves("export { a as def", "ault };")),
    ],
  },
  {
    name: "no file only re-exports",
    appliesTo: isCode,
    fileCountMin: 40,
    check: findBarrels,
    allowed: [file("cli/src/own.ts", 'export { a } from "./a.ts";\nexport const b = 1;')],
    breaks: [
      file("cli/src/a.ts", 'export * from "./b.ts";\nexport const a = 1;'),
      file("cli/src/b.ts", '// All of it.\nexport { c } from "./c.ts";\nexport type { D } from "./d.ts";\n'),
    ],
  },
  {
    name: "migrations are numbered without gaps",
    appliesTo: (path) => path.startsWith("server/migrations/") && !path.endsWith("/README.md"),
    fileCountMin: 4,
    check: findMisnumberedMigrations,
    allowed: [
      file("server/migrations/0001_merchants.sql"),
      file("server/migrations/0002_first_payments.sql"),
    ],
    breaks: ["0002_repeated", "0009_after_a_gap", "10_short", "1000-kebab"].map((name) =>
      file(`server/migrations/${name}.sql`),
    ),
  },
];

const words: readonly Rule[] = [
  {
    name: "no to-do notes in the source",
    appliesTo: (path) => /\.(?:ts|tsx|js|mjs|sql|java|php|py|go|css|html|sh|ya?ml)$/.test(path),
    fileCountMin: 45,
    check: (files) =>
      files.flatMap((each) =>
        reportMatches(each, /\b(?:T[O]DO|F[I]XME|H[A]CK)\b|(?:\/\/|#|\*|--)\s*X[X]X\b|\bX[X]X:/g),
      ),
    allowed: [src("core/currency.ts", 'const none = "XTS XXX";')],
    breaks: [
      file("cli/src/a.ts", joinHalves("// TO", "DO: finish.")),
      file("clients/python/a.py", joinHalves("# FIX", "ME")),
      file("server/migrations/0001_a.sql", joinHalves("-- XX", "X")),
      file("cli/src/b.ts", joinHalves("// HA", "CK")),
    ],
  },
  {
    name: "only commands write to the terminal",
    appliesTo: (path) =>
      isServerCode(path) && !/^server\/src\/(?:main\.ts$|operators\/|processes\/)/.test(path),
    fileCountMin: 40,
    check: (files) => files.flatMap((each) => reportMatches(each, /\bconsole\s*\.\s*\w+\(/g)),
    allowed: [src("main.ts", joinHalves("con", "sole.log(1);"))],
    breaks: [src("core/a.ts", joinHalves("con", "sole.log(1);"))],
  },
  {
    name: "no page says to deliver on S of a webhook",
    appliesTo: (path) =>
      (path.endsWith(".md") && !/^(?:docs\/evidence\/|CHANGELOG)/.test(path)) ||
      /^(?:server\/src\/(?:contract|catalog|api-docs)\/|clients\/generator\/|cli\/src\/conform\/receiver\/).*\.ts$/.test(
        path,
      ),
    fileCountMin: 150,
    check: findDeliveryOnS,
    allowed: [
      file(
        "docs/a.md",
        "Never deliver on `S` alone.\nDeliver when `isPaid` is true, and not\nwhen it is `S`.",
      ),
      file("docs/b.md", "An attempt to deliver it again. The answer says `S`."),
    ],
    breaks: [
      file("docs/c.md", "Deliver when `notifyPayment`\nsays `S`, or when an inquiry says `SUCCESS`."),
      file("docs/d.md", "- Goods go out on `S` of a notification, never because the buyer came back."),
      src("api-docs/e.ts", '["S", "It happened.", "Act on it: hand over the goods."],'),
    ],
  },
  {
    name: "no file names a package registry's host",
    appliesTo: () => true,
    fileCountMin: 60,
    check: (files) => files.flatMap((each) => reportMatches(each, registryHost)),
    allowed: [file("clients/java/pom.xml", "http://maven.apache.org/POM/4.0.0")],
    breaks: [
      file("docs/a.md", joinHalves("https://registry.npm", "js.org/pg")),
      file(".npmrc", joinHalves("registry=https://py", "pi.org")),
    ],
  },
  {
    name: "no file contains a path of a developer's machine",
    appliesTo: () => true,
    fileCountMin: 60,
    check: (files) => files.flatMap((each) => reportMatches(each, /(?<![\w.-])\/(?:work|root)\/\S*/g)),
    allowed: [file("docs/a.md", "docs/work/a.md")],
    breaks: [
      file("docs/b.md", joinHalves("See /wo", "rk/notes.md")),
      file("cli/src/a.ts", joinHalves('"/ro', 'ot/key.pem"')),
    ],
  },
];

const links: readonly Rule[] = [
  {
    name: "every link in a document has a target",
    appliesTo: (path) => path.endsWith(".md"),
    fileCountMin: 1,
    check: findBrokenLinks,
    allowed: [
      file(
        "docs/a.md",
        "[b](b.md#part) [up](../docs/) [web](https://example.com) [here](#a) `[x](y)`\n```\n[x](y)\n```\n",
      ),
      file("docs/b.md", "[a]\n\n[a]: ./a.md\n"),
    ],
    breaks: [
      file("docs/c.md", "[d](d.md)"),
      file("docs/e.md", "![picture](../docs/f.png)"),
      file("docs/g.md", "[h]: h.md"),
    ],
  },
];

for (const rule of [...imports, ...sizesAndNames, ...words, ...links]) testRule(rule);
