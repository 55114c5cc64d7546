import { randomInt } from "node:crypto";
import { bookDayOf } from "../core/book-day.ts";
import { bucketOf } from "../core/bucket.ts";
import type { AtPayout } from "../core/crash-point.ts";
import { newId } from "../core/id.ts";
import { systemScope } from "../postgres/database.ts";
import { inPortions } from "../postgres/portions.ts";
import type { Tx } from "../postgres/sql.ts";
import { updateBatch, updateReleasedToPay } from "../settlement/batch.sql.ts";
import { claimPayout } from "../settlement/claim-payout.tx.ts";
import { waitReasons, type Payout, type WaitReason } from "../settlement/payout.ts";
import { listPayouts } from "../settlement/payout.sql.ts";
import type { PayoutFormat } from "../settlement/payout-file.ts";
import { actAsOwner, asOwner, onOneConnection, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { handOverFiles, makeFiles, type HandedOver } from "./payout-files.ts";
import { findPlan, planAct, toPay, type PayoutPlan, type PlannedPayout } from "./payout-plan.ts";

export interface PayoutRun {
  readonly bank: string;
  /** The day of the books by which a batch is due; today, when it is absent. */
  readonly day?: string | undefined;
  readonly folder: string;
  readonly format: PayoutFormat;
}

export interface RanPayouts {
  readonly claimed: readonly Payout[];
  readonly waiting: readonly {
    readonly clientId: string;
    readonly batchId: string;
    readonly waitsFor: WaitReason;
  }[];
  readonly files: readonly HandedOver[];
}

const nowhere: AtPayout = () => undefined;

export async function planPayouts(
  { url, environment }: Operator,
  { bank, day }: { readonly bank: string; readonly day?: string | undefined },
): Promise<PayoutPlan> {
  const now = new Date();
  return asOwner(url, environment, systemScope, (tx) =>
    findPlan(tx, { bank, day: day ?? bookDayOf(now), now }),
  );
}

/**
 * Pays what is due: releases the batches of the plan, which takes two people in live; claims each, with its money; puts what was claimed
 * into files; and hands those over. Each step begins with what the last run has left, so after a crash it is simply run again.
 */
export async function runPayouts(
  operator: Operator,
  { bank, day, folder, format }: PayoutRun,
  at: AtPayout = nowhere,
): Promise<RanPayouts> {
  const plan = await planPayouts(operator, { bank, day });
  await releaseBatches(operator, plan);
  at("after-release-commit");
  const claimed: Payout[] = [];
  const waiting = plan.payouts.flatMap(({ clientId, batchId, waitsFor }) =>
    waitsFor ? [{ clientId, batchId, waitsFor }] : [],
  );
  const released = await listReleased(operator, plan);
  await onOneConnection(operator, async (connected) => {
    for (const { clientId, batchId } of released) {
      const outcome = await claimOne(connected, { clientId, batchId, plan }, at);
      if (typeof outcome === "string") waiting.push({ clientId, batchId, waitsFor: outcome });
      else if (outcome) claimed.push(outcome);
    }
  });
  await makeFiles(operator, { bank, format }, at);
  return { claimed, waiting, files: await handOverFiles(operator, { bank, folder }, at) };
}

/** One transaction, so that what was approved is released whole. A batch that waits says why. */
async function releaseBatches(operator: Operator, plan: PayoutPlan): Promise<void> {
  const paid = toPay(plan);
  const clientIds = [...new Set(plan.payouts.map(({ clientId }) => clientId))];
  if (clientIds.length === 0) return;
  await actAsOwner(operator, clientIds, async (tx) => {
    let released = 0;
    await inPortions(tx, plan.payouts, async (some) => {
      released += await releaseSome(tx, plan.bank, some);
    });
    if (released < paid.length)
      throw new Impossible("Somebody else pays out at the same time. Look again with --dry-run.");
    return { value: undefined, audit: paid.length > 0 ? planAct(plan) : undefined };
  });
}

/** Gives how many were still due. */
async function releaseSome(tx: Tx, bank: string, some: readonly PlannedPayout[]): Promise<number> {
  const batches = some.map((each) => ({ ...each, bucket: bucketOf(each.clientId) }));
  for (const { bucket, clientId, batchId, waitsFor } of batches)
    if (waitsFor)
      updateBatch(tx, { bucket, clientId }, batchId, { status: "DUE", payoutId: undefined, waitsFor });
  return updateReleasedToPay(
    tx,
    bank,
    batches.filter(({ waitsFor }) => waitsFor === undefined),
  );
}

async function listReleased(
  { url, environment }: Operator,
  { bank, day }: PayoutPlan,
): Promise<PayoutPlan["released"]> {
  const now = new Date();
  return asOwner(
    url,
    environment,
    systemScope,
    async (tx) => (await findPlan(tx, { bank, day, now })).released,
  );
}

async function claimOne(
  operator: Operator,
  {
    clientId,
    batchId,
    plan,
  }: { readonly clientId: string; readonly batchId: string; readonly plan: PayoutPlan },
  at: AtPayout,
): Promise<Payout | WaitReason | undefined> {
  const bucket = bucketOf(clientId);
  const now = new Date();
  const payoutId = newId("payout", bucket, now, (below) => randomInt(below));
  const claim = { batchId, payoutId, bank: plan.bank, currencies: plan.currencies, now };
  const outcome = await actAsOwner(operator, [clientId], async (tx) => {
    const value = await claimPayout(tx, { bucket, clientId }, claim);
    at("before-payout-commit");
    return { value, audit: undefined };
  });
  at("after-payout-commit");
  return outcome;
}

export async function findPayouts(
  { url, environment }: Operator,
  asked: { readonly clientId: string | undefined; readonly limit: number },
): ReturnType<typeof listPayouts> {
  return asOwner(url, environment, systemScope, (tx) => listPayouts(tx, asked));
}

export function ranTable({ claimed, waiting, files }: RanPayouts): string {
  return [
    `${claimed.length} payouts claimed, ${waiting.length} batches wait`,
    ...files.map(({ path, payoutCount, sum }) => `${path}: ${payoutCount} payouts, ${sum}`),
    ...waiting.map(
      ({ clientId, batchId, waitsFor }) => `${clientId} ${batchId} waits: ${waitReasons[waitsFor]}`,
    ),
  ].join("\n");
}
