import { readdirSync } from "node:fs";
import { join } from "node:path";
import { payoutCrashPoints, type PayoutCrashPoint } from "../../server/src/core/crash-point.ts";
import { transferToBank } from "../../server/test/bank/bank-folder.ts";
import type { Instruction } from "../../server/test/bank/bank-message.ts";
import { listBatches, findMerchant, findSettlement, type Month } from "./month-state.ts";
import { operatorAdversities, type OperatorAdversity } from "./adversity.ts";
import type { PlannedMerchant } from "./month-plan.ts";
import { addDays, type ExpectedBatch } from "./reference-settlement.ts";
import { monthBank } from "./month-installation.ts";

/** A batch that must be paid today. */
interface DueBatch {
  readonly clientId: string;
  readonly batch: ExpectedBatch;
}

/** `closeAndPay` closes the previous day and pays the due batches, while one fault on the operator's side occurs. */
export async function closeAndPay(month: Month, day: string): Promise<void> {
  const { installation, plan, misses } = month;
  const closedDay = addDays(day, -1);
  await installation.operate("settlement", "close", "--day", closedDay);
  for (const merchant of plan.merchants)
    for (const currency of merchant.currencies.toSorted())
      closeExpected(month, merchant, currency, closedDay);
  const dueBatches = expectDue(month, day);
  const fault = dueBatches.length === 0 ? undefined : nextAdversity(month);
  const received = [...(await runPayouts(month, { day, dueBatches, fault }))];
  const [actual, expected] = [
    received.map((each) => describeInstruction(month, each)),
    removeHeld(month, dueBatches).map(describeDue),
  ];
  misses.push(
    ...findMissing(expected, actual).map((each) => `${day}: ${each} was due, and was not paid (${fault})`),
  );
  misses.push(
    ...findMissing(actual, expected).map((each) => `${day}: ${each} was paid, and was not due (${fault})`),
  );
  for (const { batch } of dueBatches.filter((each) => isHeld(month, each))) batch.isInPayout = false;
  for (const instruction of received) expectSent(month, instruction);
  if (fault === "suspended-merchant") await resumeMerchants(month);
}

/** Returns the operator fault that has occurred least often. */
function nextAdversity({ adversities, faultCounts }: Month): OperatorAdversity | undefined {
  const faultCount = (name: string): number => faultCounts.get(name) ?? 0;
  const [fault] = [...adversities]
    .filter((name): name is OperatorAdversity => name in operatorAdversities)
    .toSorted((a, b) => faultCount(a) - faultCount(b));
  if (fault) faultCounts.set(fault, faultCount(fault) + 1);
  return fault;
}

interface PayoutDayOptions {
  readonly day: string;
  readonly dueBatches: readonly DueBatch[];
  readonly fault: OperatorAdversity | undefined;
}

/** `runPayouts` runs the payouts of a day with the chosen fault, and returns the payouts that the bank has accepted. */
async function runPayouts(
  month: Month,
  { day, dueBatches, fault }: PayoutDayOptions,
): Promise<readonly Instruction[]> {
  const { installation, bank } = month;
  const folder = join(installation.folder, "payouts");
  const args = ["payout", "run", "--bank", monthBank, "--folder", folder, "--day", day];
  const received: Instruction[] = [];
  const deliverFiles = (): void => void received.push(...transferToBank(bank, folder));
  const runPayoutCommand = async (): Promise<void> => {
    const problem = await installation.tryOperate(...args);
    if (problem !== undefined)
      month.misses.push(`${day}: payout run fails: ${problem.slice(0, 300)} (${fault})`);
  };
  const [first] = dueBatches;
  switch (fault) {
    case "killed-run":
      await installation.killPayoutRun(nextCrashPoint(month), { day, folder });
      deliverFiles();
      break;
    case "two-runs":
      // Both runs find the file of an earlier run, which was killed before it handed the file to the bank.
      await installation.killPayoutRun("after-file-commit", { day, folder });
      await deliverFilesDuring(deliverFiles, () => Promise.all([runPayoutCommand(), runPayoutCommand()]));
      break;
    case "ended-account":
      if (!first) break;
      await installation.killPayoutRun("after-payout-commit", { day, folder });
      deliverFiles();
      await installation.operate("payout", "account", "end", first.clientId, accountId(first));
      if (!received.some((each) => describeInstruction(month, each) === describeDue(first)))
        month.payoutHolds.add(`${first.clientId} ${first.batch.payout.currency}`);
      break;
    case "suspended-merchant":
      if (!first) break;
      await installation.operate("merchant", "suspend", first.clientId);
      month.payoutHolds.add(first.clientId);
      break;
    case "restore":
      if (!first) break;
      // A merchant is suspended during the run that the restore will lose. So more payouts are due after the restore
      // than the lost files contain.
      await installation.operate("merchant", "suspend", first.clientId);
      await installation.copyDatabase();
      await runPayoutCommand();
      deliverFiles();
      await installation.restoreDatabase();
      await installation.operate("merchant", "resume", first.clientId);
      if (readdirSync(join(folder, ...copiesPath)).length > 0) await recoverFiles(month, day, args);
      deliverFiles();
      break;
    case undefined:
  }
  await runPayoutCommand();
  deliverFiles();
  return received;
}

