import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mayBecome, statesOf } from "../core/lifecycle.ts";
import type { AuthorizationReport } from "../wallets/wallet.ts";
import { exampleAuthorization } from "../../test/examples/example-authorization.ts";
import { authorizationLifecycle, type Authorization, type AuthorizationStatus } from "./authorization.ts";
import { decideAuthorization, type AuthorizationDecision } from "./decide-authorization.ts";

const now = new Date("2026-11-15T09:30:00Z");
const later = (ms: number): Date => new Date(now.getTime() + ms);
const minuteMs = 60_000;

const asked = exampleAuthorization;
const agreed: Authorization = { ...asked, status: "AGREED", expiresAt: later(10 * minuteMs) };
const active: Authorization = { ...asked, status: "ACTIVE", expiresAt: later(365 * 24 * 60 * minuteMs) };

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
