import { fragment, sql, type Statement } from "../../../../server/src/postgres/sql.ts";
import type { DisputeReport } from "../connector.ts";

export interface DisputeRow {
  readonly providerDisputeId: string;
  readonly orderReference: string;
  readonly state: DisputeReport["state"];
  readonly sequence: number;
  readonly report: DisputeReport;
}

export interface AnswerRow {
  readonly contentHash: Buffer;
  readonly isDone: boolean;
}

const columns = fragment`provider_dispute_id as "providerDisputeId", order_reference as "orderReference", state,
  sequence, report`;

export function selectDispute(providerDisputeId: string): Statement {
  return sql`select ${columns} from disputes where provider_dispute_id = ${providerDisputeId}`;
}

export function lockDispute(providerDisputeId: string): Statement {
  return sql`select ${columns} from disputes where provider_dispute_id = ${providerDisputeId} for update`;
}

export function insertDispute(
  report: DisputeReport,
  orderReference: string,
  pollAt: Date | undefined,
): Statement {
  return sql`
    insert into disputes (provider_dispute_id, order_reference, state, sequence, report, poll_at)
    values (${report.providerDisputeId}, ${orderReference}, ${report.state}, 1, ${JSON.stringify(report)}::json, ${pollAt})
    on conflict do nothing
    returning ${columns}`;
}

export function updateDispute(report: DisputeReport, sequence: number, pollAt: Date | undefined): Statement {
  return sql`
    update disputes set state = ${report.state}, sequence = ${sequence}, report = ${JSON.stringify(report)}::json,
      poll_at = ${pollAt}, polls = 0
    where provider_dispute_id = ${report.providerDisputeId}
    returning ${columns}`;
}

/** Takes disputes that are due for a poll, and sets the time of the next poll: an hour, doubled up to a day. */
export function takeDisputesToPoll(now: Date, count: number): Statement {
  return sql`
    update disputes set polls = polls + 1,
      poll_at = ${now}::timestamptz + least(24, power(2, least(polls, 5))) * interval '1 hour'
    where provider_dispute_id in (
      select provider_dispute_id from disputes where poll_at <= ${now} order by poll_at limit ${count} for update skip locked)
    returning ${columns}`;
}

/** Stores the content of an answer before the provider gets it. */
export function insertAnswer(
  answerReference: string,
  providerDisputeId: string,
  contentHash: Buffer,
): Statement {
  return sql`
    insert into dispute_answers (answer_reference, provider_dispute_id, content_hash)
    values (${answerReference}, ${providerDisputeId}, ${contentHash})
    on conflict do nothing`;
}

export function selectAnswer(answerReference: string): Statement {
  return sql`
    select content_hash as "contentHash", is_done as "isDone" from dispute_answers
    where answer_reference = ${answerReference}`;
}

export function markAnswerDone(answerReference: string): Statement {
  return sql`update dispute_answers set is_done = true where answer_reference = ${answerReference}`;
}
