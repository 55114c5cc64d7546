import type { Commands, Given } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import type { Erasing } from "./buyer.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "../framework/operator.ts";
import { show } from "../framework/show.ts";

/** Commands for buyers' personal data. */
export const buyerCommands: Commands = {
  "buyer erase": {
    needs: "owner",
    acts: { english: "Erased a buyer's data", chinese: "清除买家数据" },
    does: "Erase a buyer's personal data from a final payment or authorization",
    about:
      "Erases descriptions, metadata, return addresses, the order of a session, dispute evidence, the buyer's " +
      "name at the provider, and the bodies of webhooks and API requests that name the payment. Amounts, " +
      "statuses, ids and the audit log stay. A repeated request gets the same response, without the erased " +
      `texts. docs/operating/data-retention.md lists all columns. ${ownersSettings}`,
    options: {
      "client-id": { value: "CLIENT_ID", does: "Client id of the merchant", isRequired: true },
      "payment-id": { value: "ID", does: "Payment id; includes its refunds, captures and disputes" },
      "authorization-id": { value: "ID", does: "Or the id of the buyer's authorization (consent)" },
      archive: { value: "DIR", does: "Archive folder, if the payment is archived" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate buyer erase --client-id 5J5XSU7Y2Y182W01 --payment-id 20261115093000123047601530017744120 --reason 'request 7'",
    ],
    run: async (given) => {
      const { eraseBuyer, erasedText } = await import("./buyer.ts");
      const counts = await eraseBuyer(operatorOf(given), erasingOf(given));
      show(given, counts, erasedText(counts));
    },
  },
};

function erasingOf(given: Given): Erasing {
  const clientId = required(given, "client-id");
  const [payment, authorization] = [given.value("payment-id"), given.value("authorization-id")];
  if (payment !== undefined && authorization === undefined)
    return { clientId, kind: "payment", id: payment, folder: given.value("archive") };
  if (authorization !== undefined && payment === undefined)
    return { clientId, kind: "authorization", id: authorization };
  throw new UsageError("Give either --payment-id or --authorization-id.");
}
