import type { Amount } from "../../../clients/typescript/src/generated/models.ts";

/** WAITING: nobody has told yet how the payment ended. */
export type OrderStatus = "WAITING" | "PAID" | "FAILED";

/** What a buyer ordered. Its id is the `paymentRequestId` of its payment. */
export interface Order {
  readonly id: string;
  readonly name: string;
  readonly amount: Amount;
  readonly status: OrderStatus;
  /** The gateway's names for the payment, once it has been asked. */
  readonly paymentId?: string;
  readonly payPage?: string;
  /** In minor units, as the gateway has told. */
  readonly refundedMinor: bigint;
}

export type Mood = "plain" | "good" | "bad";

/** Something that happened to an order, as the shop noted it. */
export interface Step {
  readonly at: string;
  readonly mood: Mood;
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
  grinder: { name: "Hand grinder", about: "For whoever gets up early.", amount: euro("8900") },
};

function euro(value: string): Amount {
  return { currency: "EUR", value };
}
