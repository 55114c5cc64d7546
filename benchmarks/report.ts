import type { Counts } from "./counts.ts";
import type { HopCost } from "./limit-1-hops.ts";
import type { Cpu } from "./measured-gateway.ts";

/** One round of the limit and of the gateway, for one kind of operation. Times are CPU µs per operation. */
export interface KindRound extends Cpu {
  /** The time of cryptography and the database, which no program can avoid. */
  readonly forcedUs: number;
  /** The limit: the time of cryptography and the database, plus that of a plain Node message for each message. */
  readonly limitUs: number;
  /** The limit divided by the gateway's time. A ratio of 1.00 means that the gateway reaches the limit. */
  readonly ratio: number;
  readonly perSecond: number;
}

export interface LimitRound extends SignatureCost, HopCost {
  readonly acceptSqlUs: number;
  readonly settleSqlUs: number;
  readonly inquirySqlUs: number;
  readonly wholeWalBytes: number;
  /** The time of cryptography and the database, which no program can avoid. */
  readonly acceptUs: number;
  readonly wholeUs: number;
  readonly inquiryUs: number;
  /** The time of cryptography, the database and plain messages, which is the minimum for a Node server. */
  readonly acceptHopsUs: number;
  readonly wholeHopsUs: number;
  readonly inquiryHopsUs: number;
}

/** CPU µs of one operation in Node's own OpenSSL. P-256 is measured for comparison only. */
export interface SignatureCost {
  readonly rsaSignUs: number;
  readonly rsaVerifyUs: number;
  readonly edSignUs: number;
  readonly edVerifyUs: number;
  readonly p256SignUs: number;
  readonly p256VerifyUs: number;
}

type Columns<Figures> = readonly (readonly [title: string, key: keyof Figures, decimals: number])[];

export const limitColumns: Columns<LimitRound> = [
  ["rsa sign", "rsaSignUs", 0],
  ["verify", "rsaVerifyUs", 0],
  ["ed25519 sign", "edSignUs", 0],
  ["verify", "edVerifyUs", 0],
  ["p-256 sign", "p256SignUs", 0],
  ["verify", "p256VerifyUs", 0],
  ["message in", "inUs", 0],
  ["out", "outUs", 0],
  ["sql: accept", "acceptSqlUs", 0],
  ["settle", "settleSqlUs", 0],
  ["inquiry", "inquirySqlUs", 0],
  ["wal bytes", "wholeWalBytes", 0],
  ["forced: accept", "acceptUs", 0],
  ["whole", "wholeUs", 0],
  ["inquiry", "inquiryUs", 0],
  ["limit: accept", "acceptHopsUs", 0],
  ["whole", "wholeHopsUs", 0],
  ["inquiry", "inquiryHopsUs", 0],
];

export const kindColumns: Columns<KindRound> = [
  ["forced", "forcedUs", 0],
  ["limit", "limitUs", 0],
  ["serve", "serveUs", 0],
  ["+ work", "workUs", 0],
  ["+ postgres", "postgresUs", 0],
  ["= ours", "allUs", 0],
  ["ratio", "ratio", 2],
  ["rate/s", "perSecond", 0],
];

export const countColumns: Columns<Counts> = [
  ["transactions", "transactions", 2],
  ["statements", "statements", 2],
  ["unshared", "unshared", 0],
  ["rows", "rows", 1],
  ["wal bytes", "walBytes", 0],
  ["buffers", "buffers", 0],
];

/** The rounds, and below them their median. */
export function formatTable<Figures>(
  title: string,
  columns: Columns<Figures>,
  rounds: readonly Figures[],
): string {
  const head = [title, ...columns.map(([name]) => name)];
  const all = rounds.length > 1 ? [...rounds, median(columns, rounds)] : rounds;
  const rows = all.map((round, index) => [
    nameOfRow(index, rounds.length),
    ...columns.map(([, key, decimals]) => Number(round[key]).toFixed(decimals)),
  ]);
  const width = (column: number): number =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0));
  return [head, ...rows]
    .map((row) => row.map((cell, column) => cell.padStart(width(column))).join("  "))
    .join("\n");
}

function nameOfRow(index: number, rounds: number): string {
  if (rounds === 1) return "";
  return index === rounds ? "median" : `round ${index + 1}`;
}

/** The median over rounds of each figure. A ratio is calculated per round, and its median is taken afterwards. */
export function median<Figures>(columns: Columns<Figures>, rounds: readonly Figures[]): Figures {
  return Object.fromEntries(
    columns.map(([, key]) => [key, medianOfNumbers(rounds.map((round) => Number(round[key])))]),
  ) as Figures;
}

export function medianOfNumbers(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/**
 * `lastLine` returns the last line of the report, which programs read. The rate is that of `pay` with 32 requests in
 * flight.
 */
export function lastLine(kinds: Readonly<Record<"accept" | "whole" | "inquiry", KindRound>>): string {
  const { accept, whole, inquiry } = kinds;
  const figures = {
    accept_ratio: accept.ratio.toFixed(2),
    whole_ratio: whole.ratio.toFixed(2),
    inquiry_ratio: inquiry.ratio.toFixed(2),
    whole_us: whole.allUs.toFixed(0),
    limit_us: whole.limitUs.toFixed(0),
    rate: `${accept.perSecond.toFixed(0)}/s`,
  };
  return `bench: ${Object.entries(figures)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")}`;
}
