import assert from "node:assert/strict";
import { test } from "node:test";
import { adviseRevocation, type MerchantKey } from "./key-use.ts";

const now = new Date("2026-11-15T12:00:00Z");
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
const longAgo = hoursAgo(1_000);

/** A key that was last used this number of hours ago. */
function key(version: number, usedHoursAgo?: number, overrides: Partial<MerchantKey> = {}): MerchantKey {
  const lastUsedAt = usedHoursAgo === undefined ? undefined : hoursAgo(usedHoursAgo);
  return { version, createdAt: longAgo, revokedAt: undefined, requests: 1, lastUsedAt, ...overrides };
}

const revoked = { revokedAt: hoursAgo(1) };

for (const [description, [first, ...others], countedSince, isSafeToRevoke, reason] of [
  [
    "has rested for a day while another worked",
    [key(1, 24), key(2, 0)],
    longAgo,
    true,
    /nothing for 24 hours, and version 2 did/,
  ],
  ["was never used while another worked", [key(1), key(2, 0)], longAgo, true, /nothing for 24 hours/],
  [
    "worked a moment less than a day ago",
    [key(1, 23.999), key(2, 0)],
    longAgo,
    false,
    /It signed a request within/,
  ],
  ["is the only one", [key(1, 30)], longAgo, false, /the only key/],
  ["is the only one that is not revoked", [key(1, 30), key(2, 0, revoked)], longAgo, false, /the only key/],
  ["rests like all the others", [key(1, 30), key(2, 24), key(3)], longAgo, false, /No other key/],
  [
    "rests while only a revoked one worked",
    [key(1, 30), key(2, 0, revoked), key(3)],
    longAgo,
    false,
    /No other key/,
  ],
  ["was counted for less than a day", [key(1), key(2, 0)], hoursAgo(23.999), false, /less than 24 hours/],
  ["was counted for a day", [key(1), key(2, 0)], hoursAgo(24), true, /nothing for 24 hours/],
  ["is revoked already", [key(1, 30, revoked), key(2, 0)], longAgo, false, /It is revoked/],
] as const) {
  test(`a key that ${description} is ${isSafeToRevoke ? "" : "not "}safe to revoke`, () => {
    const light = adviseRevocation(first, { merchantKeys: [first, ...others], countedSince, now });
    assert.equal(light.isSafeToRevoke, isSafeToRevoke);
    assert.match(light.reason, reason);
  });
}
