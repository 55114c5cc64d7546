import { setTimeout as delay } from "node:timers/promises";
import { nextBucketMove } from "../cells/bucket-owner.ts";
import {
  findBucket,
  insertKnownHomes,
  listClientsLivingIn,
  listKnownHomes,
  updateBucket,
} from "../cells/bucket-owner.sql.ts";
import { isUniverseId } from "../core/universe-id.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { cellOf } from "./move-end.ts";
import { moveMerchant, type Moved } from "./move-merchant.ts";

export interface BucketMove {
  readonly bucket: number;
  /** The cell that is to own it, with its owner's login. */
  readonly to: string;
  readonly targetUrl: string;
  /** Hears what is about to be done. */
  readonly onStep: (step: string) => void;
  /** Hears of every merchant that has moved, for the directory. */
  readonly onMoved: (clientId: string, moved: Moved) => Promise<void>;
}

export interface BucketMoved {
  readonly bucket: number;
  readonly from: string;
  readonly to: string;
  readonly merchants: readonly { readonly clientId: string; readonly pauseMs: number | undefined }[];
}

/** Between the two owners: longer than processes believe what they know about a bucket, so that no late one says "nobody" of a client that the next owner opens. */
const betweenOwnersMs = 1_000;
const roundsMax = 100;

/**
 * Moves the merchants of a bucket, one by one, then the bucket. What to do next is asked of both databases each time, so a run that was
 * killed is gone on with by the next one.
 */
export async function moveBucket(operator: Operator, move: BucketMove): Promise<BucketMoved> {
  const { bucket, to, onStep } = move;
  const target: Operator = { ...operator, url: move.targetUrl };
  const nameIn = ({ url, environment }: Operator): Promise<string> =>
    asOwner(url, environment, systemScope, cellOf);
  const [from, found] = [await nameIn(operator), await nameIn(target)];
  if (found !== to) throw new Impossible(`The database that is given for ${to} is that of ${found}.`);
  if (from === to)
    throw new Impossible(`Bucket ${bucket} is to be moved to another cell, and both are ${to}.`);
  const merchants: { clientId: string; pauseMs: number | undefined }[] = [];
  for (let rounds = 1; rounds <= roundsMax; rounds += 1) {
    const held = await asOwner(target.url, target.environment, systemScope, (tx) => findBucket(tx, bucket));
    const source = await asOwner(operator.url, operator.environment, systemScope, (tx) =>
      findBucket(tx, bucket),
    );
    const next = nextBucketMove({ source, target: { name: to, held } });
    onStep(next.do);
    if (next.do === "nothing") throw new Impossible(`Bucket ${bucket} is not ${from}'s to give to ${to}.`);
    if (next.do === "publish") return { bucket, from, to, merchants };
    if (next.do === "take") await take(operator, target, { bucket, from, epoch: next.epoch });
    else {
      merchants.push(...(await moveMerchants(operator, move)));
      // Refused when a merchant was opened meanwhile: then once more.
      await give(operator, { bucket, to, epoch: next.epoch, merchants });
    }
  }
  throw new Error(`Bucket ${bucket} was not given away in ${roundsMax} rounds.`);
}

async function moveMerchants(
  { url: sourceUrl, environment }: Operator,
  { bucket, to, targetUrl, onStep, onMoved }: BucketMove,
): Promise<BucketMoved["merchants"]> {
  const clientIds = await asOwner(sourceUrl, environment, systemScope, (tx) =>
    listClientsLivingIn(tx, bucket),
  );
  const universe = clientIds.find((clientId) => isUniverseId(clientId));
  if (universe !== undefined)
    throw new Impossible(
      `The universe ${universe} lives in bucket ${bucket}, and ends where it is: wait for it.`,
    );
  const merchants: { clientId: string; pauseMs: number | undefined }[] = [];
  for (const clientId of clientIds) {
    onStep(`move ${clientId}`);
    const ignore = (): void => undefined;
    const moved = await moveMerchant({ clientId, sourceUrl, targetUrl, to, wants: "move", onStep: ignore });
    if (moved.outcome !== "moved")
      throw new Impossible(`${clientId} could not be moved, and lives where it did: try again.`);
    await onMoved(clientId, moved);
    merchants.push({ clientId, pauseMs: moved.pauseMs });
  }
  return merchants;
}

async function give(
  operator: Operator,
  {
    bucket,
    to,
    epoch,
    merchants,
  }: Pick<BucketMoved, "bucket" | "to" | "merchants"> & { readonly epoch: number },
): Promise<void> {
  await actAsOwner(operator, systemScope, async (tx) => {
    const isGiven = await updateBucket(tx, bucket, { step: "give", epoch, to });
    const after = { bucket, to, epoch, merchants: merchants.map(({ clientId }) => clientId) };
    const audit = { act: "cells move-bucket", subject: `bucket ${bucket}`, after };
    return { value: undefined, audit: isGiven ? audit : undefined };
  });
}

/** With what the owner before knows about where clients of the bucket live: the new one answers for them all. */
async function take(
  source: Operator,
  target: Operator,
  { bucket, from, epoch }: { readonly bucket: number; readonly from: string; readonly epoch: number },
): Promise<void> {
  await delay(betweenOwnersMs);
  const homes = await asOwner(source.url, source.environment, systemScope, (tx) =>
    listKnownHomes(tx, bucket),
  );
  await actAsOwner(target, systemScope, async (tx) => {
    const isTaken = await updateBucket(tx, bucket, { step: "take", epoch });
    if (isTaken) await insertKnownHomes(tx, bucket, homes);
    const after = { bucket, from, epoch, knownHomes: homes.length };
    const audit = { act: "cells move-bucket", subject: `bucket ${bucket}`, after };
    return { value: undefined, audit: isTaken ? audit : undefined };
  });
}
