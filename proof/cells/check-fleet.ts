import type { Cell } from "./cell.ts";
import type { CellFleet } from "./cell-fleet.ts";
import type { MerchantMove } from "./cell-moves.ts";
import type { FrozenCellLatency } from "./frozen-cell.ts";
import type { SellingShop, WrongAnswer } from "./cell-shops.ts";
import { readDatabaseState, type DatabaseState } from "../oracle/database-state.ts";
import { checkInvariants } from "../oracle/oracle.ts";
import { readProviderJournal } from "../oracle/provider-journal.ts";

/** The judge's findings as texts; empty lists if the proof passes. */
export interface FleetFindings {
  /** Acknowledged changes that are missing at the end of the move or of the proof. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Wrong responses: a cell that was not the merchant's home gave them, or no home would give them. */
  readonly wrong: readonly string[];
  /** All other errors: ledgers that disagree, records that are not final, feeds with a gap, bugs in a log. */
  readonly other: readonly string[];
  /**
   * Number of rejections by a home cell that was just thawed. To its processes, the provider seemed not to have
   * responded during the freeze.
   */
  readonly thawRejections: number;
  readonly payments: number;
  /** Calls that the cells served, by their own logs. */
  readonly servedCalls: number;
}

/** Client id → its current home cell. */
export type CurrentHomes = ReadonlyMap<string, string>;

export async function checkFleet(
  fleet: CellFleet,
  shops: readonly SellingShop[],
  moves: readonly MerchantMove[],
  frozen: FrozenCellLatency,
): Promise<FleetFindings> {
  const rejections = Map.groupBy(
    shops.flatMap(({ wrong }) => wrong),
    (answer) => isExplainedByThaw(answer, frozen, fleet.merchants),
  );
  const currentHomes = new Map(fleet.merchants.map(({ clientId, cell }) => [clientId, cell]));
  for (const { merchant, to } of moves) currentHomes.set(merchant.clientId, to);
  const databaseState = await readDatabaseState(queryHomeRows(fleet.cells, currentHomes));
  const processes = [...fleet.cells.flatMap((cell) => cell.processes), fleet.provider.process];
  const findings = checkInvariants({
    history: fleet.history,
    databaseState,
    journal: readProviderJournal(fleet.provider.effects()),
    unexpectedExits: processes.flatMap(({ unexpectedExits }) => unexpectedExits),
    suspiciousLines: processes.flatMap(({ suspiciousLines }) => suspiciousLines),
  });
  const findingsOfKinds = (kinds: readonly string[]): string[] =>
    findings
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ kind, description, ids }) => `${kind}: ${ids.join(" ")} ${description}`);
  const rowsLeftBehind = await findRowsLeftBehind(fleet, moves);
  const misrouted = await findMisroutedRequests(fleet, moves);
  return {
    lost: [...findingsOfKinds(["lost"]), ...rowsLeftBehind],
    doubled: [...findingsOfKinds(["doubled"]), ...requestsWithTwoRecords(databaseState)],
    wrong: [
      ...misrouted.wrong,
      ...(await findWrongHomes(fleet, currentHomes)),
      ...(rejections.get(false) ?? []).map(({ description }) => description),
    ],
    thawRejections: rejections.get(true)?.length ?? 0,
    other: [
      ...findingsOfKinds(["unbalanced", "stuck", "broken"]),
      ...shops.flatMap((shop) => findFeedGaps(shop, databaseState)),
    ],
    payments: databaseState.payments.length,
    servedCalls: misrouted.calls,
  };
}

/**
 * Result codes that a cell may return after a freeze. The interrupted calls to the provider open the circuit breaker,
 * and the cell rejects calls that were in progress as too slow (408).
 */
const thawResultCodes = ["UNAVAILABLE_PAYMENT_METHOD", "408"];
const thawWithinMs = 15_000;

/** Whether the response came from the merchant's own home, which was frozen a moment before. */
export function isExplainedByThaw(
  { clientId, code, atMs }: WrongAnswer,
  { cell, fromMs, untilMs }: Pick<FrozenCellLatency, "cell" | "fromMs" | "untilMs">,
  merchants: readonly { readonly clientId: string; readonly cell: string }[],
): boolean {
  const isItsHome = merchants.some((each) => each.clientId === clientId && each.cell === cell);
  return isItsHome && thawResultCodes.includes(code) && atMs >= fromMs && atMs <= untilMs + thawWithinMs;
}

/** All cells read as one database, with each merchant's rows from its home only, because old homes keep copies. */
export function queryHomeRows(
  cells: readonly Cell[],
  currentHomes: CurrentHomes,
): { execute<Row extends object>(database: string, statement: string): Promise<readonly Row[]> } {
  return {
    async execute<Row extends object>(_database: string, statement: string) {
      const rows = await Promise.all(
        cells.map(async (cell) =>
          (await cell.execute<Row>(statement)).filter((row) => {
            const { client_id: clientId } = row as { readonly client_id?: string };
            return clientId === undefined || currentHomes.get(clientId) === cell.name;
          }),
        ),
      );
      return rows.flat();
    },
  };
}

/** Request ids that have more than one payment in any cells. */
function requestsWithTwoRecords({ payments }: DatabaseState): readonly string[] {
  const groups = Map.groupBy(payments, ({ clientId, paymentRequestId }) => `${clientId} ${paymentRequestId}`);
  return [...groups].filter(([, rows]) => rows.length > 1).map(([request]) => `${request} has two payments`);
}

