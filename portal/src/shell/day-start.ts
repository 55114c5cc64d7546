const dayMs = 86_400_000;

/** The beginning of a day in UTC, or of one after it, as servers read times. */
export function dayStart(day: string, later: number): string {
  const time = new Date(Date.parse(`${day}T00:00:00Z`) + later * dayMs);
  return Number.isNaN(time.getTime()) ? day : `${time.toISOString().slice(0, 19)}+00:00`;
}
