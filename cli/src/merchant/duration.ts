import { UsageError } from "../../../server/src/core/command-errors.ts";

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Seconds in `15m`, `1h30m` or `+2d`; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const parts = /^\+?(?:\d+[smhdw])+$/.test(text) ? text.match(/\d+[smhdw]/g) : null;
  if (!parts) return undefined;
  return parts.reduce((sum, each) => sum + Number.parseInt(each, 10) * (unitSeconds[each.slice(-1)] ?? 0), 0);
}

/** The seconds of an option's value; throws if the text is not a duration. */
export function parseDurationOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseDuration(text);
  if (seconds === undefined)
    throw new UsageError(`${name} must be a duration such as 30s, 15m or 2h, not ${text}.`);
  return seconds;
}

/** Prints a duration with its two largest units, such as `2 d 3 h`. */
export function formatDuration(seconds: number): string {
  const units = Object.entries(unitSeconds)
    .toReversed()
    .filter(([unit]) => unit !== "w");
  let remaining = Math.round(seconds);
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(remaining / size);
    remaining -= count * size;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
  return parts.slice(0, 2).join(" ") || "0 s";
}
