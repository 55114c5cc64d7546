import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mayBecome, statesOf } from "../core/lifecycle.ts";
import type { AuthorizationReport } from "../wallets/wallet.ts";
import { authorizationNotificationBody } from "./authorization-notification.ts";
import {
  authorizationLifecycle,
  decideAuthorization,
  followStep,
  nextAuthorizationLookAt,
  type Authorization,
  type AuthorizationDecision,
  type AuthorizationStatus,
} from "./authorization.ts";
import { isRepeatable, payRefusal, refreshRefusal, tokenStatusOf, type Token } from "./token.ts";

const now = new Date("2026-11-15T09:30:00Z");
const later = (ms: number): Date => new Date(now.getTime() + ms);
const minuteMs = 60_000;

const asked: Authorization = {
  bucket: 1,
  clientId: "SANDBOX_COFFEE",
  authorizationId: "20261115093000123000104000000000000",
  authState: "link-1",
  authClientId: undefined,
  customerBelongsTo: "GCASH",
  scopes: ["AGREEMENT_PAY"],
  redirectUrl: "https://shop.example/linked",
  notifyUrl: undefined,
  fingerprint: new Uint8Array(),
  wallet: "w",
  reference: "r",
  walletUrl: "https://wallet.example/authorize/1",
  acceptedAt: now,
  status: "ASKED",
  resultCode: undefined,
  expiresAt: later(30 * minuteMs),
  sealedAgreement: undefined,
  userLoginId: undefined,
  walletToldAt: undefined,
  sequence: 1,
  createdAt: now,
};
const agreed: Authorization = { ...asked, status: "AGREED", expiresAt: later(10 * minuteMs) };
const active: Authorization = { ...asked, status: "ACTIVE", expiresAt: later(365 * 24 * 60 * minuteMs) };

