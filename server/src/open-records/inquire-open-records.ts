import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { Id, OneOf, Time, toTime } from "../api/schemas.ts";
import { actionOf, isStuck, ownerOf, type OpenRecord } from "./open-record.ts";
import { listPlanned } from "./open-record.sql.ts";

interface Found {
  readonly records: readonly OpenRecord[];
  readonly now: Date;
}

const limitUsual = 100;

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
          kind: OneOf(
            [
              "payment",
              "capture",
              "refund",
              "reversal",
              "registration",
              "authorization",
              "token",
              "notification",
            ],
            "What it is.",
          ),
          id: Id,
          requestId: Type.Optional(Id),
          status: Type.String({ maxLength: 16, description: "Where it stands." }),
          since: Time,
          owner: OneOf(["buyer", "wallet", "merchant", "gateway"], "Whose move it is."),
          nextAction: Type.String({ maxLength: 256, description: "What the gateway does next." }),
          nextTime: Type.Optional(Time),
          attempts: Type.Integer({ minimum: 0, description: "How often it got nowhere." }),
          isStuck: Type.Boolean({ description: "Whether it has been left alone." }),
        },
        { title: "OpenRecord" },
      ),
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
