import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { walletReference } from "./wallet-reference.ts";

test("a wallet knows an action by a name that can be computed again from the request alone", () => {
  // Computed with OpenSSL: an idempotency key that changed would let a wallet take the money twice.
  const reference = walletReference("sandbox", "SANDBOX_5X00000000000000", "pay", "order-1001");
  assert.equal(reference, "7c57c3b9b80c282aad54c7fd68f2bd1b9e06fa50");
  assert.equal(walletReference("sandbox", "SANDBOX_5X00000000000000", "pay", "order-1001"), reference);
});

test("two actions that differ in anything, wherever one part ends and the next begins, have two names", () => {
  const part = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('"', '","', ",", "a", "aa"));
  const action = fc.tuple(part, part, part, part);
  fc.assert(
    fc.property(action, action, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      assert.notEqual(walletReference(...one), walletReference(...other));
    }),
  );
});

test("a name fits into what wallets keep of one", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (clientId, requestId) => {
      assert.match(walletReference("live", clientId, "pay", requestId), /^[0-9a-f]{40}$/);
    }),
  );
});
