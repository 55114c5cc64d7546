import { randomInt } from "node:crypto";
import { accountingDayOf } from "../core/accounting-day.ts";
import { bucketOf } from "../core/bucket.ts";
import { WrongCellError } from "../core/wrong-cell-error.ts";
import type { PayoutCrashPointHook } from "../core/crash-point.ts";
import { newId } from "../core/id.ts";
import { formatMoney } from "../core/money.ts";
import { formatPair } from "../ledger/currency-conversion.ts";
import { systemScope } from "../postgres/database.ts";
import type { Batch } from "./batch.ts";
import { listUnsettledMovements, type UnsettledMovement } from "./batch.sql.ts";
import { closeNextBatch, type MissingRate } from "./close-batch.tx.ts";
import { listMerchantsWithTerms } from "./terms.sql.ts";
import {
  actAsOwner,
  readAsOwner,
  withOneConnection,
  type Operator,
} from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { formatTextTable } from "../formats/text-table.ts";

export interface ClosedBatch extends Batch {
  readonly clientId: string;
}

export interface ClosedSettlement {
  readonly closed: readonly ClosedBatch[];
  /** Merchants whose batches stay open, because no FX rate is valid. */
  readonly withoutRate: readonly { readonly clientId: string; readonly pair: string }[];
  /**
   * Merchants whose move to another cell began during the run. The new cell closes their batches; if the move is
   * undone, the next run does.
   */
  readonly beingMoved: readonly string[];
}

/** Statement timeout, because a merchant's first batch can contain years of movements. */
const statementTimeoutMs = 10 * 60 * 1000;

/**
 * `closeSettlement` closes all batches that have ended by a day, each in its own transaction. An interrupted run can be
 * repeated and then continues. Repeating a complete run changes nothing.
 */
export async function closeSettlement(
  operator: Operator,
  { day, whole = false }: { readonly day: string; readonly whole?: boolean },
  atCrashPoint: PayoutCrashPointHook = () => undefined,
): Promise<ClosedSettlement> {
  if (day >= accountingDayOf(new Date()))
    throw new CommandFailed(
      `${day} has not ended yet (book days end at midnight UTC+8). Choose an earlier day.`,
    );
  // The audit row is written before the first batch is closed, so that an interrupted run has an audit row, too.
  await actAsOwner(operator, systemScope, async () => ({
    value: undefined,
    audit: { act: "settlement close", subject: day, after: { whole } },
  }));
  const merchants = await readAsOwner(operator, systemScope, listMerchantsWithTerms);
  const closeAll = async (connected: Operator): Promise<ClosedSettlement> => {
    const closed: ClosedBatch[] = [];
    const withoutRate: { readonly clientId: string; readonly pair: string }[] = [];
    const beingMoved: string[] = [];
    for (const { clientId, currency } of merchants) {
      for (;;) {
        const batch = await closeOneBatch(connected, { clientId, currency, day, whole }, atCrashPoint).catch(
          (error: unknown) => {
            if (error instanceof WrongCellError) return "being moved" as const;
            throw error;
          },
        );
        if (batch === "being moved") beingMoved.push(clientId);
        if (!batch || batch === "being moved") break;
        if ("noRate" in batch) {
          withoutRate.push({ clientId, pair: formatPair(batch.noRate) });
          break;
        }
        closed.push({ clientId, ...batch });
        // The batch covers the last day of the run, so the next window cannot have ended yet.
        if (batch.toDay === day) break;
      }
    }
    return { closed, withoutRate, beingMoved: [...new Set(beingMoved)] };
  };
  return withOneConnection(operator, closeAll, { statementTimeoutMs });
}

async function closeOneBatch(
  operator: Operator,
  request: {
    readonly clientId: string;
    readonly currency: string;
    readonly day: string;
    readonly whole: boolean;
  },
  atCrashPoint: PayoutCrashPointHook,
): Promise<Batch | MissingRate | undefined> {
  const { clientId, currency, day: throughDay, whole } = request;
  const bucket = bucketOf(clientId);
  const now = new Date();
  const batchId = newId("settlementBatch", bucket, now, (below) => randomInt(below));
  const closing = { throughDay, whole, batchId, now };
  const close = async (): Promise<Batch | MissingRate | undefined> =>
    actAsOwner(operator, [clientId], async (tx) => {
      const value = await closeNextBatch(tx, { bucket, clientId, currency }, closing);
      if (value) atCrashPoint("before-close-commit");
      return { value, audit: undefined };
    });
  const batch = await close();
  if (batch) atCrashPoint("after-close-commit");
  return batch;
}

/**
 * `checkSettlement` returns movements that should be in a batch and are not: movements of closed days, and movements of
 * merchants without terms.
 */
export async function checkSettlement(operator: Operator): Promise<readonly UnsettledMovement[]> {
  return readAsOwner(operator, systemScope, listUnsettledMovements, { statementTimeoutMs });
}

export function closedBatchTable({ closed, withoutRate, beingMoved }: ClosedSettlement): string {
  const waiting = [
    ...withoutRate.map(
      ({ clientId, pair }) =>
        `${clientId} is not closed: no FX rate is valid for ${pair}. Set one with \`tollgate fx rate set\`.`,
    ),
    ...beingMoved.map(
      (clientId) =>
        `${clientId} is being moved to another cell. Run \`settlement close\` there after the move.`,
    ),
  ];
  if (closed.length === 0) return waiting.length > 0 ? waiting.join("\n") : "There is nothing to close.";
  const head = [
    "merchant",
    "batch",
    "from",
    "to",
    "due",
    "gross",
    "refunds",
    "fees",
    "reserve",
    "net",
    "",
    "",
  ];
  const rows = closed.map(({ clientId, currency, sums, changed, ...batch }) => {
    const format = (minor: bigint): string => formatMoney({ currency, minor });
    const { gross, refunds, fees, reserve, net } = sums;
    return [
      clientId,
      batch.batchId,
      batch.fromDay,
      batch.toDay,
      batch.dueDay,
      ...[gross, refunds, fees, reserve, net].map(format),
      batch.status === "DUE" ? "due" : "carried over",
      changed ? `at ${changed.price} = ${formatMoney(changed.got)}` : "",
    ];
  });
  return [...waiting, formatTextTable([head, ...rows])].join("\n");
}

export function unsettledTable(found: readonly UnsettledMovement[]): string {
  if (found.length === 0) return "All movements of closed days are in batches.";
  const head = ["merchant", "currency", "why", "movements", "oldest", "sum"];
  const rows = found.map((each) => [
    each.clientId,
    each.currency,
    each.hasTerms ? "later than its batch" : "no terms",
    String(each.count),
    each.oldestAt.toISOString(),
    formatMoney({ currency: each.currency, minor: each.minor }),
  ]);
  return formatTextTable([head, ...rows]);
}
