import { withBucket, withHome, type Directory } from "../../cells/directory.ts";
import { bucketCount } from "../../core/bucket.ts";
import { ownerUrlOf } from "./cell-urls.ts";
import type { CommandArguments } from "../framework/command.ts";
import { CommandFailed, UsageError } from "../../core/command-errors.ts";
import { changeDirectory, openDirectory, type DirectoryFile } from "./directory-file.ts";
import { moveBucket } from "../../moves/move-bucket.workflow.ts";
import { formatMoveResult, moveMerchantAsOwner } from "../../moves/move-merchant.workflow.ts";
import { operatorOf, requiredOption, settingsOf, subjectOf } from "../framework/operator-options.ts";
import { planRebalance, formatRebalance } from "../../moves/rebalance.workflow.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

/** `merchant move`: moves a merchant and updates the directory file, if one is given. */
export async function runMerchantMove(args: CommandArguments): Promise<void> {
  const [clientId, to] = [subjectOf(args, "client-id"), requiredOption(args, "to")];
  const directoryFile = await readDirectoryOptions(args);
  const goal = args.has("undo") ? "undo" : "move";
  const targetUrl = ownerUrlOf(to);
  const moved = await moveMerchantAsOwner(operatorOf(args), {
    clientId,
    to,
    targetUrl,
    goal,
    ...progressCallbacks(),
  });
  const { outcome, epoch } = moved;
  if (goal === "move" && outcome === "undone")
    throw new CommandFailed(
      `${clientId} was not moved. Another move is in progress, or older transactions did not end in time. Try ` +
        "again later.",
    );
  const entry = { cell: to, epoch };
  const version =
    outcome === "moved"
      ? await publishDirectory(directoryFile, (directory) => withHome(directory, clientId, entry))
      : undefined;
  const publishHint = `Publish this entry in the directory: "${clientId}": ${JSON.stringify(entry)}`;
  const nextStep = version === undefined ? publishHint : versionText(version, directoryFile);
  const text = formatMoveResult(clientId, moved);
  printResult(
    args,
    { ...moved, directoryVersion: version },
    outcome === "moved" ? `${text} ${nextStep}` : text,
  );
}

/** `cells move-bucket`: moves a bucket, and updates the directory after each moved merchant, not only at the end. */
export async function runBucketMove(args: CommandArguments): Promise<void> {
  const [bucket, to] = [parseBucket(subjectOf(args, "bucket")), requiredOption(args, "to")];
  const directoryFile = await readDirectoryOptions(args);
  const moved = await moveBucket(operatorOf(args), {
    bucket,
    to,
    targetUrl: ownerUrlOf(to),
    onStep: (step) => void process.stderr.write(`${step}\n`),
    onMoved: async (clientId, { epoch }) =>
      void (await publishDirectory(directoryFile, (directory) =>
        withHome(directory, clientId, { cell: to, epoch }),
      )),
  });
  const version = await publishDirectory(directoryFile, (directory) => withBucket(directory, bucket, to));
  const merchantPauses = moved.merchants.map(({ clientId, pauseMs }) => `${clientId} (${pauseMs ?? "?"} ms)`);
  const merchantsText =
    merchantPauses.length > 0
      ? `with the merchants ${merchantPauses.join(", ")}`
      : "which has no merchants here";
  const nextStep =
    version === undefined ? "Publish the new owner in the directory." : versionText(version, directoryFile);
  printResult(
    args,
    { ...moved, directoryVersion: version },
    `Bucket ${bucket}, ${merchantsText}, now belongs to cell ${to}. ${nextStep}`,
  );
}

/** `cells rebalance`: prints a plan and moves no merchant. */
export async function runRebalance(args: CommandArguments): Promise<void> {
  const names = requiredOption(args, "cells")
    .split(",")
    .map((name) => name.trim());
  if (names.length < 2) throw new UsageError("Give two or more cells with --cells.");
  const days = parseWholeNumber(args, "days", [1, 366]) ?? 7;
  const plan = await planRebalance({
    cells: names.map((name) => ({ name, url: ownerUrlOf(name) })),
    environment: settingsOf(args, ["environment"]).environment,
    since: new Date(Date.now() - days * 24 * 3600 * 1000),
    withinPercent: parseWholeNumber(args, "within", [0, 1_000]) ?? 10,
  });
  printResult(args, plan, formatRebalance(plan));
}

/**
 * Reads the directory file before the move, so that an error in the file stops the command before it changes anything.
 */
async function readDirectoryOptions(args: CommandArguments): Promise<DirectoryFile | undefined> {
  const [file, keyFile] = [args.value("directory"), args.value("directory-key")];
  if (file === undefined) {
    if (keyFile !== undefined) throw new UsageError("--directory-key needs --directory, the file to sign.");
    return undefined;
  }
  await openDirectory({ file, keyFile });
  return { file, keyFile };
}

async function publishDirectory(
  directoryFile: DirectoryFile | undefined,
  change: (directory: Directory) => Directory,
): Promise<number | undefined> {
  return directoryFile && changeDirectory(directoryFile, change);
}

function versionText(version: number, directoryFile: DirectoryFile | undefined): string {
  const nextStep =
    directoryFile?.keyFile === undefined ? "Sign it with `cells sign`, and copy it" : "Copy it";
  return `Version ${version} of the directory was written to ${directoryFile?.file}. ${nextStep} to every cell and edge.`;
}

function parseBucket(text: string): number {
  const bucket = Number(text);
  if (/^\d{1,4}$/.test(text) && bucket < bucketCount) return bucket;
  throw new UsageError(`A bucket is a number from 0 to ${bucketCount - 1}.`);
}

/** Callbacks that print each step, and once a second the number of copied rows. */
function progressCallbacks(): {
  onStep(step: string): void;
  onRows(pass: number, rowCount: number): void;
} {
  let [rows, printedAtMs] = [0, performance.now()];
  return {
    onStep: (step) => void process.stderr.write(`${step}\n`),
    onRows(pass, rowCount) {
      rows += rowCount;
      if (performance.now() - printedAtMs < 1_000) return;
      printedAtMs = performance.now();
      process.stderr.write(`pass ${pass}: ${rows} rows so far\n`);
    },
  };
}
