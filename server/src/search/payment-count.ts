/** What the counts are kept for. */
export type Span = "hour" | "day";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const spanMs: Readonly<Record<Span, number>> = { hour: hourMs, day: dayMs };

/** Which payments a chart is about. */
export interface ChartWindow {
  readonly from: Date;
  readonly until: Date;
  readonly span: Span;
}

/** Hours for a few days, and days for more: a chart of a thousand columns shows nothing. */
const hoursUpToMs = 3 * dayMs;
const usualMs = 30 * dayMs;
const longestMs = 731 * dayMs;

/** Whole hours or days of UTC; undefined when there is nothing in between, or too much. */
export function chartWindow(
  asked: { readonly fromMs: number | undefined; readonly untilMs: number | undefined },
  nowMs: number,
): ChartWindow | undefined {
  const { untilMs = nowMs, fromMs = untilMs - usualMs } = asked;
  const lengthMs = untilMs - fromMs;
  if (lengthMs <= 0 || lengthMs > longestMs) return undefined;
  const span = lengthMs <= hoursUpToMs ? "hour" : "day";
  const step = spanMs[span];
  return {
    from: new Date(Math.floor(fromMs / step) * step),
    until: new Date(Math.ceil(untilMs / step) * step),
    span,
  };
}

/** What happened within one hour or day. */
export interface ChartPoint {
  readonly startsAt: Date;
  readonly paymentCount: number;
  readonly successCount: number;
  readonly failCount: number;
  readonly cancelCount: number;
  /** What was paid, in minor units. */
  readonly paidMinor: bigint;
}

/** A point for every hour or day, also for those in which nothing happened. */
export function everyPoint(
  { from, until, span }: ChartWindow,
  found: readonly ChartPoint[],
): readonly ChartPoint[] {
  const byTime = new Map(found.map((point) => [point.startsAt.getTime(), point]));
  const length = (until.getTime() - from.getTime()) / spanMs[span];
  return Array.from({ length }, (_, index) => {
    const time = from.getTime() + index * spanMs[span];
    return byTime.get(time) ?? { ...nothing, startsAt: new Date(time) };
  });
}

const nothing = { paymentCount: 0, successCount: 0, failCount: 0, cancelCount: 0, paidMinor: 0n } as const;

/** How many there were of something. */
export interface Counted {
  readonly name: string;
  readonly paymentCount: number;
  readonly successCount: number;
}

/** How long it took until payments were paid. */
export interface Pace {
  readonly paidCount: number;
  readonly totalSeconds: number;
  /** How many took at most so many seconds. */
  readonly within: readonly { readonly seconds: number; readonly paymentCount: number }[];
}
