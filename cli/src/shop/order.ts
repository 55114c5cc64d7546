import type { Amount } from "../../../clients/typescript/src/generated/models.ts";

/** The status of an order. WAITING means that the outcome of the payment is not known yet. */
export type OrderStatus = "WAITING" | "PAID" | "FAILED";

/** A buyer's order. Its id is the `paymentRequestId` of its payment. */
export interface Order {
  readonly id: string;
  readonly name: string;
  readonly amount: Amount;
  readonly status: OrderStatus;
  /** The gateway's id of the payment; undefined before the response to the pay request. */
  readonly paymentId?: string;
  readonly payPage?: string;
  /** In minor units, as the gateway reported it. */
  readonly refundedMinor: bigint;
}

export type StepTone = "plain" | "good" | "bad";

/** An event of an order, as the shop recorded it. */
export interface Step {
  readonly at: string;
  readonly mood: StepTone;
  readonly text: string;
}

export interface Product {
  readonly name: string;
  readonly about: string;
  readonly amount: Amount;
}

export const products: Readonly<Record<string, Product>> = {
  "flat-white": { name: "Flat white", about: "Double shot, silky milk.", amount: euro("450") },
  beans: { name: "Bag of beans", about: "250 g, roasted on Monday.", amount: euro("1250") },
  grinder: { name: "Hand grinder", about: "For early risers.", amount: euro("8900") },
};

function euro(value: string): Amount {
  return { currency: "EUR", value };
}
