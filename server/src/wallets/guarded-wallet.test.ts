import assert from "node:assert/strict";
import { test } from "node:test";
import { breakerRules, newBreaker } from "../core/breaker.ts";
import { guardWallet, WalletBusy, type Guard } from "./guarded-wallet.ts";
import { WalletUnclear, WalletUnreachable, type OrderReport, type Wallet } from "./wallet.ts";

const signal = new AbortController().signal;
const never = new Promise<never>(() => undefined);
const refusal = { state: "REFUSED", resultCode: "ORDER_NOT_EXIST" } as const;

/** A wallet that answers every question alike. */
function walletThat(answers: () => Promise<OrderReport>): Wallet {
  const refuses = async (): Promise<typeof refusal> => refusal;
  return {
    connector: "wallet",
    submit: answers,
    inquire: answers,
    cancel: answers,
    capture: refuses,
    inquireCapture: refuses,
    refund: refuses,
    inquireRefund: refuses,
    register: async () => ({ state: "APPROVED" }),
    inquireRegistration: async () => ({ state: "APPROVED" }),
    authorize: async () => ({ state: "ACTIVE" }),
    inquireAuthorization: async () => ({ state: "ACTIVE" }),
    exchangeCode: async () => ({ state: "REFUSED", resultCode: "INVALID_AUTHCODE" }),
    revoke: async () => ({ state: "REVOKED" }),
    acceptDispute: () => never,
    defendDispute: () => never,
    inquireDispute: async () => "NOT_FOUND",
  };
}

function newGuard(underWayMax: number, monotonicMs = () => 0): Guard {
  return { breaker: newBreaker({ monotonicMs, onChange: () => undefined }), underWay: 0, underWayMax };
}

test("a call beyond the last place is turned away at once, and the next place is free for it", async () => {
  const guard = newGuard(2);
  const places = [Promise.withResolvers<OrderReport>(), Promise.withResolvers<OrderReport>()];
  let taken = 0;
  const wallet = guardWallet(
    walletThat(() => places[taken++]?.promise ?? Promise.resolve({ state: "PENDING" })),
    guard,
  );
  const calls = [
    wallet.inquire("1", signal),
    wallet.cancel({ reference: "2", notAfter: new Date() }, signal),
  ];
  await assert.rejects(wallet.inquire("3", signal), WalletBusy);
  places[0]?.resolve({ state: "CLOSED" });
  assert.deepEqual(await calls[0], { state: "CLOSED" });
  assert.deepEqual(await wallet.inquire("3", signal), { state: "PENDING" });
  assert.equal(taken, 3);
});

test("a wallet that says no, however often, has answered", async () => {
  const wallet = guardWallet(
    walletThat(async () => ({ state: "NOT_FOUND" })),
    newGuard(32),
  );
  const refund = { reference: "1", refundReference: "1", amount: { currency: "EUR", minor: 1n } };
  for (let count = 0; count < 20; count += 1) {
    assert.deepEqual(await wallet.inquire("1", signal), { state: "NOT_FOUND" });
    assert.deepEqual(await wallet.inquireRefund(refund, signal), refusal);
  }
});

test("so has one that says, with its signature, what is of no use, and an open breaker closes on it", async () => {
  let nowMs = 0;
  let thrown: Error = new WalletUnclear("wallet", "INVALID_SIGNATURE");
  const guard = newGuard(32, () => nowMs);
  const wallet = guardWallet(
    walletThat(() => Promise.reject(thrown)),
    guard,
  );
  for (let count = 0; count < 20; count += 1)
    await assert.rejects(wallet.inquire("1", signal), WalletUnclear);
  thrown = new WalletUnreachable("wallet", "silence");
  for (let count = 0; count < breakerRules.badInARowMax * 4; count += 1)
    await wallet.inquire("1", signal).catch(() => undefined);
  assert.equal(guard.breaker.isClosed(), false);
  nowMs = breakerRules.openMs;
  thrown = new WalletUnclear("wallet", "INVALID_SIGNATURE");
  await assert.rejects(wallet.inquire("1", signal), WalletUnclear);
  assert.equal(guard.breaker.isClosed(), true);
});

test("silence counts, every call of a wallet is kept away then, and what was thrown is passed on", async () => {
  const guard = newGuard(32);
  const wallet = guardWallet(
    walletThat(() => Promise.reject(new WalletUnreachable("wallet", "silence"))),
    guard,
  );
  for (let count = 0; count < breakerRules.badInARowMax; count += 1)
    await assert.rejects(wallet.inquire("1", signal), WalletUnreachable);
  const calls = Object.entries(wallet).filter(([, member]) => typeof member === "function");
  assert.equal(calls.length, 16);
  for (const [name, call] of calls)
    await assert.rejects((call as () => Promise<unknown>)(), WalletBusy, name);
  assert.equal(guard.underWay, 0);
});

test("the inquiry that finds out whether a wallet answers again does not wait for calls that hang", async () => {
  let nowMs = 0;
  let answer: () => Promise<OrderReport> = () => never;
  const guard = newGuard(5, () => nowMs);
  const wallet = guardWallet(
    walletThat(() => answer()),
    guard,
  );
  for (let count = 0; count < 5; count += 1)
    void wallet.cancel({ reference: "1", notAfter: new Date() }, signal);
  nowMs = breakerRules.slowMs;
  assert.equal(guard.breaker.isClosed(), false);
  nowMs += breakerRules.openMs;
  answer = async () => ({ state: "NOT_FOUND" });
  assert.deepEqual(await wallet.inquire("1", signal), { state: "NOT_FOUND" });
  assert.equal(guard.breaker.isClosed(), true);
});
