/** The tolerated clock skew of a message; beyond it the message may be a replay. */
const toleranceMs = 10 * 60 * 1000;

/** The form of every time in the provider protocol: whole seconds and a numeric offset, never `Z`. */
export function toWireTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`;
}

/** Returns epoch milliseconds, or undefined if the text is not a time with an offset. */
export function parseWireTime(text: string): number | undefined {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const epochMs = isTime ? Date.parse(text) : Number.NaN;
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** Whether the time of a message is near enough to our clock. */
export function isFresh(text: string, nowMs: number): boolean {
  const epochMs = parseWireTime(text);
  return epochMs !== undefined && Math.abs(epochMs - nowMs) <= toleranceMs;
}
