import { readdirSync } from "node:fs";
import { join } from "node:path";
import { payoutCrashPoints, type PayoutCrashPoint } from "../../server/src/core/crash-point.ts";
import { carryToBank } from "../../server/test/bank/bank-folder.ts";
import type { Instruction } from "../../server/test/bank/bank-message.ts";
import { batchesOf, merchantOf, settlementOf, type Month } from "./month-state.ts";
import { operatorAdversities, type OperatorAdversity } from "./adversity.ts";
import type { PlannedMerchant } from "./plan.ts";
import { addDays, type ExpectedBatch } from "./settle.ts";
import { monthBank } from "./world.ts";

/** A batch that must be paid today. */
interface Due {
  readonly clientId: string;
  readonly batch: ExpectedBatch;
}

/** `closeAndPay` closes the previous day and pays the due batches, while one fault on the operator's side occurs. */
export async function closeAndPay(month: Month, day: string): Promise<void> {
  const { world, plan, misses } = month;
  const closedDay = addDays(day, -1);
  await world.operate("settlement", "close", "--day", closedDay);
  for (const merchant of plan.merchants)
    for (const currency of merchant.currencies.toSorted())
      closeExpected(month, merchant, currency, closedDay);
  const due = expectDue(month, day);
  const chosen = due.length === 0 ? undefined : adversityOf(month);
  const received = [...(await runPayouts(month, { day, due, chosen }))];
  const [paid, wanted] = [received.map((each) => nameOf(month, each)), dueNow(month, due).map(nameOfDue)];
  misses.push(
    ...without(wanted, paid).map((each) => `${day}: ${each} was due, and was not paid (${chosen})`),
  );
  misses.push(
    ...without(paid, wanted).map((each) => `${day}: ${each} was paid, and was not due (${chosen})`),
  );
  for (const { batch } of due.filter((each) => isHeld(month, each))) batch.isTaken = false;
  for (const instruction of received) expectSent(month, instruction);
  if (chosen === "suspended-merchant") await resumeMerchants(month);
}

/** Returns the operator fault that has occurred least often. */
function adversityOf({ adversities, occurred }: Month): OperatorAdversity | undefined {
  const countOf = (name: string): number => occurred.get(name) ?? 0;
  const [chosen] = [...adversities]
    .filter((name): name is OperatorAdversity => name in operatorAdversities)
    .toSorted((a, b) => countOf(a) - countOf(b));
  if (chosen) occurred.set(chosen, countOf(chosen) + 1);
  return chosen;
}

interface Running {
  readonly day: string;
  readonly due: readonly Due[];
  readonly chosen: OperatorAdversity | undefined;
}

/** `runPayouts` runs the payouts of a day with the chosen fault, and returns the payouts that the bank has accepted. */
async function runPayouts(month: Month, { day, due, chosen }: Running): Promise<readonly Instruction[]> {
  const { world, bank } = month;
  const folder = join(world.folder, "payouts");
  const words = ["payout", "run", "--bank", monthBank, "--folder", folder, "--day", day];
  const received: Instruction[] = [];
  const carry = (): void => void received.push(...carryToBank(bank, folder));
  const run = async (): Promise<void> => {
    const problem = await world.tryOperate(...words);
    if (problem !== undefined)
      month.misses.push(`${day}: payout run fails: ${problem.slice(0, 300)} (${chosen})`);
  };
  const [first] = due;
  switch (chosen) {
    case "killed-run":
      await world.killPayoutRun(crashPointOf(month), { day, folder });
      carry();
      break;
    case "two-runs":
      // Both runs find the file of an earlier run, which was killed before it handed the file to the bank.
      await world.killPayoutRun("after-file-commit", { day, folder });
      await carryDuring(carry, () => Promise.all([run(), run()]));
      break;
    case "ended-account":
      if (!first) break;
      await world.killPayoutRun("after-payout-commit", { day, folder });
      carry();
      await world.operate("payout", "account", "end", first.clientId, accountOf(first));
      if (!received.some((each) => nameOf(month, each) === nameOfDue(first)))
        month.held.add(`${first.clientId} ${first.batch.pays.currency}`);
      break;
    case "suspended-merchant":
      if (!first) break;
      await world.operate("merchant", "suspend", first.clientId);
      month.held.add(first.clientId);
      break;
    case "restore":
      if (!first) break;
      // A merchant is suspended during the run that the restore will lose. So more payouts are due after the restore
      // than the lost files contain.
      await world.operate("merchant", "suspend", first.clientId);
      await world.copyDatabase();
      await run();
      carry();
      await world.restoreDatabase();
      await world.operate("merchant", "resume", first.clientId);
      if (readdirSync(join(folder, ...copiesIn)).length > 0) await recover(month, day, words);
      carry();
      break;
    case undefined:
  }
  await run();
  carry();
  return received;
}

/** Copies of the files for the bank, in the payouts folder. */
const copiesIn = ["handed-over", monthBank] as const;

/** `carryDuring` lets the bank's program collect files every two milliseconds while payouts run. */
async function carryDuring(carry: () => void, run: () => Promise<unknown>): Promise<void> {
  const timer = setInterval(carry, 2);
  await run().finally(() => clearInterval(timer));
  carry();
}

/**
 * After a restore, payout runs are rejected, and each file that the database does not know is recovered from its copy.
 */
