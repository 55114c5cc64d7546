import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canTransition, statesOf } from "../core/lifecycle.ts";
import type { AuthorizationReport } from "../providers/provider.ts";
import { exampleAuthorization } from "../../test/examples/example-authorization.ts";
import { authorizationLifecycle, type Authorization, type AuthorizationStatus } from "./authorization.ts";
import { decideAuthorization, type AuthorizationDecision } from "./decide-authorization.ts";

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

/** `inShort` formats a decision as one line of the expected results. */
function inShort(decision: AuthorizationDecision): string {
  if (decision.kind !== "moved") return decision.kind;
  const { status, resultCode } = decision.change;
  return resultCode ? `${status} ${resultCode}` : status;
}

const open: AuthorizationReport = { state: "OPEN", url: "https://wallet.example/authorize/1" };
const yes: AuthorizationReport = { state: "AGREED", url: undefined, authCode: "c" };
const canceled: AuthorizationReport = { state: "CANCELED", reason: "Too dear." };

const decisions: readonly (readonly [string, Authorization, AuthorizationReport | undefined, string])[] = [
  ["an open consent page is shown", { ...requestedAuthorization, acceptedAt: undefined }, open, "accepted"],
  ["a consent page that was accepted before changes nothing", requestedAuthorization, open, "nothing"],
  [
    "a consent page on which the buyer did not agree in time",
    { ...requestedAuthorization, expiresAt: now },
    open,
    "EXPIRED",
  ],
  [
    "a consent that the provider does not know, before its expiry",
    requestedAuthorization,
    { state: "NOT_FOUND" },
    "nothing",
  ],
  ["a buyer who agrees", requestedAuthorization, yes, "AGREED"],
  ["a buyer who agrees at the expiry", { ...requestedAuthorization, expiresAt: now }, yes, "AGREED"],
  ["agreed, and reported again", agreed, yes, "nothing"],
  ["agreed, and reported again after the token was issued", active, yes, "nothing"],
  ["a buyer who declines", requestedAuthorization, { state: "DECLINED" }, "DECLINED AUTH_CANCELLED"],
  [
    "a provider without agreements",
    requestedAuthorization,
    { state: "NOT_SUPPORTED" },
    "DECLINED PAYMENT_METHOD_NOT_SUPPORTED",
  ],
  ["a code that was not exchanged", { ...agreed, expiresAt: later(-30_000) }, undefined, "EXPIRED"],
  ["a code at its expiry", { ...agreed, expiresAt: now }, undefined, "nothing"],
  [
    "a consent page of a silent provider, just after its expiry",
    { ...requestedAuthorization, expiresAt: later(-29_999) },
    undefined,
    "nothing",
  ],
  [
    "a consent page of a silent provider, after the grace period",
    { ...requestedAuthorization, expiresAt: later(-30_000) },
    undefined,
    "EXPIRED",
  ],
  ["a buyer who cancels before there is a token", agreed, canceled, "CANCELED"],
  ["a buyer who cancels", active, canceled, "CANCELED"],
  ["a buyer who cancels after the merchant's revoke", { ...active, status: "REVOKED" }, canceled, "told"],
  ["a provider that confirms a revoke", { ...active, status: "REVOKED" }, { state: "REVOKED" }, "told"],
  ["a buyer who agrees too late", { ...requestedAuthorization, status: "EXPIRED" }, yes, "nothing"],
  ["a buyer who agrees after declining", { ...requestedAuthorization, status: "DECLINED" }, yes, "nothing"],
];
for (const [name, authorization, report, expected] of decisions) {
  test(`${name}: ${expected}`, () => {
    assert.equal(inShort(decideAuthorization(authorization, report, now)), expected);
  });
}

test("no report moves an authorization against its lifecycle", () => {
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
      const decision = decideAuthorization({ ...requestedAuthorization, status }, report, later(ms));
      const isAllowed =
        decision.kind !== "moved" ||
        canTransition<AuthorizationStatus>(authorizationLifecycle, status, decision.change.status);
      assert.ok(isAllowed);
    }),
  );
});
