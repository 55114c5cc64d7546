import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cell } from "./cell.ts";
import type { CellFleet, FleetMerchant } from "./cell-fleet.ts";
import { fleetVariables } from "./fleet-reconciliation.ts";
import { moveWithKills, type MerchantMove } from "./cell-moves.ts";
import { runTollgate } from "../installation/installation.ts";
import { outputOfFailedCommand } from "../oracle/reconcile-providers.ts";
import { writeStatements } from "../../server/test/bank/bank-message.ts";

/**
 * Payouts of two cells from one bank account, with a merchant that moves between the payout file and the bank
 * statement.
 */
export interface FleetPayouts {
  readonly paid: number;
  /** Failed checks; empty if the proof passes. */
  readonly wrong: readonly string[];
  /** The move of the first merchant. */
  readonly move: MerchantMove;
}

const bank = "first";
const ourIban = "FR1420041010050500013M02606";
const merchantIban = "DE89370400440532013000";
const dayMs = 24 * 3600 * 1000;

/** `bookDay` returns the date of the book day (UTC+8) that was `daysAgo` days ago. */
const bookDay = (daysAgo: number): string =>
  new Date(Date.now() + 8 * 3600 * 1000 - daysAgo * dayMs).toISOString().slice(0, 10);

export async function payOutFleet(
  fleet: CellFleet,
  movedBefore: readonly MerchantMove[],
): Promise<FleetPayouts> {
  const [from, to] = fleet.cells;
  if (!from || !to) throw new Error("There are fewer than two cells.");
  const unmovedMerchants = (cell: Cell): readonly FleetMerchant[] =>
    fleet.merchants.filter(
      ({ clientId, cell: home }) =>
        home === cell.name && !movedBefore.some(({ merchant }) => merchant.clientId === clientId),
    );
  const [movingMerchant, stayingMerchant] = unmovedMerchants(from);
  const [other] = unmovedMerchants(to);
  if (!movingMerchant || !stayingMerchant || !other)
    throw new Error("There are too few merchants that did not move.");
  await Promise.all([
    prepareSales(fleet, from, [movingMerchant, stayingMerchant]),
    prepareSales(fleet, to, [other]),
    ...fleet.cells.slice(2).map((cell) => setBank(cell)),
  ]);
  await payOut(fleet);
  const sentPayouts = readSentPayouts(fleet);
  const move = await moveWithKills(fleet, movingMerchant, to, []);
  const homes = [
    { merchant: movingMerchant, cell: to },
    { merchant: stayingMerchant, cell: from },
    { merchant: other, cell: to },
  ];
  const wrong = [
    ...(await importStatement(fleet, sentPayouts)),
    ...(await findWrongPayouts(fleet, sentPayouts, homes)),
  ];
  // No batch of any cell is due any more, so this second payout run must not write a file.
  await payOut(fleet);
  if (readSentPayouts(fleet).length > sentPayouts.length)
    wrong.push("payouts: a batch that was paid was paid again");
  return { paid: sentPayouts.length, wrong, move };
}

const ourAccount = ["--currency", "EUR", "--iban", ourIban, "--bic", "BNPAFRPP", "--holder", "Gateway SA"];
const setBank = (cell: Cell): Promise<string> => cell.operate("payout", "bank", "set", bank, ...ourAccount);

/** Sets terms and an account for each merchant, and moves their sales to past days. */
async function prepareSales(
  fleet: CellFleet,
  cell: Cell,
  merchants: readonly FleetMerchant[],
): Promise<void> {
  mkdirSync(folderOf(fleet, cell), { recursive: true });
  await Promise.all([setBank(cell), ...merchants.map(({ clientId }) => openBankAccount(cell, clientId))]);
  const clients = merchants.map(({ clientId }) => `'${clientId}'`).join(", ");
  await cell.execute(
    `set session_replication_role = replica; update ledger_transfers set at = at - interval '2 days' where client_id in (${clients})`,
  );
}

async function openBankAccount(cell: Cell, clientId: string): Promise<void> {
  const terms = ["--currency", "EUR", "--cycle", "D", "--days", "0", "--from", bookDay(30)];
  await cell.operate("payout", "terms", "set", clientId, ...terms);
  const account = ["--currency", "EUR", "--iban", merchantIban, "--holder", "A shop", "--wait-hours", "0"];
  const output = await cell.operate("payout", "account", "set", clientId, ...account, "--json");
  const { accountId } = JSON.parse(output) as { readonly accountId: string };
  await cell.operate("payout", "account", "approve", clientId, accountId);
}

/** Closes and pays out in the first two cells, as their operators do every day. */
async function payOut(fleet: CellFleet): Promise<void> {
  await Promise.all(
    fleet.cells.slice(0, 2).map(async (cell) => {
      await cell.operate("settlement", "close", "--day", bookDay(1));
      await cell.operate(
        "payout",
        "run",
        "--bank",
        bank,
        "--folder",
        folderOf(fleet, cell),
        "--day",
        bookDay(-5),
      );
    }),
  );
}

const folderOf = (fleet: CellFleet, cell: Cell): string => join(fleet.folder, `payouts-${cell.name}`);