async function recover({ world, misses }: Month, day: string, words: readonly string[]): Promise<void> {
  const copies = join(world.folder, "payouts", ...copiesIn);
  const files = await world.operate<readonly { readonly fileId: string }[]>(
    "payout",
    "files",
    "--limit",
    "10000",
  );
  const known = new Set(files.map(({ fileId }) => `${fileId}.xml`));
  const lost = readdirSync(copies).filter((name) => !known.has(name));
  if (lost.length === 0) return;
  if ((await world.tryOperate(...words)) === undefined)
    misses.push(`${day}: payout run is not rejected after a restore`);
  for (const name of lost.toSorted()) {
    const problem = await world.tryOperate("payout", "recover", "--bank", monthBank, join(copies, name));
    if (problem !== undefined) misses.push(`${day}: payout recover fails: ${problem.slice(0, 300)}`);
  }
}

async function resumeMerchants({ world, held, plan }: Month): Promise<void> {
  for (const { clientId } of plan.merchants)
    if (held.delete(clientId)) await world.operate("merchant", "resume", clientId);
}

const accountOf = ({ batch }: Due): string => `account-${batch.pays.currency}`;

/** The crash points of a payout run in turn, first the one after which the bank gets a file twice. */
function crashPointOf({ occurred }: Month): PayoutCrashPoint {
  const nth = (occurred.get("killed-run") ?? 1) - 1;
  const points = payoutCrashPoints.filter((point) => !/close|import/.test(point));
  const first = points.indexOf("after-file-renamed");
  return points[(first + nth) % points.length] ?? "after-file-renamed";
}

/**
 * `expectSent` records a payout that the bank has accepted: in the expected ledger, the owed amount is now in transit.
 */
function expectSent(month: Month, instruction: Instruction): void {
  const { books, counts, payouts } = month;
  const { endToEndId, currency, minor } = instruction;
  const merchant = merchantOf(month, instruction);
  const { clientId } = merchant;
  books.move(`merchant payable ${clientId}`, `payout in transit ${clientId}`, currency, minor);
  const known = new Set([...payouts.values()].filter(isOpen).map(({ batch }) => batch));
  const batch = batchesOf(month, merchant, (settlement) => settlement.taken()).find(
    (each) => !known.has(each) && each.pays.currency === currency && each.pays.minor === minor,
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
  const { books, market, counts } = month;
  const { clientId, settleIn = currency } = merchant;
  const [owed, reserve] = [`merchant payable ${clientId}`, `merchant reserve ${clientId}`];
  if (settleIn !== currency && !market.hasPrice(currency, settleIn)) return;
  const free = (): bigint => -books.balanceOf(owed, currency);
  settlementOf(month, clientId, currency).close(day, {
    kept: (minor) => books.move(reserve, owed, currency, minor),
    hasDue: () => unpaidIn(month, merchant, currency).length > 0,
    joins: (lack) => joinBatches(unpaidIn(month, merchant, currency), lack),
    canPay: (net) =>
      settleIn === currency || (free() >= net && market.worth({ currency, minor: net }, settleIn) > 0n),
    pays(net) {
      if (settleIn === currency) return { currency, minor: net };
      if (free() < net) return undefined;
      const got = market.change(books, owed, { currency, minor: net }, settleIn);
      if (got) counts.changed += 1;
      return got;
    },
  });
}

/** Due and unpaid batches of a merchant in a payout currency, latest due date first. */
function unpaidIn(month: Month, merchant: PlannedMerchant, currency: string): readonly ExpectedBatch[] {
  return batchesOf(month, merchant, (settlement) => settlement.due("9999-12-31"))
    .filter(({ pays }) => pays.currency === currency)
    .toSorted((a, b) => a.dueDay.localeCompare(b.dueDay) || a.closedOn.localeCompare(b.closedOn))
    .toReversed();
}

/**
 * `joinBatches` joins batches to a negative batch until they cover its negative sum, and returns the sum of the joined
 * batches.
 */
function joinBatches(batches: readonly ExpectedBatch[], lack: bigint): bigint {
  let joined = 0n;
  for (const batch of batches) {
    if (joined >= lack) break;
    batch.isJoined = true;
    joined += batch.pays.minor;
  }
  return joined;
}

/** Batches that are due by the contracts and covered by the merchant's balance. */
function expectDue(month: Month, day: string): readonly Due[] {
  return month.plan.merchants.flatMap((merchant) => {
    const { clientId } = merchant;
    const owed = new Map<string, bigint>();
    const batches = batchesOf(month, merchant, (settlement) => settlement.due(day)).toSorted(
      (a, b) => a.dueDay.localeCompare(b.dueDay) || a.endsOn.localeCompare(b.endsOn),
    );
    const due = batches.map((batch) => ({ clientId, batch })).filter((each) => !isHeld(month, each));
    return due.filter(({ batch }) => {
      const { currency, minor } = batch.pays;
      const left = owed.get(currency) ?? -month.books.balanceOf(`merchant payable ${clientId}`, currency);
      batch.isTaken = minor <= left;
      owed.set(currency, batch.isTaken ? left - minor : left);
      return batch.isTaken;
    });
  });
}

function isHeld({ held }: Month, { clientId, batch }: Due): boolean {
  return held.has(clientId) || held.has(`${clientId} ${batch.pays.currency}`);
}

const dueNow = (month: Month, due: readonly Due[]): readonly Due[] =>
  due.filter((each) => !isHeld(month, each));

const nameOfDue = ({ clientId, batch }: Due): string =>
  `${clientId} ${batch.pays.currency} ${batch.pays.minor}`;

function nameOf(month: Month, instruction: Instruction): string {
  const { clientId } = merchantOf(month, instruction);
  return `${clientId} ${instruction.currency} ${instruction.minor}`;
}

/**
 * `without` returns the texts of `some` that are missing in `others`. A text that is missing twice is returned twice.
 */
export function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return some.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
