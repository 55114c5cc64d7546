/** Money as the wire writes it: the value in the smallest unit of the currency, as text. */
export interface Amount {
  readonly currency: string;
  readonly value: string;
}

export function isAmount(value: unknown): value is Amount {
  if (typeof value !== "object" || value === null) return false;
  const { currency, value: minor } = value as { currency?: unknown; value?: unknown };
  if (typeof currency !== "string" || typeof minor !== "string") return false;
  return /^[A-Z]{3}$/.test(currency) && /^[1-9][0-9]{0,15}$/.test(minor);
}

export function sameAmount(a: Amount, b: Amount): boolean {
  return a.currency === b.currency && a.value === b.value;
}

/** For people: `EUR 1,234.50`. */
export function formatAmount({ currency, value }: Amount): string {
  const digits = digitsBehindThePoint.get(currency) ?? 2;
  const padded = value.padStart(digits + 1, "0");
  const whole = padded.slice(0, padded.length - digits).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return digits === 0 ? `${currency} ${whole}` : `${currency} ${whole}.${padded.slice(-digits)}`;
}

/** Currencies of ISO 4217 that do not have two decimals. Never `Intl`, which says how prices are shown. */
const digitsBehindThePoint: ReadonlyMap<string, number> = new Map(
  (
    [
      [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
      [3, "BHD IQD JOD KWD LYD OMR TND"],
      [4, "CLF UYW"],
    ] as const
  ).flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, digits] as const)),
);
