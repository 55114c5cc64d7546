const dayMs = 86_400_000;

/** `dayStart` returns the start of a UTC day, or of a day after it, in the servers' time format. */
export function dayStart(day: string, addedDays: number): string {
  const time = new Date(Date.parse(`${day}T00:00:00Z`) + addedDays * dayMs);
  return Number.isNaN(time.getTime()) ? day : `${time.toISOString().slice(0, 19)}+00:00`;
}
