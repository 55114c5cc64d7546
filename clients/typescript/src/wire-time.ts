const form =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):?([0-5]\d))$/;

/** Parses a time header to milliseconds since 1970: 13 digits, or ISO 8601 with a time zone. */
export function parseWireTime(text: string): number | undefined {
  if (/^\d{13}$/.test(text)) return Number(text);
  const match = form.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, zoneHours = "0", zoneMinutes = "0"] =
    match;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Rejects days that do not exist: `Date` would count them into the next month.
  if (new Date(midnight).toISOString().slice(0, 10) !== `${year}-${month}-${day}`) return undefined;
  const offsetMinutes = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -1 : 1);
  if (Math.abs(offsetMinutes) > 14 * 60) return undefined;
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offsetMinutes * 60;
  return midnight + seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

/** Formats a time like the gateway: whole seconds and a numeric offset. */
export function toWireTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`;
}