/**
 * `findRowsLeftBehind` returns rows of payments and ledger in the old cell that are missing or different in the new
 * home.
 */
async function findRowsLeftBehind(
  fleet: CellFleet,
  moves: readonly MerchantMove[],
): Promise<readonly string[]> {
  const missing = moves.map(async ({ merchant: { clientId }, from, to }) => {
    const [source, target] = await Promise.all(
      [from, to].map(async (name) => {
        const rows = await fleet.cell(name).execute<{ row: string }>(
          `select 'payment ' || payment_id as row from payments where client_id = '${clientId}'
           union all
           select concat_ws(' ', 'transfer', subject_id, effect, line, debit_account, credit_account, currency, amount_minor)
           from ledger_transfers where client_id = '${clientId}'`,
        );
        return rows.map(({ row }) => row);
      }),
    );
    const targetRows = new Set(target);
    return (source ?? [])
      .filter((row) => !targetRows.has(row))
      .map((row) => `${clientId}: ${row} stayed in ${from}`);
  });
  return (await Promise.all(missing)).flat();
}

/** Maximum difference in milliseconds between the clocks of processes and their database. */
const clockMs = 20;

/** Compares each cell's own request log with the time in which the merchant had its home there. */
async function findMisroutedRequests(
  fleet: CellFleet,
  moves: readonly MerchantMove[],
): Promise<{ readonly calls: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = [];
  let calls = 0;
  const adaptKubeFile = new Map(moves.map((move) => [move.merchant.clientId, move]));
  const firstHomes = new Map(fleet.merchants.map(({ clientId, cell }) => [clientId, cell]));
  for (const cell of fleet.cells) {
    const rows = await cell.execute<ServedRow>(
      `select log.client_id, log.path, log.result_code, log.at,
         log.at - log.duration_us * interval '1 microsecond' as arrived_at, home.since
       from request_log as log left join client_homes as home on home.client = log.client_id
       where log.result_code <> 'UNKNOWN_EXCEPTION'`,
    );
    calls += rows.length;
    for (const row of rows)
      if (!wasServedByHome(cell.name, row, firstHomes.get(row.client_id), adaptKubeFile.get(row.client_id)))
        wrong.push(`${cell.name} answered ${row.path} of ${row.client_id} with ${row.result_code}`);
  }
  return { calls, wrong };
}

interface ServedRow {
  readonly client_id: string;
  readonly path: string;
  readonly result_code: string;
  /** Time of the response. */
  readonly at: Date;
  readonly arrived_at: Date;
  /** Time of the last change of the client's home in this cell. */
  readonly since: Date | null;
}

export function wasServedByHome(
  cell: string,
  { at, arrived_at: arrivedAt, since }: ServedRow,
  firstHomes: string | undefined,
  move: MerchantMove | undefined,
): boolean {
  if (!move) return cell === firstHomes;
  if (!since) return false;
  // A correct request arrived before the merchant left the old home, or got its response after the merchant arrived at
  // the new home.
  if (cell === move.from) return arrivedAt.getTime() - since.getTime() < clockMs;
  return cell === move.to && at.getTime() - since.getTime() > -clockMs;
}

/** Merchants that do not have exactly one correct home. */
async function findWrongHomes(fleet: CellFleet, currentHomes: CurrentHomes): Promise<readonly string[]> {
  const homes = new Map<string, string[]>();
  for (const cell of fleet.cells) {
    const rows = await cell.execute<{ client_id: string }>(
      `select client_id from clients
       where not exists (select from client_homes where client = client_id and state <> 'here')`,
    );
    for (const { client_id: clientId } of rows)
      homes.set(clientId, [...(homes.get(clientId) ?? []), cell.name]);
  }
  return [...currentHomes]
    .filter(([clientId, cell]) => homes.get(clientId)?.join() !== cell)
    .map(([clientId, cell]) => `${clientId} lives in ${homes.get(clientId)?.join(" and ")}, not in ${cell}`);
}

/** The feed as the merchant read it during its move: 1, 2, 3, each record's final event once, none missing. */
export function findFeedGaps(
  { merchant: { clientId }, feed }: SellingShop,
  databaseState: DatabaseState,
): readonly string[] {
  const gap = feed.findIndex(({ cursor }, index) => cursor !== String(index + 1));
  const subjects = new Set(feed.map(({ subjectId }) => subjectId));
  const ids = new Set(feed.map(({ notificationId }) => notificationId));
  const unreported = [
    ...databaseState.payments
      .filter((row) => row.clientId === clientId && row.wasPaid)
      .map(({ paymentId }) => paymentId),
    ...databaseState.refunds
      .filter((row) => row.clientId === clientId && row.status === "SUCCESS")
      .map(({ id }) => id),
  ].filter((id) => !subjects.has(id));
  return [
    ...(gap < 0 ? [] : [`feed of ${clientId}: position ${feed[gap]?.cursor} where ${gap + 1} is due`]),
    ...(ids.size === feed.length ? [] : [`feed of ${clientId}: an event occurs twice`]),
    ...unreported.map((id) => `feed of ${clientId}: no event about ${id}`),
  ];
}
