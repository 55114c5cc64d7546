import assert from "node:assert/strict";
import { providerReference } from "../../src/core/provider-reference.ts";
import { takenByDisputes, type ModelDispute } from "./dispute-model.ts";
import { waitUntilNotified } from "./dispute-events.ts";
import { describePayment, inquire, repeatUntilFinal, type Model, type Real } from "./run-context.ts";
import { cancel, endMoves } from "./money-commands.ts";
import { finalStatusesOf, type ModelPayment, type Status } from "./merchant-model.ts";
import { compareTokenStatus } from "./token-commands.ts";
import type { ModelAgreement } from "./token-model.ts";
import { finalAmountsOf, type FinalAmounts } from "./expected-effects.ts";
import type { ProviderEffect } from "./real-system.ts";

/**
 * Brings everything to a final status, and compares the model with inquiries, the ledger and the provider's journal.
 */
export async function compareWithModel(real: Real, model: Model): Promise<void> {
  const moved: FinalAmounts[] = [];
  for (const payment of model.payments) moved.push(await settlePayment(real, payment));
  await compareLedger(real, model, moved);
  for (const agreement of model.agreements) await compareAgreement(real, agreement);
}

async function settlePayment(real: Real, payment: ModelPayment): Promise<FinalAmounts> {
  const { system } = real;
  const isUncertain = payment.cancelWanted !== "no" || payment.isReversing !== "no";
  if (isUncertain && !isOver(payment))
    await repeatUntilFinal(real, () => cancel(real, payment, "by paymentId"));
  for (const dispute of payment.disputes) await endDispute(real, payment, dispute);
  await endMoves(real, payment);
  const { json } = await repeatUntilFinal(
    real,
    () => inquire(real, payment, "paymentId"),
    (answer) => isFinal(payment, answer.json),
  );
  const moved = finalAmountsOf(payment, String(json["paymentStatus"]), system.feeBasisPoints);
  const effects = system.effectsOf(payment.paymentId);
  compareProvider(payment, moved, effects);
  return moved;
}

function isOver({ possibleStatuses }: ModelPayment): boolean {
  return [...possibleStatuses].every((status) => status === "FAIL" || status === "CANCELLED");
}

function isFinal(payment: ModelPayment, json: Readonly<Record<string, unknown>>): boolean {
  const transactions = (json["transactions"] ?? []) as readonly Readonly<Record<string, string>>[];
  const isReturned =
    !payment.wasPaidLate || transactions.some(({ transactionType }) => transactionType === "REFUND");
  const isDone = transactions.every(({ transactionStatus }) => transactionStatus !== "PROCESSING");
  return finalStatusesOf(payment).has(json["paymentStatus"] as Status) && isDone && isReturned;
}

/** Asserts that the provider has one effect for each reference, with exactly the amount of the model. */
function compareProvider(
  payment: ModelPayment,
  moved: FinalAmounts,
  effects: readonly ProviderEffect[],
): void {
  const effectsOfKind = (kind: string): readonly ProviderEffect[] =>
    effects.filter((effect) => effect.kind === kind && (kind !== "refund-failed" || effect.isReversal));
  const total = (kind: string): bigint =>
    effectsOfKind(kind).reduce((minor, { amount }) => minor + BigInt(amount?.value ?? 0), 0n);
  const references = [...effectsOfKind("captured"), ...effectsOfKind("refunded")].map(
    ({ captureReference, refundReference }) => captureReference ?? refundReference,
  );
  assert.equal(new Set(references).size, references.length, `An effect twice: ${describePayment(payment)}`);
  assert.ok(
    effects.filter(({ outcome }) => outcome?.startsWith("opened")).length <= 1,
    describePayment(payment),
  );
  assert.ok(effectsOfKind("paid").length <= 1, describePayment(payment));
  const { paidMinor, capturedMinor, refundedMinor, disputedMinor } = moved;
  assert.ok(
    refundedMinor + disputedMinor <= paidMinor + capturedMinor,
    `Too much: ${describePayment(payment)}`,
  );
  assert.deepEqual(
    {
      paidMinor: total("paid"),
      capturedMinor: total("captured"),
      refundedMinor: total("refunded") - total("refund-failed"),
    },
    { paidMinor, capturedMinor, refundedMinor },
    `The provider has moved something else: ${describePayment(payment)}`,
  );
}

