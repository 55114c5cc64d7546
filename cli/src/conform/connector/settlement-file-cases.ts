import { readFile } from "node:fs/promises";
import { readSettlementFile } from "../../../../server/src/operators/reconciliation/read-settlement-file.ts";
import { ensure, requiredCase, UnmetRequirement, type CaseGroup } from "../conformance-case.ts";
import { createPaidOrder, type ProviderContext } from "./provider-context.ts";

export const settlementFileCases: CaseGroup<ProviderContext> = {
  name: "Settlement file",
  cases: [
    requiredCase(
      "settlement-file",
      "a settlement file can be imported; the sandbox provider's file has the payment with its fee",
      "Write each column of the protocol's settlement file; the values of the last four may be empty.",
      async (context) => {
        if (context.settlementFile !== undefined) {
          readRows(await readFile(context.settlementFile, "utf8"));
          return;
        }
        context.buyer.requireControl();
        const { reference } = await createPaidOrder(context);
        const rows = readRows(await context.buyer.downloadSettlementFile("feeBasisPoints=1000"));
        const kinds = rows.filter((row) => row.reference === reference).map(({ kind }) => kind);
        ensure(kinds.includes("payment"), "The file has no row of kind payment with the order's reference.");
        ensure(kinds.includes("fee"), "The file has no fee of the payment.");
      },
    ),
  ],
};

function readRows(text: string): Exclude<ReturnType<typeof readSettlementFile>, Error> {
  const rows = readSettlementFile(text);
  if (rows instanceof Error) throw new UnmetRequirement(rows.message);
  return rows;
}
