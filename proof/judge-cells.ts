import type { Cell } from "./cell.ts";
import type { CellFleet } from "./cell-fleet.ts";
import type { MoveSeen } from "./cell-moves.ts";
import type { FrozenSeen } from "./cell-frozen.ts";
import type { SellingShop, WrongAnswer } from "./cell-shops.ts";
import { readEvidence, type Evidence } from "./evidence.ts";
import { judge } from "./oracle.ts";
import { readTruth } from "./truth.ts";

/** What came out of it, in words; empty lists are what is wanted. */
export interface FleetJudged {
  /** Told and not there, at the end of the move or of the day. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Answered by a cell that was not the merchant's home, or as no home would. */
  readonly wrong: readonly string[];
  /** All else that must not be: books that disagree, records without an end, feeds with a gap, bugs in a log. */
  readonly other: readonly string[];
  /** Refusals of a cell that was just thawed, by its home: the wallet was silent, as far as it could see. */
  readonly ofThawed: number;
  readonly payments: number;
  /** Calls that cells have served, by their own logs. */
  readonly servedCalls: number;
}

/** Client id → the cell that it lives in now. */
export type Living = ReadonlyMap<string, string>;

export async function judgeFleet(
  fleet: CellFleet,
  shops: readonly SellingShop[],
  moves: readonly MoveSeen[],
  frozen: FrozenSeen,
): Promise<FleetJudged> {
  const answers = Map.groupBy(
    shops.flatMap(({ wrong }) => wrong),
    (answer) => isOfThawed(answer, frozen, fleet.merchants),
  );
  const living = new Map(fleet.merchants.map(({ clientId, cell }) => [clientId, cell]));
  for (const { merchant, to } of moves) living.set(merchant.clientId, to);
  const evidence = await readEvidence(asOne(fleet.cells, living));
  const parts = [...fleet.cells.flatMap((cell) => cell.parts), fleet.wallet.part];
  const findings = judge({
    history: fleet.history,
    evidence,
    truth: readTruth(fleet.wallet.effects()),
    ownEndings: parts.flatMap(({ ownEndings }) => ownEndings),
    suspiciousLines: parts.flatMap(({ suspiciousLines }) => suspiciousLines),
  });
  const said = (kinds: readonly string[]): string[] =>
    findings
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ kind, what, ids }) => `${kind}: ${ids.join(" ")} ${what}`);
  const left = await leftBehind(fleet, moves);
  const served = await whoServed(fleet, moves);
  return {
    lost: [...said(["lost"]), ...left],
    doubled: [...said(["doubled"]), ...requestsWithTwoRecords(evidence)],
    wrong: [
      ...served.wrong,
      ...(await homesOf(fleet, living)),
      ...(answers.get(false) ?? []).map(({ what }) => what),
    ],
    ofThawed: answers.get(true)?.length ?? 0,
    other: [...said(["unbalanced", "stuck", "broken"]), ...shops.flatMap((shop) => gapsIn(shop, evidence))],
    payments: evidence.payments.length,
    servedCalls: served.calls,
  };
}

/** A breaker opens for calls to the wallet that were under way, and calls that had begun are told that they took too long. */
const codesOfThawed = ["UNAVAILABLE_PAYMENT_METHOD", "408"];
const thawsWithinMs = 15_000;

/** Whether the merchant's own home said it, which stood still a moment ago. */
export function isOfThawed(
  { clientId, code, atMs }: WrongAnswer,
  { cell, fromMs, untilMs }: Pick<FrozenSeen, "cell" | "fromMs" | "untilMs">,
  merchants: readonly { readonly clientId: string; readonly cell: string }[],
): boolean {
  const isItsHome = merchants.some((each) => each.clientId === clientId && each.cell === cell);
  return isItsHome && codesOfThawed.includes(code) && atMs >= fromMs && atMs <= untilMs + thawsWithinMs;
}

/** All cells read as one database, each merchant's rows from its home alone: behind the fence there are copies. */
export function asOne(
  cells: readonly Cell[],
  living: Living,
): { execute<Row extends object>(database: string, statement: string): Promise<readonly Row[]> } {
  return {
    async execute<Row extends object>(_database: string, statement: string) {
      const rows = await Promise.all(
        cells.map(async (cell) =>
          (await cell.execute<Row>(statement)).filter((row) => {
            const { client_id: clientId } = row as { readonly client_id?: string };
            return clientId === undefined || living.get(clientId) === cell.name;
          }),
        ),
      );
      return rows.flat();
    },
  };
}