interface SentPayout {
  readonly endToEndId: string;
  readonly minor: bigint;
}

/** The payouts that the bank received, read only from the files. */
function readSentPayouts(fleet: CellFleet): readonly SentPayout[] {
  const texts = fleet.cells.slice(0, 2).flatMap((cell) => {
    const folder = folderOf(fleet, cell);
    const names = readdirSync(folder).filter((name) => name.endsWith(".xml"));
    return names.map((name) => readFileSync(join(folder, name), "utf8"));
  });
  const payouts = texts.flatMap((text) => [
    ...text.matchAll(/<EndToEndId>([^<]+)<[\s\S]*?<InstdAmt Ccy="EUR">(\d+)\.(\d\d)</g),
  ]);
  return payouts.map(([, endToEndId = "", whole = "", cents = ""]) => ({
    endToEndId,
    minor: BigInt(whole + cents),
  }));
}

/**
 * Imports the bank's statement: all cells import it as a report about payouts, and the cell of the house account books
 * it.
 */
async function importStatement(fleet: CellFleet, sentPayouts: readonly SentPayout[]): Promise<string[]> {
  const day = bookDay(0);
  const entries = sentPayouts.map(({ endToEndId, minor }, index) => ({
    reference: `B-${index + 1}`,
    isReversal: false,
    details: [{ endToEndId, minor: -minor, text: "Settlement" }],
  }));
  const file = join(fleet.folder, "statement.xml");
  const statement = { statementId: day, iban: ourIban, currency: "EUR", day, opening: 10_000_000n, entries };
  writeFileSync(file, writeStatements(day, day, [statement]));
  const variables = fleetVariables(fleet);
  await runTollgate(variables, "payout", "import", file, "--all-cells");
  const booked = await Promise.allSettled(
    fleet.cells.map((cell) => cell.operate("bank", "import", file, "--bank", bank)),
  );
  const bookedCount = booked.filter(({ status }) => status === "fulfilled").length;
  const untilTime = `${new Date(Date.now() + 30 * dayMs).toISOString().slice(0, 19)}+00:00`;
  const args = ["reconcile", "--all-cells", "--json", "--until", untilTime];
  const output = await runTollgate(variables, ...args).catch(outputOfFailedCommand);
  const { cells } = JSON.parse(output) as {
    readonly cells: Readonly<
      Record<string, { readonly breaks: readonly { kind: string; reference: string }[] }>
    >;
  };
  const breaks = Object.values(cells).flatMap((reconciled) => reconciled.breaks);
  return [
    ...(bookedCount === 1 ? [] : [`payouts: ${bookedCount} cells have booked the bank statement`]),
    ...breaks
      .filter(({ kind }) => kind.includes("at the bank"))
      .map(({ kind, reference }) => `payouts: ${kind} ${reference}`),
  ];
}

/**
 * Checks that every merchant is paid the total of its batches once, by its own cell's database and by the bank's files.
 */
async function findWrongPayouts(
  fleet: CellFleet,
  sentPayouts: readonly SentPayout[],
  homes: readonly { readonly merchant: FleetMerchant; readonly cell: Cell }[],
): Promise<string[]> {
  const wrong: string[] = [];
  let knownCount = 0;
  for (const { merchant, cell } of homes) {
    const { clientId } = merchant;
    const payouts = await cell.execute<{ reference: string; minor: string; status: string }>(
      `select end_to_end_id as reference, amount_minor::text as minor, status from payouts where client_id = '${clientId}'`,
    );
    const [batchTotal] = await cell.execute<{ minor: string }>(
      `select coalesce(sum(net_minor), 0)::text as minor from settlement_batches where client_id = '${clientId}' and status = 'PAID'`,
    );
    knownCount += payouts.length;
    const paid = payouts.filter(({ status, reference, minor }) => {
      const inFiles = sentPayouts.filter(({ endToEndId }) => endToEndId === reference);
      return status === "PAID" && inFiles.length === 1 && inFiles[0]?.minor === BigInt(minor);
    });
    const sum = paid.reduce((total, { minor }) => total + BigInt(minor), 0n);
    if (payouts.length === 0 || paid.length < payouts.length || String(sum) !== batchTotal?.minor)
      wrong.push(
        `payouts: ${clientId} was paid ${sum} of ${batchTotal?.minor}, ${paid.length} of ${payouts.length} payouts`,
      );
  }
  if (knownCount !== sentPayouts.length)
    wrong.push(`payouts: the bank received ${sentPayouts.length}, and the cells have ${knownCount}`);
  let clearing = 0n;
  for (const cell of fleet.cells) {
    const [row] = await cell.execute<{ minor: string }>(
      `select coalesce(sum(case when debit_account = 'clearing' then amount_minor else -amount_minor end), 0)::text as minor
       from ledger_transfers where 'clearing' in (debit_account, credit_account)
         and client_id not in (select client from client_homes where state <> 'here')`,
    );
    clearing += BigInt(row?.minor ?? 0);
  }
  if (clearing !== 0n) wrong.push(`payouts: clearing of all cells is ${clearing}, and should be 0`);
  return wrong;
}
