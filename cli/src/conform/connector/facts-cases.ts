import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { readFacts } from "../../../../server/src/operators/providers/read-facts.ts";
import {
  ensure,
  NotObservable,
  requiredCase,
  UnmetRequirement,
  type Case,
  type CaseGroup,
} from "../conformance-case.ts";
import {
  buildFields,
  captureOperation,
  fullAmount,
  refundOperation,
  unsupportedCodes,
  type MoneyOperation,
} from "./money-operation.ts";
import {
  call,
  createPaidOrder,
  requireSuccess,
  type ProviderContext,
  type ProviderOrder,
} from "./provider-context.ts";

type ProviderFacts = ReturnType<typeof readFacts>;

/** Asks the provider for its facts. Throws `UnmetRequirement` with the name of the first wrong field. */
async function requestFacts(context: ProviderContext): Promise<ProviderFacts> {
  const answer = await call(context, "facts", {});
  requireSuccess(answer, "facts");
  try {
    return readFacts(answer.json["facts"], "the provider");
  } catch (error) {
    throw new UnmetRequirement((error as Error).message);
  }
}

/** The facts, for the cases that compare them. Wrong facts break only the case `facts`. */
export async function requireFacts(context: ProviderContext): Promise<ProviderFacts> {
  return requestFacts(context).catch((error: unknown) => {
    throw error instanceof UnmetRequirement
      ? new NotObservable("the provider states no valid facts.")
      : error;
  });
}

/** The inquiries that facts can name: their operation, and the field with the unknown reference. */
const inquiries = {
  order: ["inquire", "reference"],
  capture: ["inquire-capture", "captureReference"],
  refund: ["inquire-refund", "refundReference"],
  dispute: ["disputes/inquire-dispute", "providerDisputeId"],
  registration: ["registrations/inquire-registration", "reference"],
} as const satisfies Record<ProviderFacts["queries"][number], readonly [string, string]>;

export const factsCases: CaseGroup<ProviderContext> = {
  name: "Facts",
  cases: [
    requiredCase(
      "facts",
      "the provider states its facts, of version 1.1",
      "Answer POST /provider/1.1/facts with S and facts, as in the section Facts of the protocol.",
      async (context) => {
        await requestFacts(context);
      },
    ),
    moneyCase("facts-refunds", refundOperation),
    moneyCase("facts-captures", captureOperation),
    requiredCase(
      "facts-queries",
      "each inquiry that the facts name is answered",
      "Name only inquiries in queries that you answer.",
      async (context) => {
        for (const query of (await requireFacts(context)).queries) {
          const [operation, field] = inquiries[query];
          const { resultCode } = await call(context, operation, { [field]: newRequestId("conform") });
          ensure(
            resultCode !== "NO_INTERFACE_DEF",
            `${operation} is NO_INTERFACE_DEF, but queries has ${query}.`,
          );
        }
      },
    ),
  ],
};

function moneyCase(id: string, operation: MoneyOperation): Case<ProviderContext> {
  const fact = `${operation.verb}s` as const;
  return requiredCase(
    id,
    `the fact ${fact} agrees with the behaviour`,
    `State ${fact} NONE exactly if the provider makes no ${fact}.`,
    async (context) => {
      const stated = (await requireFacts(context))[fact];
      const order = stated === "NONE" ? await createMovableOrder(context, operation) : unknownOrder();
      if (!order) return;
      const { resultStatus, resultCode } = await call(
        context,
        operation.verb,
        buildFields(context, operation, order, fullAmount),
      );
      ensure(
        stated !== "NONE" || resultStatus !== "S",
        `${fact} is NONE, but a ${operation.verb} was answered S.`,
      );
      ensure(
        stated === "NONE" || !unsupportedCodes.includes(resultCode),
        `${fact} is ${stated}, but a ${operation.verb} was answered ${resultCode}.`,
      );
    },
  );
}

/** An order whose money could be refunded or captured; undefined if the provider rejects such an order. */
async function createMovableOrder(
  context: ProviderContext,
  { terms }: MoneyOperation,
): Promise<ProviderOrder | undefined> {
  return createPaidOrder(context, terms).catch((error: unknown) => {
    if (error instanceof UnmetRequirement) return undefined;
    throw error;
  });
}

function unknownOrder(): ProviderOrder {
  const reference = newRequestId("conform");
  return { reference, paymentId: "", providerOrderId: undefined, state: undefined, fields: {} };
}
