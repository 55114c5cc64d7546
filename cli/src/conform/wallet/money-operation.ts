import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { NotSeen, Unmet } from "../case.ts";
import {
  call,
  demandState,
  paid,
  soon,
  type Fields,
  type WalletAnswer,
  type WalletOrder,
  type WalletWorld,
} from "./wallet-world.ts";

/** A refund and a capture are alike: money that moves in parts of an order, under a reference of its own. */
export interface MoneyOperation {
  readonly verb: "refund" | "capture";
  readonly nameField: "refundReference" | "captureReference";
  readonly idField: "walletRefundId" | "walletCaptureId";
  readonly timeField: "refundTime" | "captureTime";
  /** The states of a report; a capture that is done may leave its state out. */
  readonly states: readonly (string | undefined)[];
  /** What an order has to be submitted with. */
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

/** All of an order, as every order here is submitted. */
export const whole = "1250";
export const none = ["NO_INTERFACE_DEF", "PAYMENT_METHOD_NOT_SUPPORTED", "BUSINESS_NOT_SUPPORT"];

/** An order whose money can be moved; of a wallet that holds none, nothing can be seen of captures. */
export async function ready(world: WalletWorld, { verb, terms }: MoneyOperation): Promise<WalletOrder> {
  const order = await paid(world, terms).catch((error: unknown) => {
    // A wallet that holds no money refuses such an order, for whatever reason.
    if (verb === "capture" && error instanceof Unmet && error.message.startsWith("submit was answered F"))
      throw new NotSeen(
        `the wallet takes no order with a manual capture (${error.message}): --captures NONE.`,
      );
    throw error;
  });
  if (verb === "capture" && order.state === "PAID")
    throw new NotSeen("the wallet takes the money at once and holds none: --captures NONE.");
  demandState(order, verb === "capture" ? "AUTHORIZED" : "PAID");
  return order;
}

export function fieldsFor(
  world: WalletWorld,
  kind: MoneyOperation,
  order: WalletOrder,
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
  world: WalletWorld,
  kind: MoneyOperation,
  order: WalletOrder,
  value: string,
): Promise<WalletAnswer> {
  const answer = await call(world, kind.verb, fieldsFor(world, kind, order, value));
  if (none.includes(answer.resultCode))
    throw new NotSeen(`the wallet makes no ${kind.verb}s (${answer.resultCode}): --${kind.verb}s NONE.`);
  return answer;
}

export function reportIn({ json }: WalletAnswer, { verb }: MoneyOperation): Fields {
  return (json[verb] ?? {}) as Fields;
}

export function idIn(answer: WalletAnswer, kind: MoneyOperation): unknown {
  return reportIn(answer, kind)[kind.idField];
}
