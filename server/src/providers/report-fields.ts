import { parseAmount, type Money } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";

/** `readMoney` reads an amount of a report; undefined if it is malformed. */
export function readMoney(value: unknown): Money | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { currency, value: minor } = value as { currency?: unknown; value?: unknown };
  if (typeof currency !== "string" || typeof minor !== "string") return undefined;
  const money = parseAmount({ currency, value: minor });
  return typeof money === "string" ? undefined : money;
}

/**
 * `readTime` reads a provider's time. A time far in the past or future is a mistake, such as seconds for milliseconds,
 * and PostgreSQL cannot store times far after the year 9999.
 */
export function readTime(value: unknown): Date | undefined {
  const timeMs = typeof value === "string" ? parseRequestTime(value) : undefined;
  return timeMs === undefined || timeMs < earliestMs || timeMs > latestMs ? undefined : new Date(timeMs);
}

const earliestMs = Date.UTC(2000, 0, 1);
const latestMs = Date.UTC(2200, 0, 1);

/**
 * `readText` returns a text that can be stored and shown. PostgreSQL cannot store NUL, so it would make every
 * settlement fail.
 */
export function readText(value: unknown): string | undefined {
  const isText = typeof value === "string" && value.length > 0 && value.length <= 2048;
  return isText && value.isWellFormed() && !value.includes("\0") ? value : undefined;
}

/** `isPresent` returns whether an optional field of a report is present. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** `isSequence` checks a `sequence`: the version of a state, by which stale reports are recognised. */
export function isSequence(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value < 2 ** 31;
}
