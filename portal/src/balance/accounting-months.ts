/** Book days end at midnight UTC+8. */
const aheadMs = 8 * 3600 * 1000;
const monthsShown = 24;

/** `currentMonth` returns the current book month, such as `2026-11`. */
export function currentMonth(nowMs = Date.now()): string {
  return new Date(nowMs + aheadMs).toISOString().slice(0, 7);
}

/** `listMonths` returns the months to choose from, newest first. An older month from the URL is added. */
export function listMonths(last: string, selected: string): readonly string[] {
  const [year = 0, month = 0] = last.split("-").map(Number);
  const months = Array.from({ length: monthsShown }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back)).toISOString().slice(0, 7),
  );
  return months.includes(selected) ? months : [...months, selected].toSorted().toReversed();
}
