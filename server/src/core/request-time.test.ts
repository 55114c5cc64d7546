import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseRequestTime, formatWireTime } from "./request-time.ts";

const noon = Date.UTC(2026, 10, 15, 12, 0, 0);

const accepted: readonly (readonly [text: string, epochMs: number])[] = [
  [String(noon), noon],
  ["0000000000000", 0],
  ["9999999999999", 9_999_999_999_999],
  ["2026-11-15T12:00:00Z", noon],
  ["2026-11-15T12:00:00+00:00", noon],
  ["2026-11-15T12:00:00-00:00", noon],
  ["2026-11-15T20:00:00+08:00", noon],
  ["2026-11-15T20:00:00+0800", noon],
  ["2026-11-15T08:30:00-0330", noon],
  ["2026-11-16T02:00:00+14:00", noon],
  ["2026-11-14T22:00:00-14:00", noon],
  ["2026-11-15T12:00:00.5Z", noon + 500],
  ["2026-11-15T12:00:00.05Z", noon + 50],
  ["2026-11-15T12:00:00.123Z", noon + 123],
  ["2026-11-15T12:00:00.1239+00:00", noon + 123],
  ["2026-11-15T20:00:00.999999999+0800", noon + 999],
  ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
  ["2000-02-29T00:00:00Z", Date.UTC(2000, 1, 29)],
  ["2024-03-01T00:00:00Z", Date.UTC(2024, 2, 1)],
  ["2026-12-31T23:59:59Z", Date.UTC(2026, 11, 31, 23, 59, 59)],
  ["1969-12-31T23:59:59.250Z", -750],
  ["0000-01-01T00:00:00Z", Date.parse("0000-01-01T00:00:00Z")],
  ["9999-12-31T23:59:59Z", Date.parse("9999-12-31T23:59:59Z")],
];

for (const [text, epochMs] of accepted) {
  test(`${text} is a request time`, () => assert.equal(parseRequestTime(text), epochMs));
}

const rejectedTimes: readonly (readonly [why: string, text: string])[] = [
  ["it is empty", ""],
  ["it has 12 digits", "176317440000"],
  ["it has 14 digits", "17631744000000"],
  ["it counts seconds", "1763174400"],
  ["it has a sign", "-176317440000"],
  ["it has a fraction", "1763174400.12"],
  ["its digits are not ASCII", "１７６３１７４４０００００"],
  ["it has no zone", "2026-11-15T12:00:00"],
  ["it has no seconds", "2026-11-15T12:00Z"],
  ["it has no time", "2026-11-15"],
  ["a space instead of T", "2026-11-15 12:00:00Z"],
  ["the T is lower case", "2026-11-15t12:00:00Z"],
  ["the Z is lower case", "2026-11-15T12:00:00z"],
  ["it uses slashes for the month", "2026/11-15T12:00:00Z"],
  ["it uses slashes for the day", "2026-11/15T12:00:00Z"],
  ["it uses a point before the minutes", "2026-11-15T12.00:00Z"],
  ["it uses a point before the seconds", "2026-11-15T12:00.00Z"],
  ["the year has letters", "202x-11-15T12:00:00Z"],
  ["the month has a sign", "2026-+1-15T12:00:00Z"],
  ["the day has a space", "2026-11- 5T12:00:00Z"],
  ["the hour has a letter", "2026-11-15T1x:00:00Z"],
  ["the minute has a letter", "2026-11-15T12:x0:00Z"],
  ["the second has a letter", "2026-11-15T12:00:0xZ"],
  ["the second has a colon", "2026-11-15T12:00:0:Z"],
  ["there is a month 0", "2026-00-15T12:00:00Z"],
  ["there is a month 13", "2026-13-15T12:00:00Z"],
  ["there is a day 0", "2026-11-00T12:00:00Z"],
  ["there is a 30 February", "2024-02-30T12:00:00Z"],
  ["there is a 29 February in a common year", "2026-02-29T12:00:00Z"],
  ["there is a 29 February in a common century", "2100-02-29T12:00:00Z"],
  ["there is a 31 April", "2026-04-31T12:00:00Z"],
  ["there is a 31 June", "2026-06-31T12:00:00Z"],
  ["there is a 31 September", "2026-09-31T12:00:00Z"],
  ["there is a 31 November", "2026-11-31T12:00:00Z"],
  ["there is a 32 December", "2026-12-32T12:00:00Z"],
  ["there is an hour 24", "2026-11-15T24:00:00Z"],
  ["there is a minute 60", "2026-11-15T12:60:00Z"],
  ["there is a leap second", "2026-12-31T23:59:60Z"],
  ["the fraction is empty", "2026-11-15T12:00:00.Z"],
  ["the fraction starts with a letter", "2026-11-15T12:00:00.x12Z"],
  ["the fraction has ten digits", "2026-11-15T12:00:00.1234567890Z"],
  ["the fraction follows a comma", "2026-11-15T12:00:00,123Z"],
  ["the zone is a name", "2026-11-15T12:00:00UTC"],
  ["the zone has hours only", "2026-11-15T12:00:00+08"],
  ["the zone has three digits", "2026-11-15T12:00:00+080"],
  ["the zone's minutes are cut short", "2026-11-15T12:00:00+08:0"],
  ["the zone's hours have a letter", "2026-11-15T12:00:00+0x:00"],
  ["the zone's minutes have a letter", "2026-11-15T12:00:00+08:x0"],
  ["the zone has minute 60", "2026-11-15T12:00:00+08:60"],
  ["the zone is beyond 14:00", "2026-11-15T12:00:00+14:01"],
  ["the zone is beyond -14:00", "2026-11-15T12:00:00-15:00"],
  ["the zone has seconds", "2026-11-15T12:00:00+08:00:00"],
  ["something follows Z", "2026-11-15T12:00:00Z "],
  ["something follows the offset", "2026-11-15T12:00:00+0800Z"],
  ["something precedes it", " 2026-11-15T12:00:00Z"],
  ["the year has five digits", "12026-11-15T12:00:00Z"],
  ["the year has a sign", "+002026-11-15T12:00:00Z"],
];

