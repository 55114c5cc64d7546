import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { call, newCode, startWallet, submitWithCode } from "../testing/test-wallet.ts";

test("an unused code is EXPIRED_CODE after its lifetime, and a used one is still INVALID_CODE", async () => {
  const wallet = await startWallet();
  const short = await newCode(wallet, { lifetimeSeconds: 1 });
  const code = await newCode(wallet, { lifetimeSeconds: 1 });
  assert.equal((await submitWithCode(wallet, code)).order["state"], "PAID");
  await wait(1_050);
  assert.equal((await submitWithCode(wallet, code)).order["resultCode"], "INVALID_CODE");
  assert.equal((await submitWithCode(wallet, short)).order["resultCode"], "EXPIRED_CODE");
});

for (const [wanted, state] of [
  [{}, "PAID"],
  [{ declines: "RISK_REJECT" }, "DECLINED"],
  [{ asks: true }, "OPEN"],
] as const) {
  test(`after a crash between an order and its code's effect, a repeat completes the effect: ${state}`, async () => {
    const first = await startWallet();
    const { fields } = await submitWithCode(first, await newCode(first, wanted));
    await first.end("SIGKILL");
    const file = join(first.folder, "effects.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${lines.slice(0, 2).join("\n")}\n`);

    const restarted = await startWallet(first.folder);
    const { order } = await call(restarted, "submit", fields);
    assert.equal(order["state"], state);
    assert.deepEqual((await call(restarted, "submit", fields)).order, order);
  });
}
