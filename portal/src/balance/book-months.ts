/** By the days of the books, which end at midnight UTC+8. */
const aheadMs = 8 * 3600 * 1000;
const monthsShown = 24;

/** The month of the books that it is now: `2026-11`. */
export function thisMonth(nowMs = Date.now()): string {
  return new Date(nowMs + aheadMs).toISOString().slice(0, 7);
}

/** Months to choose from, the newest first; with one that is older, if it is asked for. */
export function monthsUntil(last: string, asked: string): readonly string[] {
  const [year = 0, month = 0] = last.split("-").map(Number);
  const months = Array.from({ length: monthsShown }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back)).toISOString().slice(0, 7),
  );
  return months.includes(asked) ? months : [...months, asked].toSorted().toReversed();
}