async function compareLedger(
  { system, merchant }: Real,
  model: Model,
  all: readonly FinalAmounts[],
): Promise<void> {
  const subjects = model.payments.flatMap(({ paymentId, captures, refunds, disputes }) => [
    paymentId,
    ...[...captures, ...refunds].map(({ id }) => id),
    ...disputes.flatMap(({ disputeId }) => disputeId ?? []),
  ]);
  const rows = await system.query<{ account: string; minor: string }>(
    `select account, sum(minor)::text as minor from (
       select regexp_replace(debit_account, ' [^ ]*$', '') as account, amount_minor as minor
       from ledger_transfers where client_id = $1 and subject_id = any($2::text[])
       union all
       select regexp_replace(credit_account, ' [^ ]*$', ''), -amount_minor
       from ledger_transfers where client_id = $1 and subject_id = any($2::text[])
     ) as lines group by account`,
    [merchant.clientId, subjects],
  );
  const inLedger = new Map(rows.map(({ account, minor }) => [account, BigInt(minor)]));
  const balanceOf = (start: string): bigint =>
    [...inLedger].reduce((total, [account, minor]) => total + (account.startsWith(start) ? minor : 0n), 0n);
  const sumOf = (part: (moved: FinalAmounts) => bigint): bigint =>
    all.reduce((total, moved) => total + part(moved), 0n);
  const fee = sumOf(({ feeMinor }) => feeMinor);
  const provider = sumOf(
    ({ paidMinor, capturedMinor, refundedMinor, disputedMinor }) =>
      paidMinor + capturedMinor - refundedMinor - disputedMinor,
  );
  const frozenMinor = -balanceOf("merchant frozen");
  assert.deepEqual(
    {
      receivable: balanceOf("provider"),
      payable: balanceOf("merchant payable") - frozenMinor,
      revenue: balanceOf("fee"),
      suspense: balanceOf("suspense"),
    },
    { receivable: provider, payable: fee - provider, revenue: -fee, suspense: 0n },
    "The ledger and the model do not agree.",
  );
  const frozen = all.map((moved) => moved.frozen);
  const low = frozen.reduce((total, { lowMinor }) => total + lowMinor, 0n);
  const high = frozen.reduce((total, { highMinor }) => total + highMinor, 0n);
  assert.ok(frozenMinor >= low && frozenMinor <= high, `${frozenMinor} is frozen, not ${low} to ${high}.`);
}

/** Waits until the merchant got all webhooks about the dispute, and until no answer of the merchant is in progress. */
async function endDispute(real: Real, payment: ModelPayment, dispute: ModelDispute): Promise<void> {
  const { system } = real;
  await waitUntilNotified(real, payment, dispute);
  const { disputeId = "", heldMinor } = dispute;
  // The provider does not repeat a callback that a newer one has overtaken, so the test makes the gateway poll.
  await system.watchDispute(disputeId);
  await repeatUntilFinal(real, async () => {
    const [row] = await system.query<DisputeRow>(
      `select status, debited_minor::text as debited, answer from disputes where dispute_id = $1`,
      [disputeId],
    );
    const last = dispute.states().at(-1);
    if (!row || !last) assert.fail(describePayment(payment));
    const isSame = row.status === (last.state === "OPEN" ? "CREATED" : last.state) && row.answer === null;
    if (isSame) assert.equal(BigInt(row.debited), last.takenMinor, describePayment(payment));
    return { code: "", status: isSame ? "S" : "U", json: { ...row, atProvider: last.state } };
  });
  assert.ok(takenByDisputes([dispute]) <= heldMinor, describePayment(payment));
}

interface DisputeRow {
  readonly status: string;
  readonly debited: string;
  readonly answer: string | null;
}

/** Every token has the status that the merchant was notified of, and the provider made one agreement from one code. */
async function compareAgreement(real: Real, agreement: ModelAgreement): Promise<void> {
  const { system, merchant } = real;
  for (const pair of agreement.pairs) await compareTokenStatus(real, agreement, pair);
  const reference = providerReference("sandbox", merchant.clientId, "authorization", agreement.authState);
  const statesOf = (): readonly string[] =>
    system
      .effectsOf(reference)
      .filter(({ kind }) => kind === "authorization-changed")
      .map(({ state = "" }) => state);
  assert.equal(statesOf().filter((state) => state === "ACTIVE").length, Math.min(agreement.pairs.length, 1));
  if (!agreement.possibleStatuses.has("REVOKED")) return;
  await repeatUntilFinal(real, async () => {
    const isEnded = ["REVOKED", "CANCELED"].includes(statesOf().at(-1) ?? "");
    return { code: "", status: isEnded ? "S" : "U", json: { states: statesOf() } };
  });
}
