import assert from "node:assert/strict";
import { providerReference } from "../../src/core/provider-reference.ts";
import { takenBy, type ModelDispute } from "./dispute-model.ts";
import { untilTold } from "./dispute-events.ts";
import { described, inquire, untilFinal, type Model, type Real } from "./run-context.ts";
import { cancel, endMoves } from "./money-commands.ts";
import { restsOf, type ModelPayment, type Status } from "./merchant-model.ts";
import { query } from "./token-commands.ts";
import type { ModelAgreement } from "./token-model.ts";
import { movedBy, type Moved } from "./expected-effects.ts";
import type { ProviderEffect } from "./world.ts";

/**
 * Brings everything to a final status, and compares the model with inquiries, the ledger and the provider's journal.
 */
export async function compare(real: Real, model: Model): Promise<void> {
  const moved: Moved[] = [];
  for (const payment of model.payments) moved.push(await end(real, payment));
  await compareLedger(real, model, moved);
  for (const agreement of model.agreements) await compareAgreement(real, agreement);
}

async function end(real: Real, payment: ModelPayment): Promise<Moved> {
  const { world } = real;
  const isUnsure = payment.cancelWanted !== "no" || payment.isReversing !== "no";
  if (isUnsure && !isOver(payment)) await untilFinal(real, () => cancel(real, payment, "by paymentId"));
  for (const dispute of payment.disputes) await endDispute(real, payment, dispute);
  await endMoves(real, payment);
  const { json } = await untilFinal(
    real,
    () => inquire(real, payment, "paymentId"),
    (answer) => isAtRest(payment, answer.json),
  );
  const moved = movedBy(payment, String(json["paymentStatus"]), world.feeBasisPoints);
  const effects = world.effectsOf(payment.paymentId);
  compareProvider(payment, moved, effects);
  return moved;
}

function isOver({ may }: ModelPayment): boolean {
  return [...may].every((status) => status === "FAIL" || status === "CANCELLED");
}

function isAtRest(payment: ModelPayment, json: Readonly<Record<string, unknown>>): boolean {
  const transactions = (json["transactions"] ?? []) as readonly Readonly<Record<string, string>>[];
  const isGivenBack =
    !payment.wasPaidLate || transactions.some(({ transactionType }) => transactionType === "REFUND");
  const isDone = transactions.every(({ transactionStatus }) => transactionStatus !== "PROCESSING");
  return restsOf(payment).has(json["paymentStatus"] as Status) && isDone && isGivenBack;
}

/** Asserts that the provider has one effect for each reference, with exactly the amount of the model. */
function compareProvider(payment: ModelPayment, moved: Moved, effects: readonly ProviderEffect[]): void {
  const of = (kind: string): readonly ProviderEffect[] => effects.filter((effect) => effect.kind === kind);
  const total = (kind: string): bigint =>
    of(kind).reduce((minor, { amount }) => minor + BigInt(amount?.value ?? 0), 0n);
  const references = [...of("captured"), ...of("refunded")].map(
    ({ captureReference, refundReference }) => captureReference ?? refundReference,
  );
  assert.equal(new Set(references).size, references.length, `An effect twice: ${described(payment)}`);
  assert.ok(effects.filter(({ outcome }) => outcome?.startsWith("opened")).length <= 1, described(payment));
  assert.ok(of("paid").length <= 1, described(payment));
  const { paidMinor, capturedMinor, refundedMinor, disputedMinor } = moved;
  assert.ok(refundedMinor + disputedMinor <= paidMinor + capturedMinor, `Too much: ${described(payment)}`);
  assert.deepEqual(
    { paidMinor: total("paid"), capturedMinor: total("captured"), refundedMinor: total("refunded") },
    { paidMinor, capturedMinor, refundedMinor },
    `The provider has moved something else: ${described(payment)}`,
  );
}

async function compareLedger({ world, merchant }: Real, model: Model, all: readonly Moved[]): Promise<void> {
  const subjects = model.payments.flatMap(({ paymentId, captures, refunds, disputes }) => [
    paymentId,
    ...[...captures, ...refunds].map(({ id }) => id),
    ...disputes.flatMap(({ disputeId }) => disputeId ?? []),
  ]);
  const rows = await world.query<{ account: string; minor: string }>(
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
  const named = (start: string): bigint =>
    [...inLedger].reduce((total, [account, minor]) => total + (account.startsWith(start) ? minor : 0n), 0n);
  const sumOf = (part: (moved: Moved) => bigint): bigint =>
    all.reduce((total, moved) => total + part(moved), 0n);
  const fee = sumOf(({ feeMinor }) => feeMinor);
  const provider = sumOf(
    ({ paidMinor, capturedMinor, refundedMinor, disputedMinor }) =>
      paidMinor + capturedMinor - refundedMinor - disputedMinor,
  );
  const frozenMinor = -named("merchant frozen");
  assert.deepEqual(
    {
      receivable: named("provider"),
      payable: named("merchant payable") - frozenMinor,
      revenue: named("fee"),
      suspense: named("suspense"),
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
  const { world } = real;
  await untilTold(real, payment, dispute);
  const { disputeId = "", heldMinor } = dispute;
  // The provider does not repeat a callback that a newer one has overtaken, so the test makes the gateway poll.
  await world.watchDispute(disputeId);
  await untilFinal(real, async () => {
    const [row] = await world.query<DisputeRow>(
      `select status, debited_minor::text as debited, answer from disputes where dispute_id = $1`,
      [disputeId],
    );
    const last = dispute.states().at(-1);
    if (!row || !last) assert.fail(described(payment));
    const isSame = row.status === (last.state === "OPEN" ? "CREATED" : last.state) && row.answer === null;
    if (isSame) assert.equal(BigInt(row.debited), last.takenMinor, described(payment));
    return { code: "", status: isSame ? "S" : "U", json: { ...row, atProvider: last.state } };
  });
  assert.ok(takenBy([dispute]) <= heldMinor, described(payment));
}

interface DisputeRow {
  readonly status: string;
  readonly debited: string;
  readonly answer: string | null;
}

/** Every token has the status that the merchant was notified of, and the provider made one agreement from one code. */
async function compareAgreement(real: Real, agreement: ModelAgreement): Promise<void> {
  const { world, merchant } = real;
  for (const pair of agreement.pairs) await query(real, agreement, pair);
  const reference = providerReference("sandbox", merchant.clientId, "authorization", agreement.authState);
  const statesOf = (): readonly string[] =>
    world
      .effectsOf(reference)
      .filter(({ kind }) => kind === "authorization-changed")
      .map(({ state = "" }) => state);
  assert.equal(statesOf().filter((state) => state === "ACTIVE").length, Math.min(agreement.pairs.length, 1));
  if (!agreement.may.has("REVOKED")) return;
  await untilFinal(real, async () => {
    const isEnded = ["REVOKED", "CANCELED"].includes(statesOf().at(-1) ?? "");
    return { code: "", status: isEnded ? "S" : "U", json: { states: statesOf() } };
  });
}
