import assert from "node:assert/strict";
import { test } from "node:test";
import { newUsedTokens } from "./used-tokens.ts";

test("a token acts once, and is forgotten when it has expired", () => {
  let nowMs = 1_000_000;
  const usedTokens = newUsedTokens(() => nowMs, 2);
  assert.ok(usedTokens.markUsed({ jti: "a", exp: 1_060 }));
  assert.ok(!usedTokens.markUsed({ jti: "a", exp: 1_060 }));
  assert.ok(usedTokens.markUsed({ jti: "b", exp: 1_030 }));
  assert.ok(
    !usedTokens.markUsed({ jti: "c", exp: 1_060 }),
    "The list is full, so its use could not be recorded.",
  );
  nowMs = 1_030_000;
  assert.ok(usedTokens.markUsed({ jti: "c", exp: 1_060 }));
  assert.ok(!usedTokens.markUsed({ jti: "a", exp: 1_060 }));
});
