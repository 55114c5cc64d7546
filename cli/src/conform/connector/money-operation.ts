import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { NotSeen, Unmet } from "../case.ts";
import {
  call,
  demandState,
  paid,
  soon,
  type Fields,
  type ProviderAnswer,
  type ProviderOrder,
  type ProviderWorld,
} from "./provider-world.ts";

/** A refund or a capture. Both move a part of an order's money under their own reference. */
export interface MoneyOperation {
  readonly verb: "refund" | "capture";
  readonly nameField: "refundReference" | "captureReference";
  readonly idField: "walletRefundId" | "walletCaptureId";
  readonly timeField: "refundTime" | "captureTime";
  /** The states that a report may have; undefined is among them because a completed capture may omit its state. */
  readonly states: readonly (string | undefined)[];
  /** Additional fields of the `submit` request that creates the order. */
  readonly terms: Fields;
  readonly exceeds: string;
}

export const refunding: MoneyOperation = {
  verb: "refund",
  nameField: "refundReference",
  idField: "walletRefundId",
  timeField: "refundTime",
  states: ["DONE", "PROCESSING"],
  terms: {},
  exceeds: "REFUND_AMOUNT_EXCEED",
};

export const capturing: MoneyOperation = {
  verb: "capture",
  nameField: "captureReference",
  idField: "walletCaptureId",
  timeField: "captureTime",
  states: ["DONE", undefined],
  terms: { capture: "MANUAL" },
  exceeds: "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
};

/** The full amount of each order in these cases, in minor units. */
export const whole = "1250";
export const none = ["NO_INTERFACE_DEF", "PAYMENT_METHOD_NOT_SUPPORTED", "BUSINESS_NOT_SUPPORT"];

/** Creates an order whose money can be moved. Captures can not be checked at a provider without authorization holds. */
export async function ready(world: ProviderWorld, { verb, terms }: MoneyOperation): Promise<ProviderOrder> {
  const order = await paid(world, terms).catch((error: unknown) => {
    // A provider without authorization holds rejects such an order, with any result code.
    if (verb === "capture" && error instanceof Unmet && error.message.startsWith("submit was answered F"))
      throw new NotSeen(
        `the provider accepts no order with a manual capture (${error.message}): --captures NONE.`,
      );
    throw error;
  });
  if (verb === "capture" && order.state === "PAID")
    throw new NotSeen(
      "the provider takes the money at once and supports no authorization holds: --captures NONE.",
    );
  demandState(order, verb === "capture" ? "AUTHORIZED" : "PAID");
  return order;
}

export function fieldsFor(
  world: ProviderWorld,
  kind: MoneyOperation,
  order: ProviderOrder,
  value: string,
): Fields {
  return {
    reference: order.reference,
    [kind.nameField]: newRequestId(kind.verb),
    amount: { currency: world.currency, value },
    notAfter: soon(),
  };
}

export async function move(
  world: ProviderWorld,
  kind: MoneyOperation,
  order: ProviderOrder,
  value: string,
): Promise<ProviderAnswer> {
  const answer = await call(world, kind.verb, fieldsFor(world, kind, order, value));
  if (none.includes(answer.resultCode))
    throw new NotSeen(`the provider makes no ${kind.verb}s (${answer.resultCode}): --${kind.verb}s NONE.`);
  return answer;
}

export function reportIn({ json }: ProviderAnswer, { verb }: MoneyOperation): Fields {
  return (json[verb] ?? {}) as Fields;
}

export function idIn(answer: ProviderAnswer, kind: MoneyOperation): unknown {
  return reportIn(answer, kind)[kind.idField];
}
