/** A day of the books ends at midnight UTC+8, as in reports of this family of interfaces. There is no summer time in it. */
const aheadMs = 8 * 3600 * 1000;
const dayMs = 24 * 3600 * 1000;

/** The day of the books that a moment is in: `YYYY-MM-DD`. */
export function bookDayOf(date: Date): string {
  return new Date(date.getTime() + aheadMs).toISOString().slice(0, 10);
}

/** The first moment of a day of the books. */
export function startOfBookDay(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) - aheadMs);
}

/** The day after. */
export function nextBookDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10);
}

/** Whether a text is a day of the calendar. One that no calendar has, such as the 31st of November, is another one when it is written again. */
export function isBookDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** Whether a text is a month of the calendar: `YYYY-MM`. */
export function isBookMonth(text: string): boolean {
  return isBookDay(`${text}-01`);
}

/** The first moment of a month of the books, and that of the next. */
export function bookMonth(month: string): { readonly from: Date; readonly until: Date } {
  const next = new Date(Date.parse(`${month}-01T00:00:00Z`) + 31 * dayMs).toISOString().slice(0, 7);
  return { from: startOfBookDay(`${month}-01`), until: startOfBookDay(`${next}-01`) };
}
