import { parseRequestTime } from "../../core/request-time.ts";
import type { CommandArguments } from "./command.ts";
import { UsageError } from "../../core/command-errors.ts";

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses an option with a time: an age (30m, 24h, 7d), or ISO 8601 with a zone. */
export function parseTimeOrAge(args: CommandArguments, option: string, now: Date): Date | undefined {
  const text = args.value(option);
  if (text === undefined) return undefined;
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(now.getTime() - Number(count) * (unitMs[unit] ?? 0));
  const atMs = text[10] === "T" ? parseRequestTime(text) : undefined;
  if (atMs === undefined)
    throw new UsageError(`--${option} must be an age, such as 24h or 7d, or a time in ISO 8601 with a zone.`);
  return new Date(atMs);
}
