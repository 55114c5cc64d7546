import { Type } from "typebox";
import { CursorOf, NextCursor, PageLimit, pageLimitDefault } from "../contract/page-request.ts";
import { withDescription, Text, Time } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse } from "../core/result.ts";
import { listMerchantAudit } from "./audit.sql.ts";
import { redactEntry, type MerchantAuditEntry } from "./audit.ts";

const Change = Type.Object({
  field: Type.String({ maxLength: 200, description: "Name of the field." }),
  before: Type.Optional(Type.String({ maxLength: 16_384, description: "Value before the change." })),
  after: Type.Optional(Type.String({ maxLength: 16_384, description: "Value after the change." })),
});

const Entry = Type.Object({
  seq: Type.Integer({ minimum: 1, description: "Number of the row; a later act has a higher one." }),
  at: Type.String({ maxLength: 24, description: "Real time of the act, in ISO 8601." }),
  person: Type.Optional(
    Type.Object(
      {
        personId: Type.String({ maxLength: 200, description: "Id of the person in accounts." }),
        role: Type.String({ maxLength: 100, description: "Role of the person." }),
      },
      { description: "Person of the merchant; absent for acts of the operator." },
    ),
  ),
  act: Type.String({ maxLength: 100, description: "Name of the act." }),
  subject: Type.String({
    maxLength: 300,
    description: "Subject of the act: a payment, a dispute, or the merchant.",
  }),
  reason: Type.Optional(Type.String({ maxLength: 1000, description: "Reason given by the person." })),
  changes: Type.Array(Change, { description: "Changed or requested fields." }),
});

export const viewAudit = view({
  name: "audit",
  summary: "Lists acts of people about the merchant, newest first.",
  description:
    "Acts of the merchant's own people have their ids; acts of the operator have neither a name nor a " +
    "reason. API requests of the merchant's systems are in `calls`.",
  permission: "audit.read",

  request: Type.Object({
    createdFrom: Type.Optional(withDescription(Time, "Only acts at or after this time.")),
    createdUntil: Type.Optional(withDescription(Time, "Only acts before this time.")),
    actor: Type.Optional(
      Text(200, "Only acts of this person, by id; or `provider` for acts of the operator."),
    ),
    act: Type.Optional(Text(100, "Only this act.")),
    cursor: CursorOf("^[1-9][0-9]{0,14}$"),
    limit: Type.Optional(PageLimit),
  }),
  response: Type.Object({
    entries: Type.Array(Entry, { description: "The acts, newest first." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { act: "payments/refund", limit: 1 },
    response: {
      entries: [
        {
          seq: 4711,
          at: "2026-11-15T09:30:00.123Z",
          person: { personId: "per_bGV0IG1lIGluIDEyMzQ", role: "finance" },
          act: "payments/refund",
          subject: "20261115093000123047601530017744120",
          reason: "The coffee was cold.",
          changes: [{ field: "refundRequestId", after: "refund-1001" }],
        },
      ],
      nextCursor: "4711",
    },
  },

  async find({ tx, clientId }, request) {
    const { actor, act, cursor, limit = pageLimitDefault } = request;
    const [since, until] = [parseDate(request.createdFrom), parseDate(request.createdUntil)];
    if (since === "none" || until === "none")
      return refuse("PARAM_ILLEGAL", {
        field: since === "none" ? "createdFrom" : "createdUntil",
        detail: "There is no such day or hour.",
      });
    const beforeSeq = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const filter = { clientId, actor, act, since, until, beforeSeq };
    const entries = await listMerchantAudit(tx, filter, limit + 1);
    return pageOf(entries.map(redactEntry), { limit }, ({ seq }) => String(seq));
  },

  answer(page: Page<MerchantAuditEntry>) {
    return { code: "SUCCESS", entries: page.items.map(toWireEntry), ...toNextCursor(page) };
  },
});

function parseDate(time: string | undefined): Date | undefined | "none" {
  const ms = time === undefined ? undefined : (parseRequestTime(time) ?? "none");
  return typeof ms === "number" ? new Date(ms) : ms;
}

function toWireEntry({ at, person, reason, changes, ...entry }: MerchantAuditEntry) {
  return {
    ...entry,
    at: at.toISOString(),
    changes: [...changes],
    ...(person && { person }),
    ...(reason !== undefined && { reason }),
  };
}
