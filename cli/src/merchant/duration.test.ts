import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration, formatDuration } from "./duration.ts";

test("durations are read in the usual forms", () => {
  const written: Readonly<Record<string, number | undefined>> = {
    "30s": 30,
    "+15m": 900,
    "2h": 7_200,
    "1d12h": 129_600,
    "3w": 1_814_400,
    "15": undefined,
    "-15m": undefined,
    "15 m": undefined,
    m: undefined,
    "": undefined,
  };
  for (const [text, seconds] of Object.entries(written)) assert.equal(parseDuration(text), seconds, text);
});

test("durations are printed with their two largest units", () => {
  assert.equal(formatDuration(0), "0 s");
  assert.equal(formatDuration(90), "1 m 30 s");
  assert.equal(formatDuration(8 * 86_400 + 3_600 + 5), "8 d 1 h");
});
