import { UsageError, type Commands, type Given } from "./command.ts";
import type { Erasing } from "./buyer.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { show } from "./show.ts";

/** Commands about buyers, of whom the gateway knows what merchants write about them. */
export const buyerCommands: Commands = {
  "buyer erase": {
    needs: "owner",
    acts: true,
    does: "erase what is known about a buyer from one payment or one agreement, which has to be over",
    about:
      "Descriptions, metadata, addresses to come back to, the order of a session, evidence, the name at the wallet, and the bodies of\n" +
      "notifications and of calls that name it. Sums, states, ids and the audit stay; a repeated request is answered as before, without\n" +
      `what was erased. docs/operating/data.md has every column. ${ownersSettings}`,
    options: {
      "client-id": { value: "CLIENT_ID", does: "the merchant's", isRequired: true },
      "payment-id": { value: "ID", does: "the payment, with its refunds, captures and disputes" },
      "authorization-id": { value: "ID", does: "or the buyer's agreement to be charged again" },
      archive: { value: "DIR", does: "the archive's folder, for a payment that is in it" },
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
  throw new UsageError("Say which: either --payment-id or --authorization-id.");
}