/** Copies of the files for the bank, in the payouts folder. */
const copiesPath = ["handed-over", monthBank] as const;

/** `deliverFilesDuring` lets the bank's program collect files every two milliseconds while payouts run. */
async function deliverFilesDuring(
  deliverFiles: () => void,
  runPayoutCommand: () => Promise<unknown>,
): Promise<void> {
  const timer = setInterval(deliverFiles, 2);
  await runPayoutCommand().finally(() => clearInterval(timer));
  deliverFiles();
}

/**
 * After a restore, payout runs are rejected, and each file that the database does not know is recovered from its copy.
 */
async function recoverFiles(
  { installation, misses }: Month,
  day: string,
  args: readonly string[],
): Promise<void> {
  const copies = join(installation.folder, "payouts", ...copiesPath);
  const files = await installation.operate<readonly { readonly fileId: string }[]>(
    "payout",
    "files",
    "--limit",
    "10000",
  );
  const openBatches = new Set(files.map(({ fileId }) => `${fileId}.xml`));
  const lostFiles = readdirSync(copies).filter((name) => !openBatches.has(name));
  if (lostFiles.length === 0) return;
  if ((await installation.tryOperate(...args)) === undefined)
    misses.push(`${day}: payout run is not rejected after a restore`);
  for (const name of lostFiles.toSorted()) {
    const problem = await installation.tryOperate(
      "payout",
      "recover",
      "--bank",
      monthBank,
      join(copies, name),
    );
    if (problem !== undefined) misses.push(`${day}: payout recover fails: ${problem.slice(0, 300)}`);
  }
}

async function resumeMerchants({ installation, payoutHolds, plan }: Month): Promise<void> {
  for (const { clientId } of plan.merchants)
    if (payoutHolds.delete(clientId)) await installation.operate("merchant", "resume", clientId);
}

const accountId = ({ batch }: DueBatch): string => `account-${batch.payout.currency}`;

/** The crash points of a payout run in turn, first the one after which the bank gets a file twice. */
function nextCrashPoint({ faultCounts }: Month): PayoutCrashPoint {
  const nth = (faultCounts.get("killed-run") ?? 1) - 1;
  const points = payoutCrashPoints.filter((point) => !/close|import/.test(point));
  const first = points.indexOf("after-file-renamed");
  return points[(first + nth) % points.length] ?? "after-file-renamed";
}

/**
 * `expectSent` records a payout that the bank has accepted: in the expected ledger, the owed amount is now in transit.
 */
function expectSent(month: Month, instruction: Instruction): void {
  const { ledger, counts, payouts } = month;
  const { endToEndId, currency, minor } = instruction;
  const merchant = findMerchant(month, instruction);
  const { clientId } = merchant;
  ledger.move(`merchant payable ${clientId}`, `payout in transit ${clientId}`, currency, minor);
  const openBatches = new Set([...payouts.values()].filter(isOpen).map(({ batch }) => batch));
  const batch = listBatches(month, merchant, (settlement) => settlement.batchesInPayout()).find(
    (each) => !openBatches.has(each) && each.payout.currency === currency && each.payout.minor === minor,
  );
  payouts.set(endToEndId, { clientId, currency, minor, batch, state: "sent" });
  counts.payouts += 1;
}

const isOpen = ({ state }: { readonly state: string }): boolean => state === "sent" || state === "paid";

/**
 * `closeExpected` closes a day in the model, by the merchant's contract. Amounts to convert wait until there is an FX
 * rate.
 */
