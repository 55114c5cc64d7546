import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { bucketOf } from "../core/bucket.ts";
import type { AtPayout } from "../core/crash-point.ts";
import { sha256 } from "../core/digest.ts";
import { FileProblem } from "../core/file-problem.ts";
import { formatMoney } from "../core/money.ts";
import { systemScope } from "../postgres/database.ts";
import { inPortions } from "../postgres/portions.ts";
import type { Tx } from "../postgres/sql.ts";
import { findPayoutsElsewhere, type PayoutsElsewhere } from "../settlement/payout-cell.sql.ts";
import { readBankWords, type ToldFile, type ToldPayout } from "../settlement/bank-word.ts";
import { bucketOfPayout } from "../settlement/payout-id.ts";
import { statesBy, type Payout, type PayoutStatus } from "../settlement/payout.ts";
import { listPayoutsNamed, lockPayouts } from "../settlement/payout.sql.ts";
import { settlePayout } from "../settlement/settle-payout.tx.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { openTellers } from "./operator-teller.ts";

export interface ImportedWords {
  readonly kind: ToldFile["kind"];
  readonly paidCount: number;
  readonly failedCount: number;
  readonly returnedCount: number;
  /** What was known before. */
  readonly knownCount: number;
  /** What the bank has only taken note of. */
  readonly notedCount: number;
  /** Entries of the account that are no payouts of ours. */
  readonly foreignCount: number;
  /** Payouts and files of other cells, which those import. */
  readonly otherCellCount: number;
}

/** A word of the bank about one payout. */
interface Told extends Omit<ToldPayout, "of"> {
  readonly payoutId: string;
}

const sizeMaxBytes = 100 * 1024 * 1024;

/** Takes in what a bank says about payouts: all of it, or nothing. The same again changes nothing. */
export async function importBankWords(
  operator: Operator,
  path: string,
  at: AtPayout = () => undefined,
): Promise<ImportedWords> {
  const { bytes, file, ours } = await readFileOf(path);
  const { named, elsewhere } = await findNamed(operator, ours);
  refuseIf(
    "These merchants are being moved to another cell. Import it again when that has finished",
    elsewhere.leaving,
  );
  const told = byPayout(ours, named, elsewhere.references);
  const clientIds = [...new Set(named.map(({ clientId }) => clientId))];
  const imported = await actAsOwner(operator, clientIds.length > 0 ? clientIds : systemScope, async (tx) => {
    const states = await settleAll(tx, named, told);
    const counts = {
      paidCount: count(states, "PAID"),
      failedCount: count(states, "FAILED"),
      returnedCount: count(states, "RETURNED"),
    };
    const knownCount = states.filter((each) => each === undefined).length;
    const { notedCount, kind } = file;
    const foreignCount = file.told.length - ours.length;
    const otherCellCount = countElsewhere(named, elsewhere);
    const value = { kind, ...counts, knownCount, notedCount, foreignCount, otherCellCount };
    const after = { kind, sha256: sha256(bytes).toString("hex"), ...counts };
    const isNew = states.some((each) => each !== undefined);
    at("before-import-commit");
    return { value, audit: isNew ? { act: "payout import", subject: basename(path), after } : undefined };
  });
  at("after-import-commit");
  return imported;
}

interface ReadFile {
  readonly bytes: Buffer;
  readonly file: ToldFile;
  /** What is about payouts of ours, or should be. */
  readonly ours: readonly ToldPayout[];
}

async function readFileOf(path: string): Promise<ReadFile> {
  const bytes = await readFile(path);
  if (bytes.length > sizeMaxBytes) throw new FileProblem(1, "The file is larger than 100 MiB: split it.");
  const file = readBankWords(textOf(bytes));
  return { bytes, file, ours: file.told.filter((each) => file.kind === "pain.002" || isOurs(each)) };
}

/** `findUnknownIn` returns which references of a bank's file none of these cells has a payout or a file for. */
export async function findUnknownIn(
  operators: readonly Operator[],
  path: string,
): Promise<readonly string[]> {
  const { ours } = await readFileOf(path);
  const unknown = new Set(ours.map(({ of }) => ("endToEndId" in of ? of.endToEndId : of.messageId)));
  for (const operator of operators) {
    const { named } = await findNamed(operator, ours);
    for (const { payoutId, fileId = "" } of named)
      for (const each of [payoutId, fileId]) unknown.delete(each);
  }
  return [...unknown];
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new FileProblem(1, "It is not UTF-8.");
  }
}

/** An account moves other money as well, under names of other people. */
function isOurs({ of }: ToldPayout): boolean {
  return "endToEndId" in of && bucketOfPayout(of.endToEndId) !== undefined;
}

