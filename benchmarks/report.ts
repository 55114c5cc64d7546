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

const columns: readonly (readonly [title: string, key: keyof Round, decimals: number])[] = [
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

/** The last of the rounds is the median of the others. */
export function table(rounds: readonly Round[]): string {
  const head = ["inquiry, CPU µs", ...columns.map(([title]) => title)];
  const rows = rounds.map((round, index) => [
    index === rounds.length - 1 ? "median" : `round ${index + 1}`,
    ...columns.map(([, key, decimals]) => round[key].toFixed(decimals)),
  ]);
  const width = (column: number): number =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0));
  return [head, ...rows]
    .map((row) => row.map((cell, column) => cell.padStart(width(column))).join("  "))
    .join("\n");
}

/** Each figure's own median, the ratio's too: bare and ours of one round belong together. */
export function median(rounds: readonly Round[]): Round {
  const middle = (key: keyof Round): number => {
    const sorted = rounds.map((round) => round[key]).sort((a, b) => a - b);
    const half = sorted.length / 2;
    const pair = [sorted[Math.ceil(half) - 1] ?? 0, sorted[Math.floor(half)] ?? 0] as const;
    return (pair[0] + pair[1]) / 2;
  };
  return Object.fromEntries(columns.map(([, key]) => [key, middle(key)])) as unknown as Round;
}

/** For machines to read. Payments are not benched yet, so their two figures are empty. */
export function lastLine({ ratio, oursUs, bareUs, perSecond }: Round): string {
  const figures = {
    accept_ratio: "-",
    whole_ratio: "-",
    inquiry_ratio: ratio.toFixed(2),
    ours_us: oursUs.toFixed(0),
    bare_us: bareUs.toFixed(0),
    rate: `${perSecond.toFixed(0)}/s`,
  };
  return `bench: ${Object.entries(figures)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")}`;
}
