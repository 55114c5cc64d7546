import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { described, Id, OneOf, Time, toTime, type Meanings } from "../api/schemas.ts";
import { actionOf, isStuck, ownerOf, type OpenRecord } from "./open-record.ts";
import { listPlanned } from "./open-record.sql.ts";

interface Found {
  readonly records: readonly OpenRecord[];
  readonly now: Date;
}

const limitUsual = 100;

const kinds: Meanings = {
  payment: "A payment that is neither paid nor failed.",
  capture: "A capture that the wallet has not confirmed.",
  refund: "A refund that has not reached the buyer.",
  reversal: "Money that goes back because it came too late, or was cancelled.",
  registration: "A store that a wallet has not decided about.",
  authorization: "A consent that the buyer has not given yet.",
  token: "A token that a wallet has not confirmed.",
  notification: "News that your system has not acknowledged.",
};

const owners: Meanings = {
  buyer: "The buyer has to pay or agree.",
  wallet: "The wallet has to answer.",
  merchant: "Your system has to act.",
  gateway: "We have to act.",
};

export const inquireOpenRecords = inquiry({
  path: "tollgate/inquiryOpenRecords",
  summary: "Lists what is not finished, whose move it is, and what happens next and when.",
  description:
    "Everything of yours that is not final: payments, captures, refunds, money on its way back, notifications. " +
    "What comes next comes first. `isStuck` is true for what should have been looked at more than a minute ago; it " +
    "should never be.",

  request: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "At most so many; 100 unless said otherwise." }),
    ),
  }),
  response: Type.Object({
    records: Type.Array(
      Type.Object(
        {
          kind: OneOf(kinds, "What it is."),
          id: described(Id, "Our name for it."),
          requestId: Type.Optional(described(Id, "Your own name for it.")),
          status: Type.String({ maxLength: 16, description: "Where it stands." }),
          since: described(Time, "Since when it is open."),
          owner: OneOf(owners, "Whose move it is."),
          nextAction: Type.String({ maxLength: 256, description: "What the gateway does next." }),
          nextTime: Type.Optional(described(Time, "When the gateway does that.")),
          attempts: Type.Integer({ minimum: 0, description: "How often it got nowhere." }),
          isStuck: Type.Boolean({ description: "Whether it has been left alone." }),
        },
        { title: "OpenRecord", description: "Something of yours that is not final." },
      ),
      { description: "What is not final, the next to be looked at first." },
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
          nextAction: "Ask the wallet after the payment, or close it when it has expired.",
          nextTime: "2026-11-15T09:30:30+00:00",
          attempts: 0,
          isStuck: false,
        },
      ],
    },
  },

  async find(call, { limit = limitUsual }): Promise<Found> {
    return { records: await listPlanned(call.tx, call, limit, call.aheadMs), now: call.now };
  },

  answer({ records, now }: Found) {
    return {
      code: "SUCCESS",
      records: records.map((record) => ({
        kind: record.kind,
        id: record.id,
        ...(record.requestId && { requestId: record.requestId }),
        status: record.status,
        since: toTime(record.since),
        owner: ownerOf(record),
        nextAction: actionOf(record),
        ...(record.next?.at && { nextTime: toTime(record.next.at) }),
        attempts: record.next?.attempts ?? 0,
        isStuck: isStuck(record, now),
      })),
    };
  },
});
