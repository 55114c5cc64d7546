import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { withDescription, Id, OneOf, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { describeNextAction, isStuck, findResponsibleParty, type OpenRecord } from "./open-record.ts";
import { listRecordsWithJobs } from "./open-record.sql.ts";

interface OpenRecordList {
  readonly records: readonly OpenRecord[];
  readonly now: Date;
}

const defaultLimit = 100;

const kindMeanings: Meanings = {
  payment: "A payment that is neither paid nor failed.",
  capture: "A capture that the payment provider has not confirmed.",
  refund: "A refund that has not reached the buyer.",
  reversal: "Money of a late success or a cancelled payment that is being returned.",
  registration: "A store that a payment provider has not decided about.",
  authorization: "A consent that the buyer has not given yet.",
  token: "A token that a payment provider has not confirmed.",
  notification: "A webhook that your system has not acknowledged.",
};

const responsiblePartyMeanings: Meanings = {
  buyer: "The buyer has to pay or agree.",
  wallet: "The payment provider has to respond.",
  merchant: "Your system has to act.",
  gateway: "The gateway has to act.",
};

export const inquireOpenRecords = inquiry({
  path: "tollgate/inquiryOpenRecords",
  summary:
    "Lists records that are not final, with the party that must act next, the next action and its time.",
  description:
    "All your records that are not final: payments, captures, refunds, reversals and webhooks, sorted by " +
    "the time of their next action. `isStuck` is true for a record whose next action is overdue by more " +
    "than a minute, which should never happen.",

  request: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "Maximum number of records (default 100)." }),
    ),
  }),
  response: Type.Object({
    records: Type.Array(
      Type.Object(
        {
          kind: OneOf(kindMeanings, "The kind of record."),
          id: withDescription(Id, "Our id of the record."),
          requestId: Type.Optional(withDescription(Id, "Your own id of the record.")),
          status: Type.String({ maxLength: 16, description: "The status of the record." }),
          since: withDescription(Time, "Since when the record is open."),
          owner: OneOf(responsiblePartyMeanings, "The party that must act next."),
          nextAction: Type.String({ maxLength: 256, description: "The gateway's next action." }),
          nextTime: Type.Optional(withDescription(Time, "When the gateway takes that action.")),
          attempts: Type.Integer({ minimum: 0, description: "Number of attempts without progress." }),
          isStuck: Type.Boolean({ description: "Whether no worker is processing the record." }),
        },
        { title: "OpenRecord", description: "A record that is not final." },
      ),
      { description: "The records, sorted by the time of their next action." },
    ),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: {
    request: { limit: 10 },
    response: {
      records: [
        {
          kind: "payment",
          id: "20261115093000123047601530017744120",
          requestId: "order-1001-attempt-1",
          status: "PROCESSING",
          since: "2026-11-15T09:30:00+00:00",
          owner: "buyer",
          nextAction: "Query the payment, or close it if it has expired.",
          nextTime: "2026-11-15T09:30:30+00:00",
          attempts: 0,
          isStuck: false,
        },
      ],
    },
  },

  async find(call, { limit = defaultLimit }): Promise<OpenRecordList> {
    return { records: await listRecordsWithJobs(call.tx, call, limit, call.aheadMs), now: call.now };
  },

  answer({ records, now }: OpenRecordList) {
    return {
      code: "SUCCESS",
      records: records.map((record) => ({
        kind: record.kind,
        id: record.id,
        ...(record.requestId && { requestId: record.requestId }),
        status: record.status,
        since: toTime(record.since),
        owner: findResponsibleParty(record),
        nextAction: describeNextAction(record),
        ...(record.next?.at && { nextTime: toTime(record.next.at) }),
        attempts: record.next?.attempts ?? 0,
        isStuck: isStuck(record, now),
      })),
    };
  },
});
