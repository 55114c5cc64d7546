import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleAuthorization } from "../../test/examples/example-authorization.ts";
import { buildAuthorizationNotification } from "./authorization-notification.ts";
import { nextFollowStep, nextAuthorizationPollAt, type Authorization } from "./authorization.ts";
import { isRepeatable, checkTokenPayment, checkRefresh, tokenStatusOf, type Token } from "./token.ts";

const now = new Date("2026-11-15T09:30:00Z");
const later = (ms: number): Date => new Date(now.getTime() + ms);
const minuteMs = 60_000;

const requestedAuthorization = exampleAuthorization;
const agreed: Authorization = {
  ...requestedAuthorization,
  status: "AGREED",
  expiresAt: later(10 * minuteMs),
};
const active: Authorization = {
  ...requestedAuthorization,
  status: "ACTIVE",
  expiresAt: later(365 * 24 * 60 * minuteMs),
};

const token: Token = {
  bucket: 1,
  clientId: "SANDBOX_COFFEE",
  tokenId: "20261115093000123000110000000000000",
  customerBelongsTo: "GCASH",
  connector: "w",
  account: undefined,
  credentialHash: new Uint8Array(),
  sealedCredential: undefined,
  authorizationId: requestedAuthorization.authorizationId,
  status: "ISSUED",
  resultCode: undefined,
  issued: {
    accessHash: new Uint8Array(),
    refreshHash: new Uint8Array(),
    accessExpiresAt: later(30 * 24 * 60 * minuteMs),
    refreshExpiresAt: later(365 * 24 * 60 * minuteMs),
    issuedAt: now,
    sealedPair: new Uint8Array(),
  },
  createdAt: now,
  usedAt: undefined,
  replacedAt: undefined,
};

test("an authorization is sent, polled, left alone while active, and revoked at the provider until confirmed", () => {
  assert.equal(nextFollowStep({ ...requestedAuthorization, acceptedAt: undefined }, now), "send");
  assert.equal(nextFollowStep(requestedAuthorization, now), "ask");
  assert.equal(nextFollowStep(agreed, now), "wait");
  assert.equal(nextFollowStep(active, now), "wait");
  assert.equal(nextFollowStep({ ...active, status: "REVOKED" }, now), "revoke");
  assert.equal(nextFollowStep({ ...active, status: "EXPIRED" }, now), "revoke");
  assert.equal(nextFollowStep({ ...active, status: "REVOKED", providerNotifiedAt: now }, now), "nothing");
  assert.equal(nextFollowStep({ ...active, status: "CANCELED" }, now), "nothing");
  // An expired consent is not sent to the provider, and its revoke is retried for one hour.
  assert.equal(
    nextFollowStep({ ...requestedAuthorization, acceptedAt: undefined, expiresAt: now }, now),
    "ask",
  );
  assert.equal(
    nextFollowStep({ ...requestedAuthorization, status: "EXPIRED", expiresAt: later(-59 * minuteMs) }, now),
    "revoke",
  );
  assert.equal(
    nextFollowStep({ ...requestedAuthorization, status: "EXPIRED", expiresAt: later(-60 * minuteMs) }, now),
    "nothing",
  );
});

test("an open consent page is polled with backoff and at its expiry; a token only at its expiry", () => {
  assert.equal(nextAuthorizationPollAt(requestedAuthorization, 0, now).getTime() - now.getTime(), 30_000);
  assert.equal(nextAuthorizationPollAt(requestedAuthorization, 99, now).getTime() - now.getTime(), 240_000);
  const soon = { ...requestedAuthorization, expiresAt: later(5_000) };
  assert.deepEqual(nextAuthorizationPollAt(soon, 3, now), soon.expiresAt);
  assert.ok(nextAuthorizationPollAt(active, 0, now) > active.expiresAt);
});

