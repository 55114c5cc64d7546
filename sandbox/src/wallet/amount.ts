/** Money as on the wire: the value in the smallest unit of the currency, as text. */
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

/**
 * Formats an amount for people, as the checkout page does: `€1,234.50`, or `KWD 1.250` for a currency without a sign.
 */
export function formatAmount({ currency, value }: Amount): string {
  const digits = decimalsByCurrency.get(currency) ?? 2;
  const padded = value.padStart(digits + 1, "0");
  const point = padded.length - digits;
  const decimal = digits === 0 ? padded : `${padded.slice(0, point)}.${padded.slice(point)}`;
  // The formatter gets a string, because a number would round a large sum to a double.
  return formatOf(currency, digits).format(decimal as `${number}`);
}

const formats = new Map<string, Intl.NumberFormat>();

/** Cached, because creating a formatter takes longer than using it a hundred times. */
function formatOf(currency: string, digits: number): Intl.NumberFormat {
  const cached = formats.get(currency);
  if (cached) return cached;
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat("en", { style: "currency", currency, ...fraction });
  formats.set(currency, format);
  return format;
}

/**
 * Currencies of ISO 4217 that do not have two decimals. The list is not from `Intl`, which omits decimals for some of
 * these currencies.
 */
const decimalsByCurrency: ReadonlyMap<string, number> = new Map(
  (
    [
      [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
      [3, "BHD IQD JOD KWD LYD OMR TND"],
      [4, "CLF UYW"],
    ] as const
  ).flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, digits] as const)),
);
