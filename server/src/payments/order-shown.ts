import { parseAmount, type Amount, type Money } from "../core/money.ts";

/** What the buyer is shown of the merchant's order, as it is stored: JSON, amounts as they came. */
export interface OrderShown {
  /** The merchant's own number of the order, by which its support finds it. */
  readonly number: string;
  readonly articles?: readonly Article[];
  /** How many more articles there are than those. */
  readonly more?: number;
  readonly shippingFee?: Amount;
  /** The buyer's language, if the merchant knows it. */
  readonly locale?: string;
}

export interface Article {
  readonly name: string;
  readonly quantity: number;
  readonly unitAmount?: Amount;
}

/** A receipt that is longer is not read, and each is kept as long as its payment. */
const articlesMax = 20;

/** An order as the merchant tells it. */
interface OrderTold {
  readonly referenceOrderId: string;
  readonly goods?: readonly {
    readonly goodsName: string;
    readonly goodsQuantity?: number;
    readonly goodsUnitAmount?: Amount;
  }[];
  readonly shipping?: { readonly shippingFee?: Amount };
}

export function writeOrderShown(
  { referenceOrderId, goods = [], shipping }: OrderTold,
  locale?: string,
): string {
  const articles = goods.slice(0, articlesMax).map(({ goodsName, goodsQuantity = 1, goodsUnitAmount }) => ({
    name: goodsName,
    quantity: goodsQuantity,
    ...(goodsUnitAmount && { unitAmount: goodsUnitAmount }),
  }));
  const shown: OrderShown = {
    number: referenceOrderId,
    ...(articles.length > 0 && { articles }),
    ...(goods.length > articlesMax && { more: goods.length - articlesMax }),
    ...(shipping?.shippingFee && { shippingFee: shipping.shippingFee }),
    ...(locale !== undefined && { locale }),
  };
  return JSON.stringify(shown);
}

/** Undefined when it was erased, or the payment is older than this. */
export function readOrderShown(text: string | undefined): OrderShown | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as OrderShown);
}

/** The price of all pieces of an article; undefined when the merchant told none, or one that is no sum of money. */
export function priceOf({ quantity, unitAmount }: Article): Money | undefined {
  const one = unitAmount && moneyOf(unitAmount);
  return one && { ...one, minor: one.minor * BigInt(quantity) };
}

/** Undefined for what is no sum of money: it is only shown, so nobody has checked it. */
export function moneyOf(amount: Amount): Money | undefined {
  const money = parseAmount(amount);
  return typeof money === "string" ? undefined : money;
}
