/** A merchant's own accounting: what it expects to be owed, and each event. */
export interface MerchantAccounting {
  /** The buyer paid: the merchant is owed the amount minus the fee. */
  bookPayment(currency: string, minor: number): void;
  /** The amount was refunded to the buyer; the fee is not returned. */
  bookRefund(currency: string, minor: number): void;
  /** The payment was reversed: the amount and the fee are returned. */
  bookReversal(currency: string, minor: number): void;
  addLine(day: number, text: string): void;
  /** The merchant's balance at the operator, by currency. */
  owedByCurrency(): Readonly<Record<string, bigint>>;
  /** The provider receivable. */
  receivableByCurrency(): Readonly<Record<string, bigint>>;
  lines(): readonly string[];
}

export const feeBasisPoints = 130;

export function newMerchantAccounting(): MerchantAccounting {
  const owed = new Map<string, bigint>();
  const atProvider = new Map<string, bigint>();
  const lines: string[] = [];
  const add = (sums: Map<string, bigint>, currency: string, minor: bigint): void => {
    sums.set(currency, (sums.get(currency) ?? 0n) + minor);
  };
  const net = (minor: number): bigint => BigInt(minor) - (BigInt(minor) * BigInt(feeBasisPoints)) / 10_000n;
  return {
    bookPayment(currency, minor) {
      add(owed, currency, net(minor));
      add(atProvider, currency, BigInt(minor));
    },
    bookRefund(currency, minor) {
      add(owed, currency, -BigInt(minor));
      add(atProvider, currency, -BigInt(minor));
    },
    bookReversal(currency, minor) {
      add(owed, currency, -net(minor));
      add(atProvider, currency, -BigInt(minor));
    },
    addLine: (day, text) => void lines.push(`day ${day}: ${text}`),
    owedByCurrency: () => Object.fromEntries(owed),
    receivableByCurrency: () => Object.fromEntries(atProvider),
    lines: () => lines,
  };
}
