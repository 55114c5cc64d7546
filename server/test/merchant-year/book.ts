/** A merchant's own books: what it believes it is owed, and what happened to it, in its own words. */
export interface Book {
  /** The buyer has paid: what comes to the merchant is less by the fee. */
  took(currency: string, minor: number): void;
  /** It went back to the buyer; the fee stays where it is. */
  gaveBack(currency: string, minor: number): void;
  /** As if it had never been: the fee comes back as well. */
  undid(currency: string, minor: number): void;
  line(day: number, text: string): void;
  /** What the gateway owes the merchant, by currency. */
  owed(): Readonly<Record<string, bigint>>;
  /** What the wallet owes the gateway. */
  atWallet(): Readonly<Record<string, bigint>>;
  lines(): readonly string[];
}

export const feeBasisPoints = 130;

export function newBook(): Book {
  const owed = new Map<string, bigint>();
  const atWallet = new Map<string, bigint>();
  const lines: string[] = [];
  const add = (sums: Map<string, bigint>, currency: string, minor: bigint): void => {
    sums.set(currency, (sums.get(currency) ?? 0n) + minor);
  };
  const net = (minor: number): bigint => BigInt(minor) - (BigInt(minor) * BigInt(feeBasisPoints)) / 10_000n;
  return {
    took(currency, minor) {
      add(owed, currency, net(minor));
      add(atWallet, currency, BigInt(minor));
    },
    gaveBack(currency, minor) {
      add(owed, currency, -BigInt(minor));
      add(atWallet, currency, -BigInt(minor));
    },
    undid(currency, minor) {
      add(owed, currency, -net(minor));
      add(atWallet, currency, -BigInt(minor));
    },
    line: (day, text) => void lines.push(`day ${day}: ${text}`),
    owed: () => Object.fromEntries(owed),
    atWallet: () => Object.fromEntries(atWallet),
    lines: () => lines,
  };
}
