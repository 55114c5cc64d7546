import assert from "node:assert/strict";
import { described, inquire, untilFinal, type Model, type Real } from "./holding.ts";
import { cancel, endMoves } from "./money-commands.ts";
import { restsOf, type ModelPayment, type Status } from "./merchant-model.ts";
import { movedBy, type Moved } from "./what-follows.ts";
import type { WalletEffect } from "./world.ts";

/** Brings everything to its end, and compares the model, inquiries, the ledger and the wallet's own log. */
export async function compare(real: Real, model: Model): Promise<void> {
  const moved: Moved[] = [];
  for (const payment of model.payments) moved.push(await end(real, payment));
  await compareLedger(real, model, moved);
}

async function end(real: Real, payment: ModelPayment): Promise<Moved> {
  const { world } = real;
  const isUnsure = payment.cancelWanted !== "no" || payment.isReversing !== "no";
  if (isUnsure && !isOver(payment)) await untilFinal(real, () => cancel(real, payment, "by paymentId"));
  await endMoves(real, payment);
  const { json } = await untilFinal(
    real,
    () => inquire(real, payment, "paymentId"),
    (answer) => isAtRest(payment, answer.json),
  );
  const moved = movedBy(payment, String(json["paymentStatus"]), world.feeBasisPoints);
  const effects = world.effectsOf(payment.paymentId);
  compareWallet(payment, moved, effects);
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

/** One effect for each reference, and not a minor unit more or less than the model says. */
function compareWallet(payment: ModelPayment, moved: Moved, effects: readonly WalletEffect[]): void {
  const of = (kind: string): readonly WalletEffect[] => effects.filter((effect) => effect.kind === kind);
  const total = (kind: string): bigint =>
    of(kind).reduce((minor, { amount }) => minor + BigInt(amount?.value ?? 0), 0n);
  const references = [...of("captured"), ...of("refunded")].map(
    ({ captureReference, refundReference }) => captureReference ?? refundReference,
  );
  assert.equal(new Set(references).size, references.length, `An effect twice: ${described(payment)}`);
  assert.ok(effects.filter(({ outcome }) => outcome?.startsWith("opened")).length <= 1, described(payment));
  assert.ok(of("paid").length <= 1, described(payment));
  const { paidMinor, capturedMinor, refundedMinor } = moved;
  assert.deepEqual(
    { paidMinor: total("paid"), capturedMinor: total("captured"), refundedMinor: total("refunded") },
    { paidMinor, capturedMinor, refundedMinor },
    `The wallet has moved something else: ${described(payment)}`,
  );
}

async function compareLedger({ world, merchant }: Real, model: Model, all: readonly Moved[]): Promise<void> {
  const subjects = model.payments.flatMap(({ paymentId, captures, refunds }) => [
    paymentId,
    ...[...captures, ...refunds].map(({ id }) => id),
  ]);
  const rows = await world.query<{ account: string; minor: string }>(
    `select account, sum(minor)::text as minor from (
       select split_part(debit_account, ' ', 1) as account, amount_minor as minor
       from ledger_transfers where client_id = $1 and subject_id = any($2::text[])
       union all
       select split_part(credit_account, ' ', 1), -amount_minor
       from ledger_transfers where client_id = $1 and subject_id = any($2::text[])
     ) as lines group by account`,
    [merchant.clientId, subjects],
  );
  const inLedger = Object.fromEntries(rows.map(({ account, minor }) => [account, BigInt(minor)]));
  const sumOf = (part: (moved: Moved) => bigint): bigint =>
    all.reduce((total, moved) => total + part(moved), 0n);
  const fee = sumOf(({ feeMinor }) => feeMinor);
  const wallet = sumOf(
    ({ paidMinor, capturedMinor, refundedMinor }) => paidMinor + capturedMinor - refundedMinor,
  );
  const { wallet: receivable = 0n, merchant: payable = 0n, fee: revenue = 0n, suspense = 0n } = inLedger;
  assert.deepEqual(
    { receivable, payable, revenue, suspense },
    { receivable: wallet, payable: fee - wallet, revenue: -fee, suspense: 0n },
    "The ledger and the model do not agree.",
  );
}
