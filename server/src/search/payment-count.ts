/** The time unit of the stored counts. */
export type Span = "hour" | "day";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const spanMs: Readonly<Record<Span, number>> = { hour: hourMs, day: dayMs };

/** The time window of a chart. */
export interface ChartWindow {
  readonly from: Date;
  readonly until: Date;
  readonly span: Span;
}

/**
 * Maximum length of a chart with a column for each hour. A longer chart has a column for each day, so that its columns
 * stay readable.
 */
const hourlyLengthMaxMs = 3 * dayMs;
const defaultLengthMs = 30 * dayMs;
const lengthMaxMs = 731 * dayMs;

/**
 * `chartWindow` rounds the time window of a chart to whole hours or days in UTC; undefined if the window is empty or
 * too long.
 */
export function chartWindow(
  range: { readonly fromMs: number | undefined; readonly untilMs: number | undefined },
  nowMs: number,
): ChartWindow | undefined {
  const { untilMs = nowMs, fromMs = untilMs - defaultLengthMs } = range;
  const lengthMs = untilMs - fromMs;
  if (lengthMs <= 0 || lengthMs > lengthMaxMs) return undefined;
  const span = lengthMs <= hourlyLengthMaxMs ? "hour" : "day";
  const step = spanMs[span];
  return {
    from: new Date(Math.floor(fromMs / step) * step),
    until: new Date(Math.ceil(untilMs / step) * step),
    span,
  };
}

/** The counts of one hour or day of a chart. */
export interface ChartPoint {
  readonly startsAt: Date;
  readonly paymentCount: number;
  readonly successCount: number;
  readonly failCount: number;
  readonly cancelCount: number;
  /** Paid amount in minor units. */
  readonly paidMinor: bigint;
}

/** `fillMissingPoints` returns a point of the chart for every hour or day, with zeros if there are no payments. */
export function fillMissingPoints(
  { from, until, span }: ChartWindow,
  found: readonly ChartPoint[],
): readonly ChartPoint[] {
  const byTime = new Map(found.map((point) => [point.startsAt.getTime(), point]));
  const length = (until.getTime() - from.getTime()) / spanMs[span];
  return Array.from({ length }, (_, index) => {
    const time = from.getTime() + index * spanMs[span];
    return byTime.get(time) ?? { ...emptyPoint, startsAt: new Date(time) };
  });
}

const emptyPoint = { paymentCount: 0, successCount: 0, failCount: 0, cancelCount: 0, paidMinor: 0n } as const;

/** The number of payments with this name, such as a result code or a payment method. */
export interface NamedCount {
  readonly name: string;
  readonly paymentCount: number;
  readonly successCount: number;
}

/** How long payments took until they were paid. */
export interface TimeToPay {
  readonly paidCount: number;
  readonly totalSeconds: number;
  /** Number of payments that took at most this many seconds. */
  readonly within: readonly { readonly seconds: number; readonly paymentCount: number }[];
}
