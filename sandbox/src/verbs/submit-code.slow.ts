import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { call, newCode, startWallet, submitWithCode } from "../testing/test-wallet.ts";

test("after its time a code has expired, and one that was used is still invalid", async () => {
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
  test(`a crash between an order and what its code did to it is made good by a repeat: ${state}`, async () => {
    const first = await startWallet();
    const { fields } = await submitWithCode(first, await newCode(first, wanted));
    await first.end("SIGKILL");
    const file = join(first.folder, "effects.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${lines.slice(0, 2).join("\n")}\n`);

    const again = await startWallet(first.folder);
    const { order } = await call(again, "submit", fields);
    assert.equal(order["state"], state);
    assert.deepEqual((await call(again, "submit", fields)).order, order);
  });
}
