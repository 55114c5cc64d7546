/**
 * How far accounting days are ahead of UTC. An accounting day ends at midnight UTC+8, as in the reports of comparable
 * payment interfaces. UTC+8 has no daylight saving time.
 */
const accountingOffsetMs = 8 * 3600 * 1000;
const dayMs = 24 * 3600 * 1000;

/** The accounting day of a moment: `YYYY-MM-DD`. */
export function accountingDayOf(date: Date): string {
  return new Date(date.getTime() + accountingOffsetMs).toISOString().slice(0, 10);
}

/** The first moment of an accounting day. */
export function startOfAccountingDay(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) - accountingOffsetMs);
}

/** The day after. */
export function nextAccountingDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10);
}

/**
 * Whether a text is a calendar day. An invalid day, such as 31 November, changes when it is parsed and formatted again.
 */
export function isAccountingDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** Whether a text is a calendar month: `YYYY-MM`. */
export function isAccountingMonth(text: string): boolean {
  return isAccountingDay(`${text}-01`);
}

/** The first moment of an accounting month, and that of the next one. */
export function accountingMonth(month: string): { readonly from: Date; readonly until: Date } {
  const next = new Date(Date.parse(`${month}-01T00:00:00Z`) + 31 * dayMs).toISOString().slice(0, 7);
  return { from: startOfAccountingDay(`${month}-01`), until: startOfAccountingDay(`${next}-01`) };
}