for (const [why, text] of rejectedTimes) {
  test(`"${text}" is no request time: ${why}`, () => assert.equal(parseRequestTime(text), undefined));
}

/** All moments with a four-digit year, in any zone. */
const anyMoment = fc.integer({
  min: Date.parse("0000-01-02T00:00:00Z"),
  max: Date.parse("9999-12-30T23:59:59Z"),
});

test("each form that the client libraries write is parsed to the same moment", () => {
  fc.assert(
    fc.property(
      anyMoment,
      fc.integer({ min: -840, max: 840 }),
      fc.stringMatching(/^[0-9]{0,6}$/),
      (moment, east, finer) => {
        const local = new Date(moment + east * 60_000).toISOString().slice(0, -1);
        const hours = String(Math.floor(Math.abs(east) / 60)).padStart(2, "0");
        const minutes = String(Math.abs(east) % 60).padStart(2, "0");
        const sign = east < 0 ? "-" : "+";

        assert.equal(parseRequestTime(new Date(moment).toISOString()), moment);
        assert.equal(parseRequestTime(`${local}${finer}${sign}${hours}:${minutes}`), moment);
        assert.equal(parseRequestTime(`${local}${finer}${sign}${hours}${minutes}`), moment);
      },
    ),
    { numRuns: 2000 },
  );
});

test("a date is accepted exactly if it exists in the calendar", () => {
  const twoDigits = fc.nat({ max: 99 }).map((number) => String(number).padStart(2, "0"));
  const year = fc.nat({ max: 9999 }).map((number) => String(number).padStart(4, "0"));
  fc.assert(
    fc.property(year, fc.nat({ max: 14 }), fc.nat({ max: 33 }), twoDigits, (yyyy, month, day, minute) => {
      const date = `${yyyy}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
      const moment = new Date(`${date}T10:${minute}:00.000Z`);
      // `Date` turns 30 February into a day in March. It formats only an existing date back unchanged.
      const exists =
        !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(`${date}T10:${minute}`);
      assert.equal(parseRequestTime(`${date}T10:${minute}:00Z`), exists ? moment.getTime() : undefined);
    }),
    { numRuns: 5000 },
  );
});

test("any text is rejected, or parsed to a moment that Date knows", () => {
  const nearlyTime = fc.stringMatching(
    /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9].{0,8}$/,
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), nearlyTime), (text) => {
      const moment = parseRequestTime(text);
      if (moment === undefined || text.length === 13) return;
      assert.equal(moment, Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, "$1:$2")));
    }),
    { numRuns: 3000 },
  );
});

const wireTimes: readonly (readonly [epochMs: number, text: string])[] = [
  [noon, "2026-11-15T12:00:00+00:00"],
  [noon + 999, "2026-11-15T12:00:00+00:00"],
  [noon + 1000, "2026-11-15T12:00:01+00:00"],
  [noon + 0.5, "2026-11-15T12:00:00+00:00"],
  [0, "1970-01-01T00:00:00+00:00"],
  [-1, "1969-12-31T23:59:59+00:00"],
  [Date.parse("0000-01-01T00:00:00Z"), "0000-01-01T00:00:00+00:00"],
  [Date.parse("9999-12-31T23:59:59.999Z"), "9999-12-31T23:59:59+00:00"],
];

for (const [epochMs, text] of wireTimes) {
  test(`${epochMs} goes out as ${text}`, () => assert.equal(formatWireTime(epochMs), text));
}

test("every sent time is the second of its moment, in whatever order times are formatted", () => {
  fc.assert(
    fc.property(fc.array(anyMoment), fc.nat({ max: 2000 }), (moments, laterMs) => {
      for (const moment of moments.flatMap((first) => [first, first + laterMs, first])) {
        assert.match(formatWireTime(moment), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
        assert.equal(parseRequestTime(formatWireTime(moment)), Math.floor(moment / 1000) * 1000);
      }
    }),
  );
});

test("a time that the wire form cannot carry throws, also the second time", () => {
  for (const epochMs of [
    Number.NaN,
    Infinity,
    Date.parse("9999-12-31T23:59:59Z") + 1000,
    Date.parse("0000-01-01T00:00:00Z") - 1,
  ]) {
    assert.throws(() => formatWireTime(epochMs), RangeError);
    assert.throws(() => formatWireTime(epochMs), RangeError);
  }
});
