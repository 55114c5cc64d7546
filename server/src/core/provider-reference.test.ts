import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { providerReference } from "./provider-reference.ts";

test("the idempotency key at a provider can be computed again from the request alone", () => {
  // The expected reference was computed with OpenSSL. A changed reference (idempotency key) would let a provider take
  // the money twice.
  const reference = providerReference("sandbox", "SANDBOX_5X00000000000000", "pay", "order-1001");
  assert.equal(reference, "7c57c3b9b80c282aad54c7fd68f2bd1b9e06fa50");
  assert.equal(providerReference("sandbox", "SANDBOX_5X00000000000000", "pay", "order-1001"), reference);
});

test("two actions that differ in any part, or in the division into parts, have different references", () => {
  const part = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('"', '","', ",", "a", "aa"));
  const action = fc.tuple(part, part, part, part);
  fc.assert(
    fc.property(action, action, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      assert.notEqual(providerReference(...one), providerReference(...other));
    }),
  );
});

test("a reference fits into the length that providers store", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (clientId, requestId) => {
      assert.match(providerReference("live", clientId, "pay", requestId), /^[0-9a-f]{40}$/);
    }),
  );
});
