import { findReadersOfCopies } from "./moved-merchant-copies.ts";
import { testRule, src } from "./rule.ts";

const oversight = "  await tx.query(sql`select set_config('app.oversight', 'on', true)`);\n";
const functionOf = (name: string, statement: string): string =>
  `export async function ${name}(tx: Tx) {\n${oversight}  return tx.query(sql\`${statement}\`);\n}\n`;

testRule({
  name: "a statement over all merchants is restricted to those of this cell, or listed with a reason",
  appliesTo: (path) => path.startsWith("server/src/") && path.endsWith(".ts"),
  fileCountMin: 200,
  check: findReadersOfCopies,
  allowed: [
    src("settlement/a.sql.ts", functionOf("listA", "select from payouts where ${isHomeHere}")),
    src(
      "cells/b.sql.ts",
      functionOf("listB", "select from clients where client not in (select client from client_homes)"),
    ),
    src("ledger/fee-rule.sql.ts", functionOf("listFeeRules", "select from fee_rules")),
    src(
      "settlement/c.sql.ts",
      "export async function findC(tx: Tx) {\n  return tx.query(sql`select from payouts`);\n}\n",
    ),
    src("settlement/c.test.ts", functionOf("listC", "select from payouts")),
  ],
  breaks: [
    src("settlement/d.sql.ts", functionOf("listD", "select from payouts")),
    src("settlement/e.sql.ts", functionOf("listE", "select from payouts -- isHomeHere")),
    // The condition `isHomeHere` in one function must not count for the next function.
    src(
      "settlement/f.sql.ts",
      functionOf("listF", "select from payouts") +
        functionOf("listG", "select from payouts where ${isHomeHere}"),
    ),
  ],
});