function closeExpected(month: Month, merchant: PlannedMerchant, currency: string, day: string): void {
  const { ledger, market, counts } = month;
  const { clientId, settleIn = currency } = merchant;
  const [payableAccount, reserveAccount] = [`merchant payable ${clientId}`, `merchant reserve ${clientId}`];
  if (settleIn !== currency && !market.hasPrice(currency, settleIn)) return;
  const availableMinor = (): bigint => -ledger.balanceOf(payableAccount, currency);
  findSettlement(month, clientId, currency).close(day, {
    moveReserve: (minor) => ledger.move(reserveAccount, payableAccount, currency, minor),
    hasDue: () => unpaidIn(month, merchant, currency).length > 0,
    joinBatches: (shortfall) => joinBatches(unpaidIn(month, merchant, currency), shortfall),
    canPay: (net) =>
      settleIn === currency ||
      (availableMinor() >= net && market.quote({ currency, minor: net }, settleIn) > 0n),
    payout(net) {
      if (settleIn === currency) return { currency, minor: net };
      if (availableMinor() < net) return undefined;
      const converted = market.convert(ledger, payableAccount, { currency, minor: net }, settleIn);
      if (converted) counts.changed += 1;
      return converted;
    },
  });
}

/** Due and unpaid batches of a merchant in a payout currency, latest due date first. */
function unpaidIn(month: Month, merchant: PlannedMerchant, currency: string): readonly ExpectedBatch[] {
  return listBatches(month, merchant, (settlement) => settlement.dueBatches("9999-12-31"))
    .filter(({ payout }) => payout.currency === currency)
    .toSorted((a, b) => a.dueDay.localeCompare(b.dueDay) || a.closedOn.localeCompare(b.closedOn))
    .toReversed();
}

/**
 * `joinBatches` joins batches to a negative batch until they cover its negative sum, and returns the sum of the joined
 * batches.
 */
function joinBatches(batches: readonly ExpectedBatch[], shortfall: bigint): bigint {
  let joinedMinor = 0n;
  for (const batch of batches) {
    if (joinedMinor >= shortfall) break;
    batch.isJoined = true;
    joinedMinor += batch.payout.minor;
  }
  return joinedMinor;
}

/** Batches that are due by the contracts and covered by the merchant's balance. */
function expectDue(month: Month, day: string): readonly DueBatch[] {
  return month.plan.merchants.flatMap((merchant) => {
    const { clientId } = merchant;
    const payableAccount = new Map<string, bigint>();
    const batches = listBatches(month, merchant, (settlement) => settlement.dueBatches(day)).toSorted(
      (a, b) => a.dueDay.localeCompare(b.dueDay) || a.endsOn.localeCompare(b.endsOn),
    );
    const dueBatches = batches.map((batch) => ({ clientId, batch })).filter((each) => !isHeld(month, each));
    return dueBatches.filter(({ batch }) => {
      const { currency, minor } = batch.payout;
      const remaining =
        payableAccount.get(currency) ?? -month.ledger.balanceOf(`merchant payable ${clientId}`, currency);
      batch.isInPayout = minor <= remaining;
      payableAccount.set(currency, batch.isInPayout ? remaining - minor : remaining);
      return batch.isInPayout;
    });
  });
}

function isHeld({ payoutHolds }: Month, { clientId, batch }: DueBatch): boolean {
  return payoutHolds.has(clientId) || payoutHolds.has(`${clientId} ${batch.payout.currency}`);
}

const removeHeld = (month: Month, dueBatches: readonly DueBatch[]): readonly DueBatch[] =>
  dueBatches.filter((each) => !isHeld(month, each));

const describeDue = ({ clientId, batch }: DueBatch): string =>
  `${clientId} ${batch.payout.currency} ${batch.payout.minor}`;

function describeInstruction(month: Month, instruction: Instruction): string {
  const { clientId } = findMerchant(month, instruction);
  return `${clientId} ${instruction.currency} ${instruction.minor}`;
}

/**
 * `findMissing` returns the texts of `texts` that are missing in `others`. A text that is missing twice is returned
 * twice.
 */
export function findMissing(texts: readonly string[], others: readonly string[]): readonly string[] {
  const remaining = [...others];
  return texts.filter((each) => {
    const at = remaining.indexOf(each);
    if (at >= 0) remaining.splice(at, 1);
    return at < 0;
  });
}
