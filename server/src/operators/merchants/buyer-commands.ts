import type { Commands, CommandArguments } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import type { ErasureRequest } from "./erase-buyer.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";

/** Commands for buyers' personal data. */
export const buyerCommands: Commands = {
  "buyer erase": {
    requiredRole: "owner",
    auditLabel: { english: "Erased a buyer's data", chinese: "清除买家数据" },
    summary: "Erase a buyer's personal data from a final payment or authorization",
    description:
      "Erases descriptions, metadata, return addresses, the order of a session, dispute evidence, the buyer's " +
      "name at the provider, and the bodies of webhooks and API requests that name the payment. Amounts, " +
      "statuses, ids and the audit log stay. A repeated request gets the same response, without the erased " +
      `texts. docs/operating/data-retention.md lists all columns. ${ownerSettingsHelp}`,
    options: {
      "client-id": { value: "CLIENT_ID", summary: "Client id of the merchant", isRequired: true },
      "payment-id": { value: "ID", summary: "Payment id; includes its refunds, captures and disputes" },
      "authorization-id": { value: "ID", summary: "Or the id of the buyer's authorization (consent)" },
      archive: { value: "DIR", summary: "Archive folder, if the payment is archived" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate buyer erase --client-id 5J5XSU7Y2Y182W01 --payment-id 20261115093000123047601530017744120 --reason 'request 7'",
    ],
    run: async (args) => {
      const { eraseBuyer, erasureText } = await import("./erase-buyer.ts");
      const counts = await eraseBuyer(operatorOf(args), readErasureRequest(args));
      printResult(args, counts, erasureText(counts));
    },
  },
};

function readErasureRequest(args: CommandArguments): ErasureRequest {
  const clientId = requiredOption(args, "client-id");
  const [payment, authorization] = [args.value("payment-id"), args.value("authorization-id")];
  if (payment !== undefined && authorization === undefined)
    return { clientId, kind: "payment", id: payment, folder: args.value("archive") };
  if (authorization !== undefined && payment === undefined)
    return { clientId, kind: "authorization", id: authorization };
  throw new UsageError("Give either --payment-id or --authorization-id.");
}
