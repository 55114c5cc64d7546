import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  call,
  control,
  effects,
  newFolder,
  newOrder,
  startWallet,
  pagePathOf,
} from "./testing/test-wallet.ts";

test("a wallet that is killed during hundreds of submits keeps every order that it has acknowledged", async () => {
  const wallet = await startWallet();
  const orders = Array.from({ length: 500 }, () => newOrder());
  const answersByReference = new Map<string, unknown>();
  const calls = orders.map(async (order) => {
    const { order: opened } = await call(wallet, "submit", order);
    answersByReference.set(order.reference, opened["providerOrderId"]);
    if (answersByReference.size === 1) wallet.process.kill("SIGKILL");
  });
  const outcomes = await Promise.allSettled(calls);
  await wallet.end("SIGKILL");
  assert.ok(
    outcomes.some(({ status }) => status === "rejected"),
    "the kill came after all responses, so the test proves nothing",
  );

  const restarted = await startWallet(wallet.folder);
  for (const [reference, providerOrderId] of answersByReference)
    assert.equal((await call(restarted, "inquire", { reference })).order["providerOrderId"], providerOrderId);

  // Retries every submit, as a gateway would. Idempotency: no retry opens a second order.
  for (const order of orders) await call(restarted, "submit", order);
  const opened = effects(restarted).flatMap((line) =>
    line.kind === "submit" && line.order ? [line.reference] : [],
  );
  assert.equal(opened.length, orders.length);
  assert.equal(new Set(opened).size, orders.length);
});

test("an order is in the journal before its response is sent", async () => {
  const wallet = await startWallet();
  const missing: unknown[] = [];
  // Concurrent calls: some wait for the fsync while others get their response, and each checks the file at once.
  const submitMany = async (): Promise<void> => {
    for (let count = 0; count < 60; count += 1) {
      const { order } = await call(wallet, "submit", newOrder());
      const journal = readFileSync(join(wallet.folder, "effects.jsonl"), "utf8");
      if (!journal.includes(`"${String(order["providerOrderId"])}"`)) missing.push(order);
    }
  };
  await Promise.all(Array.from({ length: 6 }, submitMany));
  assert.deepEqual(missing, []);
});

test("states, amounts, refunds, tombstones and pages survive a restart", async () => {
  const wallet = await startWallet();
  const [open, paid, declined, closed] = [newOrder(), newOrder(), newOrder(), newOrder()];
  for (const order of [open, paid, declined, closed]) await call(wallet, "submit", order);
  await control(wallet, `POST payments/${paid.paymentId}/approve`, {
    paidAmount: { currency: "EUR", value: "440" },
  });
  await control(wallet, `POST payments/${declined.paymentId}/decline`, { resultCode: "RISK_REJECT" });
  await call(wallet, "cancel", { reference: closed.reference });
  await call(wallet, "cancel", { reference: "tombstone" });
  const refund = {
    reference: paid.reference,
    refundReference: "r1",
    amount: { currency: "EUR", value: "40" },
  };
  const refunded = await call(wallet, "refund", refund);
  const references = [open, paid, declined, closed].map(({ reference }) => reference).concat("tombstone");
  const inquireAll = (from: typeof wallet) =>
    Promise.all(references.map(async (reference) => (await call(from, "inquire", { reference })).order));
  const before = await inquireAll(wallet);
  const publicKey = readFileSync(wallet.ready.publicKeyFile, "utf8");
  assert.equal(await wallet.end("SIGTERM"), 0);

  const port = new URL(wallet.ready.walletUrl).port;
  const restarted = await startWallet(wallet.folder, "--port", port);
  assert.deepEqual(await inquireAll(restarted), before);
  assert.equal(readFileSync(restarted.ready.publicKeyFile, "utf8"), publicKey);
  assert.notEqual(restarted.ready.controlSecret, wallet.ready.controlSecret);
  assert.deepEqual(await call(restarted, "refund", refund), refunded);
  const rest = { ...refund, refundReference: "r2", amount: { currency: "EUR", value: "401" } };
  assert.equal((await call(restarted, "refund", rest)).result["resultCode"], "REFUND_AMOUNT_EXCEED");
  assert.equal(
    (await fetch(restarted.ready.walletUrl + pagePathOf(restarted, before[0] ?? assert.fail()))).status,
    200,
  );
});

test("a torn last line is dropped after a crash, and the next line takes its number", async () => {
  const wallet = await startWallet();
  const order = newOrder();
  await call(wallet, "submit", order);
  await wallet.end("SIGKILL");
  const file = join(wallet.folder, "effects.jsonl");
  const completeJournal = readFileSync(file, "utf8");
  appendFileSync(file, '{"n":2,"at":"2026-11-15T09:30:00.000+00:00","kind":"paid","refer');

  const restarted = await startWallet(wallet.folder);
  assert.equal(readFileSync(file, "utf8"), completeJournal);
  assert.equal((await call(restarted, "inquire", { reference: order.reference })).order["state"], "OPEN");
  await call(restarted, "cancel", { reference: order.reference });
  assert.deepEqual(
    effects(restarted).map(({ n }) => n),
    [1, 2, 3],
  );
});

test("a journal that is damaged in the middle is rejected", async () => {
  const folder = newFolder();
  appendFileSync(join(folder, "effects.jsonl"), '{"n":1,"kind":"tombstone","reference":"a"}\n{"n":3}\n');
  await assert.rejects(startWallet(folder), /Line 2 of the journal has the number 3/);
});

test("a second wallet can not start in the same folder", async () => {
  const wallet = await startWallet();
  await assert.rejects(startWallet(wallet.folder), /uses/);
  assert.equal((await call(wallet, "submit", newOrder())).order["state"], "OPEN");
});

test("a wallet stops within two seconds after SIGTERM, also with open requests", async () => {
  const wallet = await startWallet();
  await control(wallet, "POST faults", { kind: "late-answer", delayMs: 60_000 });
  const late = call(wallet, "submit", newOrder()).catch(() => "no answer");
  while (!effects(wallet).some(({ kind }) => kind === "fault")) await new Promise((go) => setTimeout(go, 10));
  const notifiedAt = performance.now();
  assert.equal(await wallet.end("SIGTERM"), 0);
  assert.ok(performance.now() - notifiedAt < 2_000);
  assert.equal(await late, "no answer");
});

test("a wallet with a missing option prints all options, and does not start", async () => {
  await assert.rejects(startWallet(newFolder(), "--port", "many"), /--port must be a number/);
  await assert.rejects(startWallet(newFolder(), "--partner-id", ""), /--partner-id ID/);
  await assert.rejects(startWallet(newFolder(), "--gateway-public-key", "missing.pem"), /missing\.pem/);
});
