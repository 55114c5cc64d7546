import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { NotObservable, UnmetRequirement } from "../conformance-case.ts";
import {
  call,
  requireState,
  createPaidOrder,
  oneMinuteAhead,
  type Fields,
  type ProviderAnswer,
  type ProviderOrder,
  type ProviderContext,
} from "./provider-context.ts";

/** A refund or a capture. Both move a part of an order's money under their own reference. */
export interface MoneyOperation {
  readonly verb: "refund" | "capture";
  readonly referenceField: "refundReference" | "captureReference";
  readonly idField: "providerRefundId" | "providerCaptureId";
  readonly timeField: "refundTime" | "captureTime";
  /** Additional fields of the `submit` request that creates the order. */
  readonly terms: Fields;
  readonly exceededCode: string;
}

export const refundOperation: MoneyOperation = {
  verb: "refund",
  referenceField: "refundReference",
  idField: "providerRefundId",
  timeField: "refundTime",
  terms: {},
  exceededCode: "REFUND_AMOUNT_EXCEED",
};

export const captureOperation: MoneyOperation = {
  verb: "capture",
  referenceField: "captureReference",
  idField: "providerCaptureId",
  timeField: "captureTime",
  terms: { capture: "MANUAL" },
  exceededCode: "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
};

/** The states of a capture or a refund. */
export const moneyStates = ["PROCESSING", "DONE", "FAILED"];

/** The full amount of each order in these cases, in minor units. */
export const fullAmount = "1250";
export const unsupportedCodes = ["NO_INTERFACE_DEF", "PAYMENT_METHOD_NOT_SUPPORTED", "BUSINESS_NOT_SUPPORT"];

/** Creates an order whose money can be moved. Captures can not be checked at a provider without authorization holds. */
export async function prepareOrder(
  context: ProviderContext,
  { verb, terms }: MoneyOperation,
): Promise<ProviderOrder> {
  const order = await createPaidOrder(context, terms).catch((error: unknown) => {
    // A provider without authorization holds rejects such an order, with any result code.
    if (
      verb === "capture" &&
      error instanceof UnmetRequirement &&
      error.message.startsWith("submit was answered F")
    )
      throw new NotObservable(
        `the provider accepts no order with a manual capture (${error.message}): --captures NONE.`,
      );
    throw error;
  });
  if (verb === "capture" && order.state === "PAID")
    throw new NotObservable(
      "the provider takes the money at once and supports no authorization holds: --captures NONE.",
    );
  requireState(order, verb === "capture" ? "AUTHORIZED" : "PAID");
  return order;
}

export function buildFields(
  context: ProviderContext,
  kind: MoneyOperation,
  order: ProviderOrder,
  value: string,
): Fields {
  return {
    reference: order.reference,
    [kind.referenceField]: newRequestId(kind.verb),
    amount: { currency: context.currency, value },
    notAfter: oneMinuteAhead(),
  };
}

export async function move(
  context: ProviderContext,
  kind: MoneyOperation,
  order: ProviderOrder,
  value: string,
): Promise<ProviderAnswer> {
  const answer = await call(context, kind.verb, buildFields(context, kind, order, value));
  if (unsupportedCodes.includes(answer.resultCode))
    throw new NotObservable(
      `the provider makes no ${kind.verb}s (${answer.resultCode}): --${kind.verb}s NONE.`,
    );
  return answer;
}

export function readReport({ json }: ProviderAnswer, { verb }: MoneyOperation): Fields {
  return (json[verb] ?? {}) as Fields;
}

export function readRecordId(answer: ProviderAnswer, kind: MoneyOperation): unknown {
  return readReport(answer, kind)[kind.idField];
}

/** Returns the amount of a request or a report as one line, for comparison and for messages. */
export function amountIn({ amount }: Fields): string {
  const { currency, value } = (amount ?? {}) as Fields;
  return JSON.stringify({ currency, value });
}
