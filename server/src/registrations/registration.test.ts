import assert from "node:assert/strict";
import { test } from "node:test";
import { backOff } from "../core/backoff.ts";
import {
  registrationBackoff,
  registrationRefusal,
  statusOf,
  toldResult,
  type Registration,
  type WalletStatus,
} from "./registration.ts";

/** A registration of which the wallets a, b, … have said this. */
function registrationWith(...statuses: readonly WalletStatus[]): Registration {
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
    wallets: statuses.map((status, index) => ({
      connector: "abc".charAt(index),
      status,
      rejectReasons: status === "REJECTED" ? [`no from ${"abc".charAt(index)}`] : [],
      reference: `reference-${index}`,
      acceptedAt: undefined,
    })),
  };
}

const wholes: readonly (readonly [WalletStatus[], string])[] = [
  [[], "COMPLETED"],
  [["NOT_NEEDED"], "COMPLETED"],
  [["PROCESSING"], "PROCESSING"],
  [["APPROVED", "PROCESSING"], "PROCESSING"],
  [["REJECTED", "PROCESSING"], "PROCESSING"],
  [["APPROVED", "REJECTED"], "COMPLETED"],
  [["REJECTED", "NOT_NEEDED"], "REJECTED"],
  [["REJECTED", "REJECTED"], "REJECTED"],
];

for (const [statuses, whole] of wholes) {
  test(`wallets that say ${statuses.join(", ") || "nothing"} make it ${whole}`, () =>
    assert.equal(statusOf(registrationWith(...statuses)), whole));
}

test("what is told names the reasons of every wallet, and leaves out a wallet that registers nobody", () => {
  assert.deepEqual(toldResult(registrationWith("REJECTED", "NOT_NEEDED", "REJECTED")), {
    registrationResult: { registrationStatus: "REJECTED", rejectReasons: ["no from a", "no from c"] },
    pspRegistrationResultList: [
      { pspName: "a", registrationResult: { registrationStatus: "REJECTED", rejectReasons: ["no from a"] } },
      { pspName: "c", registrationResult: { registrationStatus: "REJECTED", rejectReasons: ["no from c"] } },
    ],
  });
});

test("the same again is refused while it is under way, and once every wallet is content", () => {
  const refusal = (earlier: Registration | undefined, isSame: boolean): string | undefined =>
    registrationRefusal(earlier, isSame, ["a", "b"]);
  assert.equal(refusal(undefined, false), undefined);
  assert.equal(refusal(registrationWith("PROCESSING", "APPROVED"), true), "ABNORMAL_REGISTRATION_STATUS");
  assert.equal(refusal(registrationWith("PROCESSING", "APPROVED"), false), "ABNORMAL_REGISTRATION_STATUS");
  assert.equal(refusal(registrationWith("APPROVED", "NOT_NEEDED"), true), "REPEAT_REGISTRATION");
  assert.equal(refusal(registrationWith("APPROVED", "APPROVED"), false), undefined);
  assert.equal(refusal(registrationWith("APPROVED", "REJECTED"), true), undefined);
  // A wallet that was set up later has not been asked.
  assert.equal(refusal(registrationWith("APPROVED"), true), undefined);
});

test("wallets are asked after a second, and at least every hour", () => {
  const now = new Date("2026-11-15T09:30:00Z");
  assert.equal(backOff(registrationBackoff, 0, now).getTime() - now.getTime(), 1_000);
  assert.equal(backOff(registrationBackoff, 500, now).getTime() - now.getTime(), 3_600_000);
});
