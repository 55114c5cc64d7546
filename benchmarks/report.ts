import type { PaymentRound } from "./payment-bench.ts";

/** One turn of bare and ours. Times are CPU µs per operation. */
export interface Round {
  /** One signature and one verification by OpenSSL. */
  readonly rsaUs: number;
  /** The same SQL asked for by pgbench. */
  readonly bareSqlUs: number;
  readonly bareUs: number;
  readonly serveUs: number;
  readonly postgresUs: number;
  readonly oursUs: number;
  readonly ratio: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** What row-level security adds to the bare SQL; part of both sides. */
  readonly wallUs: number;
}

type Columns<Figures> = readonly (readonly [title: string, key: keyof Figures, decimals: number])[];

export const inquiryColumns: Columns<Round> = [
  ["rsa", "rsaUs", 0],
  ["+ sql", "bareSqlUs", 0],
  ["= bare", "bareUs", 0],
  ["serve", "serveUs", 0],
  ["+ postgres", "postgresUs", 0],
  ["= ours", "oursUs", 0],
  ["ratio", "ratio", 2],
  ["rate/s", "perSecond", 0],
  ["p99 ms", "p99Ms", 1],
  ["of sql: rls", "wallUs", 1],
];

export const paymentColumns: Columns<PaymentRound> = [
  ["accept: bare", "acceptBareUs", 0],
  ["ours", "acceptOursUs", 0],
  ["ratio", "acceptRatio", 2],
  ["rate/s", "acceptPerSecond", 0],
  ["whole: bare", "wholeBareUs", 0],
  ["ours", "wholeOursUs", 0],
  ["ratio", "wholeRatio", 2],
  ["of sql: rls", "wallUs", 0],
  ["without: accept", "acceptRatioUnwalled", 2],
  ["whole", "wholeRatioUnwalled", 2],
];

/** The rounds, and under them their median. */
export function table<Figures>(title: string, columns: Columns<Figures>, rounds: readonly Figures[]): string {
  const head = [title, ...columns.map(([name]) => name)];
  const rows = [...rounds, median(columns, rounds)].map((round, index) => [
    index === rounds.length ? "median" : `round ${index + 1}`,
    ...columns.map(([, key, decimals]) => Number(round[key]).toFixed(decimals)),
  ]);
  const width = (column: number): number =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0));
  return [head, ...rows]
    .map((row) => row.map((cell, column) => cell.padStart(width(column))).join("  "))
    .join("\n");
}

/** The median of each figure by itself, of ratios too: bare and ours of one round belong together. */
export function median<Figures>(columns: Columns<Figures>, rounds: readonly Figures[]): Figures {
  const middle = (key: keyof Figures): number => {
    const sorted = rounds.map((round) => Number(round[key])).sort((a, b) => a - b);
    const half = sorted.length / 2;
    const pair = [sorted[Math.ceil(half) - 1] ?? 0, sorted[Math.floor(half)] ?? 0] as const;
    return (pair[0] + pair[1]) / 2;
  };
  return Object.fromEntries(columns.map(([, key]) => [key, middle(key)])) as Figures;
}

/**
 * The last line, for machines to read. The cost of a payment and the payments per second are those of
 * `accept`.
 */
export function lastLine(inquiry: Round, payment: PaymentRound): string {
  const figures = {
    accept_ratio: payment.acceptRatio.toFixed(2),
    whole_ratio: payment.wholeRatio.toFixed(2),
    inquiry_ratio: inquiry.ratio.toFixed(2),
    ours_us: payment.acceptOursUs.toFixed(0),
    bare_us: payment.acceptBareUs.toFixed(0),
    rate: `${payment.acceptPerSecond.toFixed(0)}/s`,
  };
  return `bench: ${Object.entries(figures)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")}`;
}
