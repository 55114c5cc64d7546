import assert from "node:assert/strict";
import { test } from "node:test";
import { backOff } from "../resilience/backoff.ts";
import {
  registrationBackoff,
  registrationRefusal,
  registrationStatusOf,
  registrationOutcome,
  type Registration,
  type ProviderStatus,
} from "./registration.ts";

/** A registration with these statuses at the providers a, b, …. */
function registrationWith(...statuses: readonly ProviderStatus[]): Registration {
  return {
    bucket: 1,
    clientId: "SANDBOX_COFFEE",
    registrationId: "20261115093000123000106000000000000",
    registrationRequestId: "request-1",
    referenceMerchantId: "coffee-lab",
    referenceStoreId: "harbour",
    productCodes: ["IN_STORE_PAYMENT"],
    merchantInfo: {},
    storeInfo: {},
    notifyUrl: undefined,
    passThroughInfo: undefined,
    fingerprint: new Uint8Array(),
    sequence: 1,
    createdAt: new Date("2026-11-15T09:30:00Z"),
    providers: statuses.map((status, index) => ({
      connector: "abc".charAt(index),
      status,
      rejectReasons: status === "REJECTED" ? [`no from ${"abc".charAt(index)}`] : [],
      reference: `reference-${index}`,
      providerRegistrationId: undefined,
      acceptedAt: undefined,
    })),
  };
}

const wholes: readonly (readonly [ProviderStatus[], string])[] = [
  [[], "COMPLETED"],
  [["NOT_NEEDED"], "COMPLETED"],
  [["PROCESSING"], "PROCESSING"],
  [["APPROVED", "PROCESSING"], "PROCESSING"],
  [["REJECTED", "PROCESSING"], "PROCESSING"],
  [["APPROVED", "REJECTED"], "COMPLETED"],
  [["REJECTED", "NOT_NEEDED"], "REJECTED"],
  [["REJECTED", "REJECTED"], "REJECTED"],
];

for (const [statuses, overallStatus] of wholes) {
  test(`providers with ${statuses.join(", ") || "no status"} result in ${overallStatus}`, () =>
    assert.equal(registrationStatusOf(registrationWith(...statuses)), overallStatus));
}

test("the result has the reasons of every provider, and leaves out providers without registration", () => {
  assert.deepEqual(registrationOutcome(registrationWith("REJECTED", "NOT_NEEDED", "REJECTED")), {
    registrationResult: { registrationStatus: "REJECTED", rejectReasons: ["no from a", "no from c"] },
    pspRegistrationResultList: [
      { pspName: "a", registrationResult: { registrationStatus: "REJECTED", rejectReasons: ["no from a"] } },
      { pspName: "c", registrationResult: { registrationStatus: "REJECTED", rejectReasons: ["no from c"] } },
    ],
  });
});

test("a repeat with the same details is refused while it is in progress, and after every provider has accepted", () => {
  const refusal = (earlier: Registration | undefined, isSame: boolean): string | undefined =>
    registrationRefusal(earlier, isSame, ["a", "b"]);
  assert.equal(refusal(undefined, false), undefined);
  assert.equal(refusal(registrationWith("PROCESSING", "APPROVED"), true), "ABNORMAL_REGISTRATION_STATUS");
  assert.equal(refusal(registrationWith("PROCESSING", "APPROVED"), false), "ABNORMAL_REGISTRATION_STATUS");
  assert.equal(refusal(registrationWith("APPROVED", "NOT_NEEDED"), true), "REPEAT_REGISTRATION");
  assert.equal(refusal(registrationWith("APPROVED", "APPROVED"), false), undefined);
  assert.equal(refusal(registrationWith("APPROVED", "REJECTED"), true), undefined);
  // A connector that was added after the registration has not received it yet.
  assert.equal(refusal(registrationWith("APPROVED"), true), undefined);
});

test("providers are polled after one second, and at least every hour", () => {
  const now = new Date("2026-11-15T09:30:00Z");
  assert.equal(backOff(registrationBackoff, 0, now).getTime() - now.getTime(), 1_000);
  assert.equal(backOff(registrationBackoff, 500, now).getTime() - now.getTime(), 3_600_000);
});