interface Named {
  /** Payouts of this cell. */
  readonly named: readonly Payout[];
  readonly elsewhere: PayoutsElsewhere;
}

async function findNamed({ url, environment }: Operator, told: readonly ToldPayout[]): Promise<Named> {
  const endToEndIds = told.flatMap(({ of }) => ("endToEndId" in of ? [of.endToEndId] : []));
  const fileIds = told.flatMap(({ of }) => ("messageId" in of ? [of.messageId] : []));
  return asOwner(url, environment, systemScope, async (tx) => ({
    named: await listPayoutsNamed(tx, endToEndIds, fileIds),
    elsewhere: await findPayoutsElsewhere(tx, endToEndIds, fileIds),
  }));
}

function countElsewhere(named: readonly Payout[], { references }: PayoutsElsewhere): number {
  const here = new Set(named.flatMap(({ payoutId, fileId = "" }) => [payoutId, fileId]));
  return [...references].filter((reference) => !here.has(reference)).length;
}

/** The last word about each payout. What is said of a whole file goes for those of it that have no word of their own. */
function byPayout(
  told: readonly ToldPayout[],
  named: readonly Payout[],
  elsewhere: ReadonlySet<string>,
): ReadonlyMap<string, Told> {
  const words = new Map<string, Told>();
  const unknown: string[] = [];
  const known = new Set(named.map(({ payoutId }) => payoutId));
  for (const { of, ...word } of told) {
    if (!("messageId" in of)) continue;
    const inFile = named.filter(({ fileId }) => fileId === of.messageId);
    if (inFile.length === 0 && !elsewhere.has(of.messageId)) unknown.push(`file ${of.messageId}`);
    for (const { payoutId } of inFile) words.set(payoutId, { ...word, payoutId });
  }
  for (const { of, ...word } of told) {
    if (!("endToEndId" in of)) continue;
    if (!known.has(of.endToEndId) && elsewhere.has(of.endToEndId)) continue;
    if (!known.has(of.endToEndId)) unknown.push(`payout ${of.endToEndId}`);
    words.set(of.endToEndId, { ...word, payoutId: of.endToEndId });
  }
  refuseUnknown(unknown);
  return words;
}

/** For each payout the state that it came to; undefined when the bank says what was known. */
async function settleAll(
  tx: Tx,
  named: readonly Payout[],
  told: ReadonlyMap<string, Told>,
): Promise<readonly (PayoutStatus | undefined)[]> {
  const payouts: Payout[] = [];
  const states: (PayoutStatus | undefined)[] = [];
  await inPortions(tx, named, async (some) => {
    payouts.push(...(await lockPayouts(tx, some)).filter(({ payoutId }) => told.has(payoutId)));
  });
  refuseIf(
    "It contradicts what we know",
    payouts.flatMap((payout) => problemOf(payout, told.get(payout.payoutId)) ?? []),
  );
  const now = new Date();
  await inPortions(tx, payouts, async (some, whose) => {
    const tellerOf = await openTellers(tx, whose, now);
    for (const payout of some) {
      const { word = "paid", reasonCode } = told.get(payout.payoutId) ?? {};
      const through = statesBy(payout.status, word) ?? [];
      const key = { bucket: bucketOf(payout.clientId), clientId: payout.clientId };
      settlePayout(tx, key, payout, { states: through, reasonCode, at: now }, tellerOf(payout.clientId));
      states.push(through.at(-1));
    }
  });
  return states;
}

/** A merchant's bank may keep part of what it sends back; then the rest stays in clearing, and `match` tells of it. */
function problemOf({ payoutId, status, amount, fileId }: Payout, told: Told | undefined): string | undefined {
  if (!told) return undefined;
  if (fileId === undefined) return `payout ${payoutId} was in no file yet`;
  if (!statesBy(status, told.word)) return `payout ${payoutId} is ${status}, and the bank says ${told.word}`;
  if (!told.amount) return undefined;
  const isRight =
    told.amount.currency === amount.currency &&
    (told.word === "returned" ? told.amount.minor <= amount.minor : told.amount.minor === amount.minor);
  return isRight
    ? undefined
    : `payout ${payoutId} is ${formatMoney(amount)}, and the bank says ${formatMoney(told.amount)}`;
}

const shownMax = 20;

export const refuseUnknown = (unknown: readonly string[]): void =>
  refuseIf("It names what we have not sent", unknown);

function refuseIf(problem: string, found: readonly string[]): void {
  if (found.length === 0) return;
  const more = found.length > shownMax ? `, and ${found.length - shownMax} more` : "";
  throw new Impossible(`Nothing was imported. ${problem}: ${found.slice(0, shownMax).join("; ")}${more}.`);
}

const count = (states: readonly (PayoutStatus | undefined)[], status: PayoutStatus): number =>
  states.filter((each) => each === status).length;