/** A request id that has more than one payment, wherever they are. */
function requestsWithTwoRecords({ payments }: Evidence): readonly string[] {
  const groups = Map.groupBy(payments, ({ clientId, paymentRequestId }) => `${clientId} ${paymentRequestId}`);
  return [...groups].filter(([, rows]) => rows.length > 1).map(([request]) => `${request} has two payments`);
}

/** Rows of payments and of the ledger that stayed behind the fence, and that the new home does not have as they were. */
async function leftBehind(fleet: CellFleet, moves: readonly MoveSeen[]): Promise<readonly string[]> {
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
    const there = new Set(target);
    return (source ?? [])
      .filter((row) => !there.has(row))
      .map((row) => `${clientId}: ${row} stayed in ${from}`);
  });
  return (await Promise.all(missing)).flat();
}

/** Clocks of processes follow their database's within a few milliseconds. */
const clockMs = 20;

/** Each cell's own log of calls, against the time in which the merchant lived there. */
async function whoServed(
  fleet: CellFleet,
  moves: readonly MoveSeen[],
): Promise<{ readonly calls: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = [];
  let calls = 0;
  const moved = new Map(moves.map((move) => [move.merchant.clientId, move]));
  const opened = new Map(fleet.merchants.map(({ clientId, cell }) => [clientId, cell]));
  for (const cell of fleet.cells) {
    const rows = await cell.execute<ServedRow>(
      `select log.client_id, log.path, log.result_code, log.at,
         log.at - log.duration_us * interval '1 microsecond' as arrived_at, home.since
       from request_log as log left join client_homes as home on home.client = log.client_id
       where log.result_code <> 'UNKNOWN_EXCEPTION'`,
    );
    calls += rows.length;
    for (const row of rows)
      if (!livedThere(cell.name, row, opened.get(row.client_id), moved.get(row.client_id)))
        wrong.push(`${cell.name} answered ${row.path} of ${row.client_id} with ${row.result_code}`);
  }
  return { calls, wrong };
}

interface ServedRow {
  readonly client_id: string;
  readonly path: string;
  readonly result_code: string;
  /** When it was answered. */
  readonly at: Date;
  readonly arrived_at: Date;
  /** When this cell last changed its mind about the client. */
  readonly since: Date | null;
}

export function livedThere(
  cell: string,
  { at, arrived_at: arrivedAt, since }: ServedRow,
  opened: string | undefined,
  move: MoveSeen | undefined,
): boolean {
  if (!move) return cell === opened;
  if (!since) return false;
  // What had arrived before the merchant was gone, or was answered after it has settled.
  if (cell === move.from) return arrivedAt.getTime() - since.getTime() < clockMs;
  return cell === move.to && at.getTime() - since.getTime() > -clockMs;
}

/** Merchants that do not have exactly the one home that they should. */
async function homesOf(fleet: CellFleet, living: Living): Promise<readonly string[]> {
  const homes = new Map<string, string[]>();
  for (const cell of fleet.cells) {
    const rows = await cell.execute<{ client_id: string }>(
      `select client_id from clients
       where not exists (select from client_homes where client = client_id and state <> 'here')`,
    );
    for (const { client_id: clientId } of rows)
      homes.set(clientId, [...(homes.get(clientId) ?? []), cell.name]);
  }
  return [...living]
    .filter(([clientId, cell]) => homes.get(clientId)?.join() !== cell)
    .map(([clientId, cell]) => `${clientId} lives in ${homes.get(clientId)?.join(" and ")}, not in ${cell}`);
}

/** The feed as the merchant read it, while it was moved: 1, 2, 3, each record's end once, nothing missing. */
export function gapsIn({ merchant: { clientId }, feed }: SellingShop, evidence: Evidence): readonly string[] {
  const gap = feed.findIndex(({ cursor }, index) => cursor !== String(index + 1));
  const subjects = new Set(feed.map(({ subjectId }) => subjectId));
  const ids = new Set(feed.map(({ notificationId }) => notificationId));
  const untold = [
    ...evidence.payments
      .filter((row) => row.clientId === clientId && row.wasPaid)
      .map(({ paymentId }) => paymentId),
    ...evidence.refunds
      .filter((row) => row.clientId === clientId && row.status === "SUCCESS")
      .map(({ id }) => id),
  ].filter((id) => !subjects.has(id));
  return [
    ...(gap < 0 ? [] : [`feed of ${clientId}: position ${feed[gap]?.cursor} where ${gap + 1} is due`]),
    ...(ids.size === feed.length ? [] : [`feed of ${clientId}: an event comes twice`]),
    ...untold.map((id) => `feed of ${clientId}: nothing is told of ${id}`),
  ];
}
