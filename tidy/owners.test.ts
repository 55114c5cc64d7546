import { foldersNotInTemplate, foldersWithoutOwner, templatePath } from "./owners.ts";
import { file, testRule, src } from "./rule.ts";

const owners = ".github/CODEOWNERS";
const statement =
  "export function insertEffect(): void {\n  tx.write(sql`\n    insert into ledger_transfers (bucket)`);\n}\n";
const isSource = (path: string): boolean => path === owners || path === templatePath;
const written = [
  src("ledger/transfer.sql.ts", statement),
  src("refunds/record.tx.ts", 'import { insertEffect } from "../ledger/transfer.sql.ts";\n'),
  // Only reads.
  src("reports/report.sql.ts", 'import { listTransfers } from "../ledger/transfer.sql.ts";\n'),
];
const every = "* @a\n/.github/ @a\n/server/ @a\n";
const money = "/server/src/ledger/ @a @tollgate/money\n/server/src/refunds/ @a @tollgate/money\n";

testRule({
  name: "every top folder has an owner, and every ledger writer has the money team",
  appliesTo: isSource,
  fileCountMin: 2,
  check: foldersWithoutOwner,
  breaks: [
    // Neither the caller nor the statement has the money team, because a later line overrides it.
    file(owners, `${every}/server/src/ledger/ @a @tollgate/money\n/server/src/ledger/transfer.sql.ts @a\n`),
  ],
  allowed: written,
});

testRule({
  name: "a top folder without a line in CODEOWNERS is found",
  appliesTo: isSource,
  fileCountMin: 2,
  check: foldersWithoutOwner,
  breaks: [file(owners, every + money)],
  allowed: [...written, file("bank/README.md")],
});

testRule({
  name: "a line of CODEOWNERS without a file is found",
  appliesTo: isSource,
  fileCountMin: 2,
  check: foldersWithoutOwner,
  breaks: [file(owners, `${every}${money}/server/src/purse/ @a\n`)],
  allowed: written,
});

testRule({
  name: "the issue template names every top folder, and every folder that writes the ledger",
  appliesTo: isSource,
  fileCountMin: 2,
  check: foldersNotInTemplate,
  breaks: [file(templatePath, "options:\n  - gateway (server)\n  - money (server/src/ledger)\n")],
  allowed: written,
});
