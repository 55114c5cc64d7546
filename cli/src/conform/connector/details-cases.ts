import { isDeepStrictEqual } from "node:util";
import { readDetails, type ReadDetails } from "../../../../server/src/providers/order-details.ts";
import { ensure, requiredCase, type CaseGroup } from "../conformance-case.ts";
import {
  buildSubmitRequest,
  call,
  inquireOrder,
  readOrder,
  type Fields,
  type ProviderContext,
  type ProviderOrder,
} from "./provider-context.ts";

type Decision = "approve" | "decline";

/**
 * Opens an order by card, which has more details than others. A provider without cards gets an order with the method of
 * the check.
 */
async function submitCardOrder(context: ProviderContext, overrides: Fields = {}): Promise<ProviderOrder> {
  const byCard = buildSubmitRequest(context, { ...overrides, paymentMethodType: "CARD" });
  const answer = await call(context, "submit", byCard);
  if (answer.resultStatus === "S") return readOrder(answer, byCard.reference);
  const fields = buildSubmitRequest(context, overrides);
  return readOrder(await call(context, "submit", fields), fields.reference);
}

/** Returns what the gateway reads in the details of an order after this decision. An order may have no details. */
async function readDecidedDetails(context: ProviderContext, decision: Decision): Promise<ReadDetails> {
  const order = await submitCardOrder(context);
  await context.buyer.decide(order, decision);
  const { fields } = await inquireOrder(context, order.reference);
  return readDetails(fields["details"] ?? {});
}

const formFix =
  "Send only the fields of the section Details of the protocol, in their forms: the gateway drops all others.";

export const detailsCases: CaseGroup<ProviderContext> = {
  name: "Details",
  cases: [
    requiredCase(
      "details-paid",
      "the details of a paid order have the form of the protocol",
      formFix,
      (context) => checkForm(context, "approve"),
    ),
    requiredCase(
      "details-declined",
      "the details of a declined order have the form of the protocol",
      formFix,
      (context) => checkForm(context, "decline"),
    ),
    requiredCase(
      "details-card-number",
      "details contain no card number",
      "Send at most the last four digits of a card, in cardLastFour.",
      async (context) => {
        for (const decision of ["approve", "decline"] as const) {
          const { cardNumberFields } = await readDecidedDetails(context, decision);
          ensure(
            cardNumberFields.length === 0,
            `details.${cardNumberFields.join(", details.")} could be a card number.`,
          );
        }
      },
    ),
    requiredCase(
      "details-same",
      "a callback and an inquiry report the same details",
      "Store the details with the order's state, and send them in each report of this state.",
      async (context) => {
        const address = context.callbacks.open("S");
        const order = await submitCardOrder(context, { callbackUrl: address.url });
        await context.buyer.decide(order, "approve");
        const [callback] = await address.waitForCallbacks(1, context.patienceMs);
        const { details } = (callback?.json["order"] ?? {}) as Fields;
        const { fields } = await inquireOrder(context, order.reference);
        ensure(callback !== undefined, "No callback arrived.");
        ensure(isDeepStrictEqual(details, fields["details"]), "The inquiry reports other details.");
      },
    ),
  ],
};

async function checkForm(context: ProviderContext, decision: Decision): Promise<void> {
  const { wrongFields } = await readDecidedDetails(context, decision);
  ensure(wrongFields.length === 0, `The gateway does not read details.${wrongFields.join(", details.")}.`);
}
