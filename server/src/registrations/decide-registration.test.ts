import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRegistration } from "./decide-registration.ts";
import type { ProviderRegistration } from "./registration.ts";

test("a provider's decision is final, an acceptance for review is not, and a lost registration is sent again", () => {
  const fresh: ProviderRegistration = {
    connector: "a",
    status: "PROCESSING",
    rejectReasons: [],
    reference: "reference-1",
    providerRegistrationId: undefined,
    acceptedAt: undefined,
  };
  const accepted = { ...fresh, acceptedAt: new Date("2026-11-15T09:30:01Z") };
  const no = { state: "REJECTED", rejectReasons: ["No."] } as const;
  assert.deepEqual(decideRegistration(fresh, undefined), { kind: "nothing" });
  assert.deepEqual(decideRegistration(fresh, { state: "PROCESSING" }), { kind: "accepted" });
  assert.deepEqual(decideRegistration(accepted, { state: "PROCESSING" }), { kind: "nothing" });
  assert.deepEqual(decideRegistration(accepted, { state: "NOT_FOUND" }), { kind: "lost" });
  assert.deepEqual(decideRegistration(accepted, no), {
    kind: "decided",
    status: "REJECTED",
    rejectReasons: ["No."],
  });
  assert.partialDeepStrictEqual(decideRegistration(fresh, { state: "NOT_NEEDED" }), { status: "NOT_NEEDED" });
});
