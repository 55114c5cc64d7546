import { withBucket, withHome, type Directory } from "../../cells/directory.ts";
import { bucketCount } from "../../core/bucket.ts";
import { ownerUrlOf } from "./cell-urls.ts";
import type { Given } from "../framework/command.ts";
import { CommandFailed, UsageError } from "../../core/command-errors.ts";
import { changeDirectory, openDirectory, type DirectoryFile } from "./directory-file.ts";
import { moveBucket } from "../../moves/move-bucket.workflow.ts";
import { movedText, moveMerchantAsOwner } from "../../moves/move-merchant.workflow.ts";
import { operatorOf, required, settingsOf, subjectOf } from "../framework/operator.ts";
import { planRebalance, rebalanceText } from "../../moves/rebalance.workflow.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

/** `merchant move`: moves a merchant and updates the directory file, if one is given. */
export async function runMerchantMove(given: Given): Promise<void> {
  const [clientId, to] = [subjectOf(given, "client-id"), required(given, "to")];
  const kept = await directoryOf(given);
  const wants = given.has("undo") ? "undo" : "move";
  const targetUrl = ownerUrlOf(to);
  const moved = await moveMerchantAsOwner(operatorOf(given), {
    clientId,
    to,
    targetUrl,
    wants,
    ...progressCallbacks(),
  });
  const { outcome, epoch } = moved;
  if (wants === "move" && outcome === "undone")
    throw new CommandFailed(
      `${clientId} was not moved. Another move is in progress, or older transactions did not end in time. Try ` +
        "again later.",
    );
  const entry = { cell: to, epoch };
  const version =
    outcome === "moved"
      ? await published(kept, (directory) => withHome(directory, clientId, entry))
      : undefined;
  const publish = `Publish this entry in the directory: "${clientId}": ${JSON.stringify(entry)}`;
  const next = version === undefined ? publish : versionText(version, kept);
  const text = movedText(clientId, moved);
  show(given, { ...moved, directoryVersion: version }, outcome === "moved" ? `${text} ${next}` : text);
}

/** `cells move-bucket`: moves a bucket, and updates the directory after each moved merchant, not only at the end. */
export async function runBucketMove(given: Given): Promise<void> {
  const [bucket, to] = [bucketOf(subjectOf(given, "bucket")), required(given, "to")];
  const kept = await directoryOf(given);
  const moved = await moveBucket(operatorOf(given), {
    bucket,
    to,
    targetUrl: ownerUrlOf(to),
    onStep: (step) => void process.stderr.write(`${step}\n`),
    onMoved: async (clientId, { epoch }) =>
      void (await published(kept, (directory) => withHome(directory, clientId, { cell: to, epoch }))),
  });
  const version = await published(kept, (directory) => withBucket(directory, bucket, to));
  const waits = moved.merchants.map(({ clientId, pauseMs }) => `${clientId} (${pauseMs ?? "?"} ms)`);
  const who = waits.length > 0 ? `with the merchants ${waits.join(", ")}` : "which has no merchants here";
  const next = version === undefined ? "Publish the new owner in the directory." : versionText(version, kept);
  show(
    given,
    { ...moved, directoryVersion: version },
    `Bucket ${bucket}, ${who}, now belongs to cell ${to}. ${next}`,
  );
}

/** `cells rebalance`: prints a plan and moves no merchant. */
export async function runRebalance(given: Given): Promise<void> {
  const names = required(given, "cells")
    .split(",")
    .map((name) => name.trim());
  if (names.length < 2) throw new UsageError("Give two or more cells with --cells.");
  const days = wholeNumber(given, "days", [1, 366]) ?? 7;
  const planned = await planRebalance({
    cells: names.map((name) => ({ name, url: ownerUrlOf(name) })),
    environment: settingsOf(given, ["environment"]).environment,
    since: new Date(Date.now() - days * 24 * 3600 * 1000),
    withinPercent: wholeNumber(given, "within", [0, 1_000]) ?? 10,
  });
  show(given, planned, rebalanceText(planned));
}

/**
 * Reads the directory file before the move, so that an error in the file stops the command before it changes anything.
 */
async function directoryOf(given: Given): Promise<DirectoryFile | undefined> {
  const [file, keyFile] = [given.value("directory"), given.value("directory-key")];
  if (file === undefined) {
    if (keyFile !== undefined) throw new UsageError("--directory-key needs --directory, the file to sign.");
    return undefined;
  }
  await openDirectory({ file, keyFile });
  return { file, keyFile };
}

async function published(
  kept: DirectoryFile | undefined,
  change: (directory: Directory) => Directory,
): Promise<number | undefined> {
  return kept && changeDirectory(kept, change);
}

function versionText(version: number, kept: DirectoryFile | undefined): string {
  const next = kept?.keyFile === undefined ? "Sign it with `cells sign`, and copy it" : "Copy it";
  return `Version ${version} of the directory was written to ${kept?.file}. ${next} to every cell and edge.`;
}

function bucketOf(text: string): number {
  const bucket = Number(text);
  if (/^\d{1,4}$/.test(text) && bucket < bucketCount) return bucket;
  throw new UsageError(`A bucket is a number from 0 to ${bucketCount - 1}.`);
}

/** Callbacks that print each step, and once a second the number of copied rows. */
function progressCallbacks(): {
  onStep(step: string): void;
  onRows(pass: number, rowCount: number): void;
} {
  let [rows, toldAtMs] = [0, performance.now()];
  return {
    onStep: (step) => void process.stderr.write(`${step}\n`),
    onRows(pass, rowCount) {
      rows += rowCount;
      if (performance.now() - toldAtMs < 1_000) return;
      toldAtMs = performance.now();
      process.stderr.write(`pass ${pass}: ${rows} rows so far\n`);
    },
  };
}
