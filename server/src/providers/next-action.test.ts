import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOrigin, readNextAction } from "./next-action.ts";

const url = "https://wallet.example/pay/8KQ2";
const appUrl = "wallet://pay/8KQ2";
const expiryTime = "2026-11-15T10:01:00+00:00";
const expiresAt = new Date("2026-11-15T10:01:00Z");
const longest = "x".repeat(4096);

const readable: readonly (readonly [object, object])[] = [
  [
    { type: "REDIRECT", url },
    { type: "REDIRECT", url },
  ],
  [
    { type: "APP", appUrl },
    { type: "APP", appUrl },
  ],
  [
    { type: "APP", appUrl, url },
    { type: "APP", appUrl, url },
  ],
  [
    { type: "QR_CODE", code: "8KQ2" },
    { type: "QR_CODE", code: "8KQ2" },
  ],
  [
    { type: "QR_CODE", code: "8KQ2", url, expiryTime },
    { type: "QR_CODE", code: "8KQ2", url, expiresAt },
  ],
  [
    { type: "IN_PAGE", frameUrl: url },
    { type: "IN_PAGE", frameUrl: url },
  ],
  [
    { type: "IN_PAGE", frameUrl: url, clientData: longest },
    { type: "IN_PAGE", frameUrl: url, clientData: longest },
  ],
  [{ type: "WAIT" }, { type: "WAIT" }],
  [
    { type: "WAIT", expiryTime },
    { type: "WAIT", expiresAt },
  ],
  // Unknown fields, and fields of another type, are ignored.
  [
    { type: "REDIRECT", url, code: "8KQ2", more: 1 },
    { type: "REDIRECT", url },
  ],
];
for (const [value, action] of readable)
  test(`the next action ${JSON.stringify(value).slice(0, 100)} is read`, () => {
    assert.deepEqual(readNextAction(value), action);
  });

const unreadable: readonly unknown[] = [
  undefined,
  null,
  "REDIRECT",
  {},
  { type: "FAX", url },
  { type: "REDIRECT" },
  { type: "REDIRECT", url: "pay/8KQ2" },
  { type: "APP", url },
  { type: "APP", appUrl, url: 7 },
  { type: "QR_CODE", url },
  { type: "QR_CODE", code: "8KQ2\0" },
  { type: "QR_CODE", code: "8KQ2", expiryTime: "soon" },
  { type: "IN_PAGE", clientData: "secret" },
  { type: "IN_PAGE", frameUrl: "http://wallet.example/pay" },
  { type: "IN_PAGE", frameUrl: "javascript:alert(1)" },
  { type: "IN_PAGE", frameUrl: url, clientData: `${longest}x` },
  { type: "IN_PAGE", frameUrl: url, clientData: "line\nbreak" },
  { type: "WAIT", expiryTime: 1763200860 },
];
for (const value of unreadable)
  test(`the next action ${JSON.stringify(value)?.slice(0, 100)} is not used`, () => {
    assert.equal(readNextAction(value), undefined);
  });

test("only a secure page, or a page of this machine, may be in a frame", () => {
  assert.equal(frameOrigin("https://fields.example:8443/pay/1?a=b"), "https://fields.example:8443");
  assert.equal(frameOrigin("http://127.0.0.1:8491/pay/1"), "http://127.0.0.1:8491");
  assert.equal(frameOrigin("http://127.0.0.1.fields.example/pay/1"), undefined);
  assert.equal(frameOrigin("http://fields.example/pay/1"), undefined);
});