test("a repeated code returns the same pair until the pair is used, for at most ten minutes", () => {
  assert.ok(isRepeatable(token, later(10 * minuteMs - 1)));
  assert.ok(!isRepeatable(token, later(10 * minuteMs)));
  assert.ok(!isRepeatable({ ...token, usedAt: now }, now));
  assert.ok(!isRepeatable({ ...token, status: "RETIRED" }, now));
});

const consented = { token, authorization: active };
const refusalCases: readonly (readonly [string, typeof consented, Date, string | undefined])[] = [
  ["a token before its expiry", consented, now, "ACTIVE"],
  ["a token at its expiry", consented, later(30 * 24 * 60 * minuteMs), "EXPIRED"],
  ["a token that was replaced nine minutes ago", replaced(9), now, "ACTIVE"],
  ["a token that was replaced ten minutes ago", replaced(10), now, undefined],
  ["a retired token", { ...consented, token: { ...token, status: "RETIRED" } }, now, undefined],
  [
    "a token that the merchant revoked",
    { ...consented, authorization: { ...active, status: "REVOKED" } },
    now,
    "REVOKED",
  ],
  [
    "a token that the buyer cancelled",
    { ...consented, authorization: { ...active, status: "CANCELED" } },
    now,
    "CANCELED",
  ],
];
for (const [name, each, at, expected] of refusalCases) {
  test(`${name} is ${expected ?? "no token any more"}`, () =>
    assert.equal(tokenStatusOf(each, at), expected));
}

function replaced(minutesAgo: number): typeof consented {
  return { ...consented, token: { ...token, replacedAt: later(-minutesAgo * minuteMs) } };
}

test("a token pays only with its own payment method, before its expiry, within its scopes", () => {
  const reading = { ...consented, authorization: { ...active, scopes: ["USER_INFO"] } };
  const revoked = { ...consented, authorization: { ...active, status: "REVOKED" } } as const;
  assert.equal(checkTokenPayment(consented, "GCASH", now), undefined);
  assert.equal(checkTokenPayment(undefined, "GCASH", now), "INVALID_ACCESS_TOKEN");
  assert.equal(checkTokenPayment(consented, "DANA", now), "INVALID_ACCESS_TOKEN");
  assert.equal(checkTokenPayment(replaced(10), "GCASH", now), "INVALID_ACCESS_TOKEN");
  assert.equal(checkTokenPayment(consented, "GCASH", later(31 * 24 * 60 * minuteMs)), "EXPIRED_ACCESS_TOKEN");
  assert.equal(checkTokenPayment(revoked, "GCASH", now), "AUTHORIZATION_NOT_EXIST");
  assert.equal(checkTokenPayment(reading, "GCASH", now), "AUTHORIZATION_NOT_EXIST");
});

test("a refresh token is valid once, for its own payment method, for one year", () => {
  const year = later(365 * 24 * 60 * minuteMs);
  assert.equal(checkRefresh(consented, "GCASH", later(364 * 24 * 60 * minuteMs)), undefined);
  assert.equal(checkRefresh(consented, "GCASH", year), "INVALID_REFRESH_TOKEN");
  assert.equal(checkRefresh(consented, "DANA", now), "INVALID_REFRESH_TOKEN");
  assert.equal(checkRefresh(replaced(1), "GCASH", now), "INVALID_REFRESH_TOKEN");
  assert.equal(checkRefresh(undefined, "GCASH", now), "INVALID_REFRESH_TOKEN");
});

test("the webhook about the end of a token has no authState", () => {
  const read = (body: Buffer): unknown => JSON.parse(body.toString("utf8"));
  const ended = { authorizationNotifyType: "TOKEN_CANCELED", accessToken: "t" } as const;
  assert.deepEqual(read(buildAuthorizationNotification(active, ended)), {
    ...ended,
    result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
    sequence: 1,
  });
  const created = { authorizationNotifyType: "AUTHCODE_CREATED", authCode: "c" } as const;
  const body = read(buildAuthorizationNotification({ ...agreed, authClientId: "a" }, created));
  assert.partialDeepStrictEqual(body, { authState: "link-1", authClientId: "a", authCode: "c" });
});
