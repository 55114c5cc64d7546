import type { Cluster } from "../installation/postgres-cluster.ts";
import type { Answer, History, ReceivedWebhook } from "../oracle/history.ts";
import { database } from "../installation/installation.ts";

/** The time at which a record reached a final state, in epoch milliseconds. The key is `<id> <status>`. */
export type FinalTimes = ReadonlyMap<string, number>;

export async function readFinalTimes(cluster: Cluster): Promise<FinalTimes> {
  const rows = await cluster.execute<{ key: string; ms: number }>(
    database,
    `select payment_id || ' ' || status as key, (extract(epoch from min(at)) * 1000)::float8 as ms
       from payment_events group by payment_id, status
     union all
     select refund_id || ' ' || status, (extract(epoch from finished_at) * 1000)::float8
       from refunds where finished_at is not null`,
  );
  return new Map(rows.map(({ key, ms }) => [key, ms]));
}

/**
 * Tolerance for clock skew. The gateway compares its clock with the database's only at intervals, and the clock drifts
 * in between.
 */
const toleranceMs = 500;

/**
 * Returns results that a client got earlier than the database's time of the change. Such a commit was lost in a
 * failover, and a retry repeated it before the judge read the rows. So only the timestamp shows the loss.
 */
export function findPrematureReports(
  { answers, notifications }: History,
  finalTimes: FinalTimes,
  startedAtEpochMs: number,
): string[] {
  const reported = [...answers.flatMap(reportedByResponse), ...notifications.flatMap(reportedByWebhook)];
  return reported.flatMap(({ key, atMs }) => {
    const changedAtMs = (finalTimes.get(key) ?? Infinity) - startedAtEpochMs;
    if (changedAtMs <= atMs + toleranceMs) return [];
    return [`${key} was reported ${Math.round(changedAtMs - atMs)} ms before it happened`];
  });
}

interface ReportedState {
  readonly key: string;
  readonly atMs: number;
}

function reportedByResponse({
  verb,
  id,
  resultStatus,
  recordStatus,
  answeredAtMs: atMs,
}: Answer): readonly ReportedState[] {
  if (id === undefined) return [];
  const isFinal = recordStatus === "SUCCESS" || recordStatus === "CANCELLED";
  if (verb === "inquiryPayment" || verb === "inquiryRefund")
    return isFinal ? [{ key: `${id} ${recordStatus}`, atMs }] : [];
  if (resultStatus !== "S") return [];
  return [{ key: `${id} ${verb === "cancel" ? "CANCELLED" : "SUCCESS"}`, atMs }];
}

function reportedByWebhook({
  notifyType,
  resultStatus,
  paymentId,
  refundId,
  atMs,
}: ReceivedWebhook): readonly ReportedState[] {
  const id = notifyType === "REFUND_RESULT" ? refundId : paymentId;
  const isSuccess =
    resultStatus === "S" && (notifyType === "PAYMENT_RESULT" || notifyType === "REFUND_RESULT");
  return isSuccess && id !== undefined ? [{ key: `${id} SUCCESS`, atMs }] : [];
}
