import { setTimeout as delay } from "node:timers/promises";
import { nextBucketMove } from "../cells/bucket-owner.ts";
import {
  findBucketOwnership,
  insertKnownHomes,
  listHomeClients,
  listKnownHomes,
  updateBucketOwnership,
} from "../cells/bucket-owner.sql.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { requireCellName } from "./move-connection.workflow.ts";
import { moveMerchant, type MerchantMoveResult } from "./move-merchant.workflow.ts";

export interface BucketMove {
  readonly bucket: number;
  /** The new owner of the bucket, with the login of the owner of its database. */
  readonly to: string;
  readonly targetUrl: string;
  /** Called with the name of each step before the step is made. */
  readonly onStep: (step: string) => void;
  /** Called after each merchant that has moved, to update the directory. */
  readonly onMoved: (clientId: string, moved: MerchantMoveResult) => Promise<void>;
}

export interface BucketMoveResult {
  readonly bucket: number;
  readonly from: string;
  readonly to: string;
  readonly merchants: readonly { readonly clientId: string; readonly pauseMs: number | undefined }[];
}

/**
 * Pause between the two owners. It is longer than processes cache buckets, so that no process of the old owner denies a
 * client that the new owner has opened.
 */
const ownerChangePauseMs = 1_000;
const roundsMax = 100;

/**
 * `moveBucket` moves the merchants of a bucket, one by one, and then the bucket. Each step depends only on the state of
 * both databases, so the next run continues a killed run.
 */
export async function moveBucket(operator: Operator, move: BucketMove): Promise<BucketMoveResult> {
  const { bucket, to, onStep } = move;
  const target: Operator = { ...operator, url: move.targetUrl };
  const findCellName = ({ url, environment }: Operator): Promise<string> =>
    queryAsOwner(url, environment, systemScope, requireCellName);
  const [from, targetCell] = [await findCellName(operator), await findCellName(target)];
  if (targetCell !== to)
    throw new CommandFailed(`The given database of cell ${to} belongs to cell ${targetCell}.`);
  if (from === to)
    throw new CommandFailed(
      `Bucket ${bucket} is already in cell ${to}: source and target are the same cell.`,
    );
  const merchants: { clientId: string; pauseMs: number | undefined }[] = [];
  for (let rounds = 1; rounds <= roundsMax; rounds += 1) {
    const targetBucket = await queryAsOwner(target.url, target.environment, systemScope, (tx) =>
      findBucketOwnership(tx, bucket),
    );
    const source = await queryAsOwner(operator.url, operator.environment, systemScope, (tx) =>
      findBucketOwnership(tx, bucket),
    );
    const next = nextBucketMove({ source, target: { name: to, ownership: targetBucket } });
    onStep(next.do);
    if (next.do === "nothing")
      throw new CommandFailed(
        `Bucket ${bucket} cannot be moved from ${from} to ${to}: ${from} does not own it.`,
      );
    if (next.do === "publish") return { bucket, from, to, merchants };
    if (next.do === "take") await takeBucket(operator, target, { bucket, from, epoch: next.epoch });
    else {
      merchants.push(...(await moveMerchants(operator, move)));
      // `giveBucket` is rejected if a merchant was opened in the meantime; then the loop moves that merchant, too.
      await giveBucket(operator, { bucket, to, epoch: next.epoch, merchants });
    }
  }
  throw new Error(`Bucket ${bucket} was not given away after ${roundsMax} rounds. Run the command again.`);
}

async function moveMerchants(
  { url: sourceUrl, environment }: Operator,
  { bucket, to, targetUrl, onStep, onMoved }: BucketMove,
): Promise<BucketMoveResult["merchants"]> {
  const clientIds = await queryAsOwner(sourceUrl, environment, systemScope, (tx) =>
    listHomeClients(tx, bucket),
  );
  const universe = clientIds.find((clientId) => isUniverseId(clientId));
  if (universe !== undefined)
    throw new CommandFailed(
      `Bucket ${bucket} has the isolated test merchant ${universe}, which cannot be moved: wait until it is closed.`,
    );
  const merchants: { clientId: string; pauseMs: number | undefined }[] = [];
  for (const clientId of clientIds) {
    onStep(`move ${clientId}`);
    const ignore = (): void => undefined;
    const moved = await moveMerchant({ clientId, sourceUrl, targetUrl, to, goal: "move", onStep: ignore });
    if (moved.outcome !== "moved")
      throw new CommandFailed(
        `${clientId} could not be moved, and stays in its cell: run the command again.`,
      );
    await onMoved(clientId, moved);
    merchants.push({ clientId, pauseMs: moved.pauseMs });
  }
  return merchants;
}

async function giveBucket(
  operator: Operator,
  {
    bucket,
    to,
    epoch,
    merchants,
  }: Pick<BucketMoveResult, "bucket" | "to" | "merchants"> & { readonly epoch: number },
): Promise<void> {
  await actAsOwner(operator, systemScope, async (tx) => {
    const wasGiven = await updateBucketOwnership(tx, bucket, { step: "give", epoch, to });
    const after = { bucket, to, epoch, merchants: merchants.map(({ clientId }) => clientId) };
    const audit = { act: "cells move-bucket", subject: `bucket ${bucket}`, after };
    return { value: undefined, audit: wasGiven ? audit : undefined };
  });
}

/**
 * `takeBucket` copies the homes that the previous owner knows, because the new owner answers for all clients of the bucket.
 */
async function takeBucket(
  source: Operator,
  target: Operator,
  { bucket, from, epoch }: { readonly bucket: number; readonly from: string; readonly epoch: number },
): Promise<void> {
  await delay(ownerChangePauseMs);
  const homes = await queryAsOwner(source.url, source.environment, systemScope, (tx) =>
    listKnownHomes(tx, bucket),
  );
  await actAsOwner(target, systemScope, async (tx) => {
    const wasTaken = await updateBucketOwnership(tx, bucket, { step: "take", epoch });
    if (wasTaken) await insertKnownHomes(tx, bucket, homes);
    const after = { bucket, from, epoch, knownHomes: homes.length };
    const audit = { act: "cells move-bucket", subject: `bucket ${bucket}`, after };
    return { value: undefined, audit: wasTaken ? audit : undefined };
  });
}