const token: Token = {
  bucket: 1,
  clientId: "SANDBOX_COFFEE",
  tokenId: "20261115093000123000110000000000000",
  customerBelongsTo: "GCASH",
  wallet: "w",
  givenHash: new Uint8Array(),
  sealedGiven: undefined,
  authorizationId: asked.authorizationId,
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

/** What a decision comes to, in one line of a table. */
function inShort(decision: AuthorizationDecision): string {
  if (decision.kind !== "moved") return decision.kind;
  const { status, resultCode } = decision.change;
  return resultCode ? `${status} ${resultCode}` : status;
}

const open: AuthorizationReport = { state: "OPEN", url: "https://wallet.example/authorize/1" };
const yes: AuthorizationReport = { state: "AGREED", url: undefined, authCode: "c" };
const canceled: AuthorizationReport = { state: "CANCELED", reason: "Too dear." };

const decisions: readonly (readonly [string, Authorization, AuthorizationReport | undefined, string])[] = [
  ["a page that stands is shown", { ...asked, acceptedAt: undefined }, open, "accepted"],
  ["a page that stood before is no news", asked, open, "nothing"],
  ["a page that nobody agreed on in time", { ...asked, expiresAt: now }, open, "EXPIRED"],
  ["a consent that the wallet has lost, in time", asked, { state: "NOT_FOUND" }, "nothing"],
  ["a buyer who agrees", asked, yes, "AGREED"],
  ["a buyer who agrees in the last moment", { ...asked, expiresAt: now }, yes, "AGREED"],
  ["agreed, and told again", agreed, yes, "nothing"],
  ["agreed, and told again when there is a token", active, yes, "nothing"],
  ["a buyer who declines", asked, { state: "DECLINED" }, "DECLINED AUTH_CANCELLED"],
  ["a wallet without agreements", asked, { state: "NOT_SUPPORTED" }, "DECLINED PAYMENT_METHOD_NOT_SUPPORTED"],
  ["a code that nobody exchanged", { ...agreed, expiresAt: later(-30_000) }, undefined, "EXPIRED"],
  ["a code whose time has just come", { ...agreed, expiresAt: now }, undefined, "nothing"],
  [
    "a page of a silent wallet that is just over",
    { ...asked, expiresAt: later(-29_999) },
    undefined,
    "nothing",
  ],
  [
    "a page of a wallet that is silent for ever",
    { ...asked, expiresAt: later(-30_000) },
    undefined,
    "EXPIRED",
  ],
  ["a buyer who cancels before there is a token", agreed, canceled, "CANCELED"],
  ["a buyer who cancels", active, canceled, "CANCELED"],
  ["a buyer who cancels what was revoked", { ...active, status: "REVOKED" }, canceled, "told"],
  ["a wallet that has heard of a revocation", { ...active, status: "REVOKED" }, { state: "REVOKED" }, "told"],
  ["a buyer who agrees too late", { ...asked, status: "EXPIRED" }, yes, "nothing"],
  ["a buyer who agrees after declining", { ...asked, status: "DECLINED" }, yes, "nothing"],
];
for (const [name, authorization, report, expected] of decisions) {
  test(`${name}: ${expected}`, () => {
    assert.equal(inShort(decideAuthorization(authorization, report, now)), expected);
  });
}

test("whatever a wallet says and whenever, an authorization moves as its lifecycle allows, or stays", () => {
  const statuses = statesOf<AuthorizationStatus>(authorizationLifecycle);
  const reports: readonly (AuthorizationReport | undefined)[] = [
    undefined,
    open,
    yes,
    canceled,
    ...(["ACTIVE", "DECLINED", "REVOKED", "NOT_SUPPORTED", "NOT_FOUND"] as const).map((state) => ({ state })),
  ];
  const any = fc.tuple(
    fc.constantFrom(...statuses),
    fc.constantFrom(...reports),
    fc.integer({ min: -1e12, max: 1e12 }),
  );
  fc.assert(
    fc.property(any, ([status, report, ms]) => {
      const decision = decideAuthorization({ ...asked, status }, report, later(ms));
      const isAllowed =
        decision.kind !== "moved" ||
        mayBecome<AuthorizationStatus>(authorizationLifecycle, status, decision.change.status);
      assert.ok(isAllowed);
    }),
  );
});

test("it is handed over, asked after, left alone, and at its end told to the wallet until that has heard", () => {
  assert.equal(followStep({ ...asked, acceptedAt: undefined }, now), "send");
  assert.equal(followStep(asked, now), "ask");
  assert.equal(followStep(agreed, now), "wait");
  assert.equal(followStep(active, now), "wait");
  assert.equal(followStep({ ...active, status: "REVOKED" }, now), "revoke");
  assert.equal(followStep({ ...active, status: "EXPIRED" }, now), "revoke");
  assert.equal(followStep({ ...active, status: "REVOKED", walletToldAt: now }, now), "nothing");
  assert.equal(followStep({ ...active, status: "CANCELED" }, now), "nothing");
  // An expired consent is not sent, and revoking it is not retried for ever.
  assert.equal(followStep({ ...asked, acceptedAt: undefined, expiresAt: now }, now), "ask");
  assert.equal(followStep({ ...asked, status: "EXPIRED", expiresAt: later(-59 * minuteMs) }, now), "revoke");
  assert.equal(followStep({ ...asked, status: "EXPIRED", expiresAt: later(-60 * minuteMs) }, now), "nothing");
});

test("an open page is looked at in growing gaps, and at its end; a token only at its end", () => {
  assert.equal(nextAuthorizationLookAt(asked, 0, now).getTime() - now.getTime(), 30_000);
  assert.equal(nextAuthorizationLookAt(asked, 99, now).getTime() - now.getTime(), 240_000);
  const soon = { ...asked, expiresAt: later(5_000) };
  assert.deepEqual(nextAuthorizationLookAt(soon, 3, now), soon.expiresAt);
  assert.ok(nextAuthorizationLookAt(active, 0, now) > active.expiresAt);
});

test("the same code is answered with the same pair until that is used, at most ten minutes", () => {
  assert.ok(isRepeatable(token, later(10 * minuteMs - 1)));
  assert.ok(!isRepeatable(token, later(10 * minuteMs)));
  assert.ok(!isRepeatable({ ...token, usedAt: now }, now));
  assert.ok(!isRepeatable({ ...token, status: "RETIRED" }, now));
});

const held = { token, authorization: active };
const standings: readonly (readonly [string, typeof held, Date, string | undefined])[] = [
  ["a token in its time", held, now, "ACTIVE"],
  ["a token at the end of its time", held, later(30 * 24 * 60 * minuteMs), "EXPIRED"],
  ["one that was replaced nine minutes ago", replaced(9), now, "ACTIVE"],
  ["one that was replaced ten minutes ago", replaced(10), now, undefined],
  ["one that has retired", { ...held, token: { ...token, status: "RETIRED" } }, now, undefined],
  [
    "one that the merchant has ended",
    { ...held, authorization: { ...active, status: "REVOKED" } },
    now,
    "REVOKED",
  ],
  [
    "one that the buyer has ended",
    { ...held, authorization: { ...active, status: "CANCELED" } },
    now,
    "CANCELED",
  ],
];
for (const [name, each, at, expected] of standings) {
  test(`${name} is ${expected ?? "no token any more"}`, () =>
    assert.equal(tokenStatusOf(each, at), expected));
}

function replaced(minutesAgo: number): typeof held {
  return { ...held, token: { ...token, replacedAt: later(-minutesAgo * minuteMs) } };
}

test("a token pays with its own wallet, in its time, and only what the buyer agreed to", () => {
  const reading = { ...held, authorization: { ...active, scopes: ["USER_INFO"] } };
  const revoked = { ...held, authorization: { ...active, status: "REVOKED" } } as const;
  assert.equal(payRefusal(held, "GCASH", now), undefined);
  assert.equal(payRefusal(undefined, "GCASH", now), "INVALID_ACCESS_TOKEN");
  assert.equal(payRefusal(held, "DANA", now), "INVALID_ACCESS_TOKEN");
  assert.equal(payRefusal(replaced(10), "GCASH", now), "INVALID_ACCESS_TOKEN");
  assert.equal(payRefusal(held, "GCASH", later(31 * 24 * 60 * minuteMs)), "EXPIRED_ACCESS_TOKEN");
  assert.equal(payRefusal(revoked, "GCASH", now), "AUTHORIZATION_NOT_EXIST");
  assert.equal(payRefusal(reading, "GCASH", now), "AUTHORIZATION_NOT_EXIST");
});

test("a refresh token is good once, for its own wallet, for a year", () => {
  const year = later(365 * 24 * 60 * minuteMs);
  assert.equal(refreshRefusal(held, "GCASH", later(364 * 24 * 60 * minuteMs)), undefined);
  assert.equal(refreshRefusal(held, "GCASH", year), "INVALID_REFRESH_TOKEN");
  assert.equal(refreshRefusal(held, "DANA", now), "INVALID_REFRESH_TOKEN");
  assert.equal(refreshRefusal(replaced(1), "GCASH", now), "INVALID_REFRESH_TOKEN");
  assert.equal(refreshRefusal(undefined, "GCASH", now), "INVALID_REFRESH_TOKEN");
});

test("a merchant that is told of the end is not told the state that it began with", () => {
  const read = (body: Buffer): unknown => JSON.parse(body.toString("utf8"));
  const ended = { authorizationNotifyType: "TOKEN_CANCELED", accessToken: "t" } as const;
  assert.deepEqual(read(authorizationNotificationBody(active, ended)), {
    ...ended,
    result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
    sequence: 1,
  });
  const created = { authorizationNotifyType: "AUTHCODE_CREATED", authCode: "c" } as const;
  const told = read(authorizationNotificationBody({ ...agreed, authClientId: "a" }, created));
  assert.partialDeepStrictEqual(told, { authState: "link-1", authClientId: "a", authCode: "c" });
});
