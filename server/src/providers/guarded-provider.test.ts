import assert from "node:assert/strict";
import { test } from "node:test";
import { breakerRules, newBreaker } from "../resilience/breaker.ts";
import { guardProvider, ProviderBusy, type Guard } from "./guarded-provider.ts";
import { ProviderUnclear, ProviderUnreachable, type OrderReport, type Provider } from "./provider.ts";

const signal = new AbortController().signal;
const owner = { merchantId: "SANDBOX_A", account: undefined, registrationId: undefined };
const never = new Promise<never>(() => undefined);
const refusal = { state: "REFUSED", resultCode: "ORDER_NOT_EXIST" } as const;

/** A provider client whose methods all return the same report. */
function providerThat(answers: () => Promise<OrderReport>): Provider {
  const refuses = async (): Promise<typeof refusal> => refusal;
  return {
    connector: "provider",
    submit: answers,
    inquire: answers,
    cancel: answers,
    capture: refuses,
    inquireCapture: refuses,
    refund: refuses,
    inquireRefund: refuses,
    register: async () => ({ state: "PROCESSING" }),
    inquireRegistration: async () => ({ state: "PROCESSING" }),
    authorize: async () => ({ state: "ACTIVE" }),
    inquireAuthorization: async () => ({ state: "ACTIVE" }),
    exchangeCode: async () => ({ state: "REFUSED", resultCode: "INVALID_AUTHCODE" }),
    revoke: async () => ({ state: "REVOKED" }),
    acceptDispute: () => never,
    defendDispute: () => never,
    inquireDispute: async () => "NOT_FOUND",
    facts: async () => ({}),
  };
}

function newGuard(inProgressMax: number, monotonicMs = () => 0): Guard {
  return {
    breaker: newBreaker({ monotonicMs, onChange: () => undefined }),
    inProgressCount: 0,
    inProgressMax,
  };
}

test("a request beyond the last slot is rejected immediately, and succeeds when a slot is free", async () => {
  const guard = newGuard(2);
  const responses = [Promise.withResolvers<OrderReport>(), Promise.withResolvers<OrderReport>()];
  let nextResponse = 0;
  const provider = guardProvider(
    providerThat(() => responses[nextResponse++]?.promise ?? Promise.resolve({ state: "PENDING" })),
    guard,
  );
  const calls = [
    provider.inquire({ reference: "1", owner }, signal),
    provider.cancel({ reference: "2", owner, notAfter: new Date() }, signal),
  ];
  await assert.rejects(provider.inquire({ reference: "3", owner }, signal), ProviderBusy);
  responses[0]?.resolve({ state: "CLOSED" });
  assert.deepEqual(await calls[0], { state: "CLOSED" });
  assert.deepEqual(await provider.inquire({ reference: "3", owner }, signal), { state: "PENDING" });
  assert.equal(nextResponse, 3);
});

test("a provider that refuses repeatedly has responded, so its breaker stays closed", async () => {
  const provider = guardProvider(
    providerThat(async () => ({ state: "NOT_FOUND" })),
    newGuard(32),
  );
  const refund = { reference: "1", owner, refundReference: "1", amount: { currency: "EUR", minor: 1n } };
  for (let count = 0; count < 20; count += 1) {
    assert.deepEqual(await provider.inquire({ reference: "1", owner }, signal), { state: "NOT_FOUND" });
    assert.deepEqual(await provider.inquireRefund(refund, signal), refusal);
  }
});

test("a signed but unusable response counts as a response, and closes an open breaker", async () => {
  let nowMs = 0;
  let thrown: Error = new ProviderUnclear("provider", "INVALID_SIGNATURE");
  const guard = newGuard(32, () => nowMs);
  const provider = guardProvider(
    providerThat(() => Promise.reject(thrown)),
    guard,
  );
  for (let count = 0; count < 20; count += 1)
    await assert.rejects(provider.inquire({ reference: "1", owner }, signal), ProviderUnclear);
  thrown = new ProviderUnreachable("provider", "silence");
  for (let count = 0; count < breakerRules.consecutiveFailuresMax * 4; count += 1)
    await provider.inquire({ reference: "1", owner }, signal).catch(() => undefined);
  assert.equal(guard.breaker.isClosed(), false);
  nowMs = breakerRules.openMs;
  thrown = new ProviderUnclear("provider", "INVALID_SIGNATURE");
  await assert.rejects(provider.inquire({ reference: "1", owner }, signal), ProviderUnclear);
  assert.equal(guard.breaker.isClosed(), true);
});

test("missing responses open the breaker for all requests of a provider, and errors are passed on", async () => {
  const guard = newGuard(32);
  const provider = guardProvider(
    providerThat(() => Promise.reject(new ProviderUnreachable("provider", "silence"))),
    guard,
  );
  for (let count = 0; count < breakerRules.consecutiveFailuresMax; count += 1)
    await assert.rejects(provider.inquire({ reference: "1", owner }, signal), ProviderUnreachable);
  const calls = Object.entries(provider).filter(([, member]) => typeof member === "function");
  assert.equal(calls.length, 17);
  for (const [name, call] of calls)
    await assert.rejects((call as () => Promise<unknown>)(), ProviderBusy, name);
  assert.equal(guard.inProgressCount, 0);
});

test("the inquiry that probes a provider does not wait for hanging requests", async () => {
  let nowMs = 0;
  let respond: () => Promise<OrderReport> = () => never;
  const guard = newGuard(5, () => nowMs);
  const provider = guardProvider(
    providerThat(() => respond()),
    guard,
  );
  for (let count = 0; count < 5; count += 1)
    void provider.cancel({ reference: "1", owner, notAfter: new Date() }, signal);
  nowMs = breakerRules.slowMs;
  assert.equal(guard.breaker.isClosed(), false);
  nowMs += breakerRules.openMs;
  respond = async () => ({ state: "NOT_FOUND" });
  assert.deepEqual(await provider.inquire({ reference: "1", owner }, signal), { state: "NOT_FOUND" });
  assert.equal(guard.breaker.isClosed(), true);
});
