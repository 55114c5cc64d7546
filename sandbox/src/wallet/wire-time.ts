/** The tolerated clock skew; beyond it a message may be a replay. */
const toleranceMs = 10 * 60 * 1000;

/** The form of every time on the wire: whole seconds and a numeric offset, never `Z`. */
export function wireTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`;
}

/** Rounds an exact time down to the form on the wire. */
export function wholeSeconds(exact: string): string {
  return wireTime(parseTime(exact) ?? 0);
}

/** Formats a time like the form on the wire, but with milliseconds, so that events within one second have an order. */
export function exactTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 23)}+00:00`;
}

/** Milliseconds since 1970, from 13 digits or from ISO 8601 with a zone; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  if (/^\d{13}$/.test(text)) return Number(text);
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(?:Z|([+-]\d\d):?(\d\d))$/.exec(text);
  if (!parts) return undefined;
  const [, seconds, fraction = "", hours, minutes] = parts;
  const epochMs = Date.parse(`${seconds}${fraction.slice(0, 4)}${hours ? `${hours}:${minutes}` : "Z"}`);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** Whether the time in a message's header is within the tolerated clock skew. */
export function isFresh(text: string, nowMs: number): boolean {
  const timeMs = parseTime(text);
  return timeMs !== undefined && Math.abs(nowMs - timeMs) <= toleranceMs;
}
