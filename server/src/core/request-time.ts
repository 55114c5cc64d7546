/**
 * The moment in a `request-time` header, in milliseconds since 1970, or undefined if it is malformed. The published
 * client libraries write either 13 digits of milliseconds, or ISO 8601 with a zone.
 */
export function parseRequestTime(text: string): number | undefined {
  if (text.length === 13) return numberAt(text, 0, 13);
  return parseIsoTime(text);
}

/** The form of every time that the gateway sends: whole seconds and a numeric offset, never `Z`. */
export function formatWireTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  if (second !== lastSecond) {
    lastText = wireTimeOfSecond(second);
    lastSecond = second;
  }
  return lastText;
}

// Cache of the last formatted second: a busy gateway formats the same second thousands of times.
let lastSecond = Number.NaN;
let lastText = "";

function wireTimeOfSecond(second: number): string {
  const text = new Date(second * 1000).toISOString();
  if (text.length !== "2026-01-01T00:00:00.000Z".length) {
    throw new RangeError(`The wire form has four digits for a year, so it cannot carry ${text}.`);
  }
  return `${text.slice(0, 19)}+00:00`;
}

const fractionDigitsMax = 9;
const offsetMinutesMax = 14 * 60;

/** `parseIsoTime` parses `yyyy-MM-ddTHH:mm:ss`, a fraction of 1 to 9 digits or none, then `Z`, `±hh:mm` or `±hhmm`. */
function parseIsoTime(text: string): number | undefined {
  const days = parseDate(text);
  const seconds = parseTimeOfDay(text);
  if (days === undefined || seconds === undefined) return undefined;

  const zoneAt = text[19] === "." ? afterDigits(text, 20) : 19;
  const fractionDigits = zoneAt - 20;
  if (fractionDigits === 0 || fractionDigits > fractionDigitsMax) return undefined;
  const offsetMinutes = parseOffset(text, zoneAt);
  if (offsetMinutes === undefined) return undefined;

  const milliseconds = fractionDigits > 0 ? Number(text.slice(20, Math.min(zoneAt, 23)).padEnd(3, "0")) : 0;
  return (days * 86_400 + seconds - offsetMinutes * 60) * 1000 + milliseconds;
}

/** Days from 1970 to the date at the start of the text. */
function parseDate(text: string): number | undefined {
  const year = numberAt(text, 0, 4);
  const month = numberAt(text, 5, 2);
  const day = numberAt(text, 8, 2);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (text[4] !== "-" || text[7] !== "-" || text[10] !== "T") return undefined;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return daysBeforeYear(year) + daysBeforeMonth(year, month) + day - 1 - daysBefore1970;
}

/** Seconds since midnight. Leap seconds are rejected: milliseconds since 1970 do not count them. */
function parseTimeOfDay(text: string): number | undefined {
  const hour = numberAt(text, 11, 2);
  const minute = numberAt(text, 14, 2);
  const second = numberAt(text, 17, 2);
  if (hour === undefined || minute === undefined || second === undefined) return undefined;
  if (text[13] !== ":" || text[16] !== ":") return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return hour * 3600 + minute * 60 + second;
}

/** Parses a time zone to minutes east of UTC. The zone must be the rest of the text. */
function parseOffset(text: string, at: number): number | undefined {
  const sign = text[at];
  if (sign === "Z") return text.length === at + 1 ? 0 : undefined;
  if (sign !== "+" && sign !== "-") return undefined;
  const minuteAt = text[at + 3] === ":" ? at + 4 : at + 3;
  const hours = numberAt(text, at + 1, 2);
  const minutes = numberAt(text, minuteAt, 2);
  if (hours === undefined || minutes === undefined || text.length !== minuteAt + 2) return undefined;
  const offsetMinutes = hours * 60 + minutes;
  if (minutes > 59 || offsetMinutes > offsetMinutesMax) return undefined;
  return sign === "+" ? offsetMinutes : -offsetMinutes;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const daysBeforeMonthOfCommonYear = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;

function daysBeforeMonth(year: number, month: number): number {
  const days = daysBeforeMonthOfCommonYear[month - 1] ?? 0;
  return month > 2 && isLeapYear(year) ? days + 1 : days;
}

/** Days from the first day of year 0 to the first day of `year`; year 0 is a leap year. */
function daysBeforeYear(year: number): number {
  return year * 365 + Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400);
}

const daysBefore1970 = daysBeforeYear(1970);

/** The number in exactly this number of digits, or undefined if one character is not a digit. */
function numberAt(text: string, start: number, digits: number): number | undefined {
  let number = 0;
  for (let at = start; at < start + digits; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

function afterDigits(text: string, start: number): number {
  let at = start;
  while (numberAt(text, at, 1) !== undefined) at += 1;
  return at;
}

/**
 * `parseExpiry` parses an expiry to milliseconds since 1970; undefined if it is malformed. A merchant's system computes
 * an expiry with the real clock, although its test clock in the sandbox may be ahead; then the expiry would be in the
 * past. Such a time is moved ahead by the offset of the test clock.
 */
export function parseExpiry(text: string, now: Date, aheadMs: number): number | undefined {
  const ms = parseRequestTime(text);
  if (ms === undefined) return undefined;
  const isByRealClock = ms <= now.getTime() && ms > now.getTime() - aheadMs;
  return isByRealClock ? ms + aheadMs : ms;
}
