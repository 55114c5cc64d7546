import { randomInt } from "node:crypto";
import { bookDayOf } from "../core/book-day.ts";
import { bucketOf } from "../core/bucket.ts";
import { ClientElsewhere } from "../core/client-elsewhere.ts";
import type { AtPayout } from "../core/crash-point.ts";
import { newId } from "../core/id.ts";
import { formatMoney } from "../core/money.ts";
import { pairText } from "../ledger/exchange.ts";
import { systemScope } from "../postgres/database.ts";
import type { Batch } from "../settlement/batch.ts";
import { listUnsettled, type UnsettledMovement } from "../settlement/batch.sql.ts";
import { closeNextBatch, type NoRate } from "../settlement/close-batch.tx.ts";
import { listSettled } from "../settlement/terms.sql.ts";
import { actAsOwner, asOwner, onOneConnection, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { align } from "./table.ts";

export interface ClosedBatch extends Batch {
  readonly clientId: string;
}

export interface ClosedSettlement {
  readonly closed: readonly ClosedBatch[];
  /** Whose batches stay open, because there is no quote to change them by. */
  readonly withoutRate: readonly { readonly clientId: string; readonly pair: string }[];
  /** Merchants that began to move to another cell meanwhile. Their new cell closes them, or the next run if the move is undone. */
  readonly beingMoved: readonly string[];
}

/** A merchant's first batch may be years of movements. */
const statementTimeoutMs = 10 * 60 * 1000;

/**
 * Closes all batches that have ended by a day, merchant by merchant, each batch in a transaction of its own. Killed at any moment, it
 * goes on where it was; run again, it finds nothing to do.
 */
export async function closeSettlement(
  operator: Operator,
  { day, whole = false }: { readonly day: string; readonly whole?: boolean },
  at: AtPayout = () => undefined,
): Promise<ClosedSettlement> {
  if (day >= bookDayOf(new Date())) throw new Impossible(`${day} is not over yet in the books (UTC+8).`);
  // Before the first batch: what a killed one has done stands in the audit as well.
  await actAsOwner(operator, systemScope, async () => ({
    value: undefined,
    audit: { act: "settlement close", subject: day, after: { whole } },
  }));
  const settled = await asOwner(operator.url, operator.environment, systemScope, listSettled);
  const closeAll = async (connected: Operator): Promise<ClosedSettlement> => {
    const closed: ClosedBatch[] = [];
    const withoutRate: { readonly clientId: string; readonly pair: string }[] = [];
    const beingMoved: string[] = [];
    for (const { clientId, currency } of settled) {
      for (;;) {
        const batch = await closeOne(connected, { clientId, currency, day, whole }, at).catch(
          (error: unknown) => {
            if (error instanceof ClientElsewhere) return "being moved" as const;
            throw error;
          },
        );
        if (batch === "being moved") beingMoved.push(clientId);
        if (!batch || batch === "being moved") break;
        if ("noRate" in batch) {
          withoutRate.push({ clientId, pair: pairText(batch.noRate) });
          break;
        }
        closed.push({ clientId, ...batch });
        // The next one cannot have ended yet.
        if (batch.toDay === day) break;
      }
    }
    return { closed, withoutRate, beingMoved: [...new Set(beingMoved)] };
  };
  return onOneConnection(operator, closeAll, { statementTimeoutMs });
}

async function closeOne(
  operator: Operator,
  asked: {
    readonly clientId: string;
    readonly currency: string;
    readonly day: string;
    readonly whole: boolean;
  },
  at: AtPayout,
): Promise<Batch | NoRate | undefined> {
  const { clientId, currency, day: throughDay, whole } = asked;
  const bucket = bucketOf(clientId);
  const now = new Date();
  const batchId = newId("settlementBatch", bucket, now, (below) => randomInt(below));
  const closing = { throughDay, whole, batchId, now };
  const close = async (): Promise<Batch | NoRate | undefined> =>
    actAsOwner(operator, [clientId], async (tx) => {
      const value = await closeNextBatch(tx, { bucket, clientId, currency }, closing);
      if (value) at("before-close-commit");
      return { value, audit: undefined };
    });
  const batch = await close();
  if (batch) at("after-close-commit");
  return batch;
}

/** Movements that should be in a batch by now, and are in none: of days that are closed, and of merchants that have no terms. */
export async function checkSettlement({ url, environment }: Operator): Promise<readonly UnsettledMovement[]> {
  return asOwner(url, environment, systemScope, listUnsettled, { statementTimeoutMs });
}

export function closedTable({ closed, withoutRate, beingMoved }: ClosedSettlement): string {
  const waiting = [
    ...withoutRate.map(
      ({ clientId, pair }) => `${clientId} is not closed: there is no good rate of ${pair}; see \`rate set\``,
    ),
    ...beingMoved.map(
      (clientId) =>
        `${clientId} is being moved to another cell: run \`settlement close\` there after the move`,
    ),
  ];
  if (closed.length === 0) return waiting.length > 0 ? waiting.join("\n") : "There was nothing to close.";
  const head = [
    "merchant",
    "batch",
    "from",
    "to",
    "due",
    "gross",
    "refunds",
    "fees",
    "kept back",
    "net",
    "",
    "",
  ];
  const rows = closed.map(({ clientId, currency, sums, changed, ...batch }) => {
    const shown = (minor: bigint): string => formatMoney({ currency, minor });
    const { gross, refunds, fees, reserve, net } = sums;
    return [
      clientId,
      batch.batchId,
      batch.fromDay,
      batch.toDay,
      batch.dueDay,
      ...[gross, refunds, fees, reserve, net].map(shown),
      batch.status === "DUE" ? "due" : "carried over",
      changed ? `at ${changed.price} = ${formatMoney(changed.got)}` : "",
    ];
  });
  return [...waiting, align([head, ...rows])].join("\n");
}

export function unsettledTable(found: readonly UnsettledMovement[]): string {
  if (found.length === 0) return "Every movement of a day that is closed is in a batch.";
  const head = ["merchant", "currency", "why", "movements", "oldest", "sum"];
  const rows = found.map((each) => [
    each.clientId,
    each.currency,
    each.hasTerms ? "later than its batch" : "no terms",
    String(each.count),
    each.oldestAt.toISOString(),
    formatMoney({ currency: each.currency, minor: each.minor }),
  ]);
  return align([head, ...rows]);
}
