import { parseAmount, type Amount, type Money } from "../core/money.ts";

/**
 * The order details that the checkout page shows to the buyer, as they are stored: JSON, with amounts as the merchant
 * sent them.
 */
export interface CheckoutOrder {
  /** The merchant's own order number, by which the merchant's support finds the order. */
  readonly number: string;
  readonly articles?: readonly Article[];
  /** Number of further articles that are not in the list. */
  readonly more?: number;
  readonly shippingFee?: Amount;
  /** The buyer's language, if the merchant sent it. */
  readonly locale?: string;
}

export interface Article {
  readonly name: string;
  readonly quantity: number;
  readonly unitAmount?: Amount;
}

/**
 * Maximum number of stored articles: buyers do not read a longer receipt, and each list is stored as long as its
 * payment.
 */
const articlesMax = 20;

/** The order as the merchant sent it. */
interface OrderDetails {
  readonly referenceOrderId: string;
  readonly goods?: readonly {
    readonly goodsName: string;
    readonly goodsQuantity?: number;
    readonly goodsUnitAmount?: Amount;
  }[];
  readonly shipping?: { readonly shippingFee?: Amount };
}

export function serializeCheckoutOrder(
  { referenceOrderId, goods = [], shipping }: OrderDetails,
  locale?: string,
): string {
  const articles = goods.slice(0, articlesMax).map(({ goodsName, goodsQuantity = 1, goodsUnitAmount }) => ({
    name: goodsName,
    quantity: goodsQuantity,
    ...(goodsUnitAmount && { unitAmount: goodsUnitAmount }),
  }));
  const order: CheckoutOrder = {
    number: referenceOrderId,
    ...(articles.length > 0 && { articles }),
    ...(goods.length > articlesMax && { more: goods.length - articlesMax }),
    ...(shipping?.shippingFee && { shippingFee: shipping.shippingFee }),
    ...(locale !== undefined && { locale }),
  };
  return JSON.stringify(order);
}

/**
 * `parseCheckoutOrder` parses the stored order details. It returns undefined if they were erased, or if the payment was
 * created by a release without them.
 */
export function parseCheckoutOrder(text: string | undefined): CheckoutOrder | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as CheckoutOrder);
}

/**
 * `priceOf` returns the price of all pieces of an article; undefined if the merchant sent no price or an invalid one.
 */
export function priceOf({ quantity, unitAmount }: Article): Money | undefined {
  const unitPrice = unitAmount && moneyOf(unitAmount);
  return unitPrice && { ...unitPrice, minor: unitPrice.minor * BigInt(quantity) };
}

/**
 * `moneyOf` parses an amount of the order details; undefined for an invalid one. The checkout page only shows these
 * amounts, so `pay` does not validate them.
 */
export function moneyOf(amount: Amount): Money | undefined {
  const money = parseAmount(amount);
  return typeof money === "string" ? undefined : money;
}
