import { Type } from "typebox";
import { CursorOf, NextCursor, PageLimit, pageLimitDefault } from "../contract/page-request.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { DisputeSummary, summarizeDispute } from "./dispute-summary.schema.ts";
import { listUnansweredDisputes, type DeadlineCursor } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";

interface DisputePage extends Page<Dispute> {
  readonly now: Date;
}

export const viewUnansweredDisputes = view({
  name: "unansweredDisputes",
  summary: "Lists disputes that wait for the merchant's answer, the nearest deadline first.",
  permission: "disputes.read",

  request: Type.Object({
    cursor: CursorOf("^([0-9]{13}|never) [0-9]{35}$"),
    limit: Type.Optional(PageLimit),
  }),
  response: Type.Object({
    disputes: Type.Array(DisputeSummary, { description: "The disputes, the nearest deadline first." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS"],

  example: {
    request: { limit: 10 },
    response: {
      disputes: [
        {
          disputeId: "20261118101530482047605661029384756",
          paymentId: "20261115093000123047601530017744120",
          disputeType: "RETRIEVAL_REQUEST",
          disputeStatus: "CREATED",
          disputeAmount: { currency: "EUR", value: "1250" },
          reasonCode: "RR",
          reasonMessage: "The buyer does not know the payment.",
          createdTime: "2026-11-18T10:15:30+00:00",
          defenseDueTime: "2026-11-25T10:15:30+00:00",
          canAccept: false,
          whyNotAccept: "PARAM_ILLEGAL",
          canDefend: true,
        },
      ],
    },
  },

  async find(call, { cursor, limit = pageLimitDefault }) {
    const disputes = await listUnansweredDisputes(call.tx, call, { after: readCursor(cursor), limit });
    return { ...pageOf(disputes, { limit }, writeCursor), now: call.now };
  },

  answer(page: DisputePage) {
    const disputes = page.items.map((dispute) => summarizeDispute(dispute, page.now));
    return { code: "SUCCESS", disputes, ...toNextCursor(page) };
  },
});

/** The cursor for keyset pagination: the deadline, then the id among equal deadlines. */
function writeCursor({ dueAt, disputeId }: Dispute): string {
  return `${dueAt?.getTime() ?? "never"} ${disputeId}`;
}

function readCursor(text: string | undefined): DeadlineCursor | undefined {
  if (text === undefined) return undefined;
  const [due, disputeId = ""] = text.split(" ");
  return { dueAt: due === "never" ? undefined : new Date(Number(due)), disputeId };
}
