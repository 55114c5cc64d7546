import { Type } from "typebox";
import { CursorOf, NextCursor, PageLimit, pageLimitUsual } from "../api/page.ts";
import { described, Text, Time } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse } from "../core/result.ts";
import { listOwnAudit } from "./audit.sql.ts";
import { ownEntry, type OwnEntry } from "./audit.ts";

const Change = Type.Object({
  field: Type.String({ maxLength: 200, description: "The field's name." }),
  before: Type.Optional(Type.String({ maxLength: 16_384, description: "What stood there before." })),
  after: Type.Optional(Type.String({ maxLength: 16_384, description: "What stands there now." })),
});

const Entry = Type.Object({
  seq: Type.Integer({ minimum: 1, description: "Its number; a later act has a higher one." }),
  at: Type.String({ maxLength: 24, description: "When, in ISO 8601, by the real clock." }),
  person: Type.Optional(
    Type.Object(
      {
        personId: Type.String({ maxLength: 200, description: "Whom accounts know by this id." }),
        role: Type.String({ maxLength: 100, description: "The role in which it was done." }),
      },
      { description: "Who did it, of the merchant's own people; absent when the provider did." },
    ),
  ),
  act: Type.String({ maxLength: 100, description: "What was done." }),
  subject: Type.String({ maxLength: 300, description: "To what: a payment, a dispute, or the merchant." }),
  reason: Type.Optional(Type.String({ maxLength: 1000, description: "Why, as the person said." })),
  changes: Type.Array(Change, { description: "What has changed, or what was asked for, field by field." }),
});

export const viewAudit = view({
  name: "audit",
  summary: "Lists what was done to the merchant by people, the newest first.",
  description:
    "By its own people, with their ids, and by the provider, without a name and a reason. What the merchant's systems do is not " +
    "here: `calls` has that.",
  right: "audit.read",

  request: Type.Object({
    createdFrom: Type.Optional(described(Time, "Only what was done from then on.")),
    createdUntil: Type.Optional(described(Time, "Only what was done before then.")),
    actor: Type.Optional(
      Text(200, "Only what this person did, by the id; or `provider` for what the provider did."),
    ),
    act: Type.Optional(Text(100, "Only this.")),
    cursor: CursorOf("^[1-9][0-9]{0,14}$"),
    limit: Type.Optional(PageLimit),
  }),
  response: Type.Object({
    entries: Type.Array(Entry, { description: "What was done, the newest first." }),
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
    const { actor, act, cursor, limit = pageLimitUsual } = request;
    const [since, until] = [dateOf(request.createdFrom), dateOf(request.createdUntil)];
    if (since === "none" || until === "none")
      return refuse("PARAM_ILLEGAL", {
        field: since === "none" ? "createdFrom" : "createdUntil",
        detail: "There is no such day or hour.",
      });
    const beforeSeq = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const filter = { clientId, actor, act, since, until, beforeSeq };
    const found = await listOwnAudit(tx, filter, limit + 1);
    return pageOf(found.map(ownEntry), { limit }, ({ seq }) => String(seq));
  },

  answer(page: Page<OwnEntry>) {
    return { code: "SUCCESS", entries: page.items.map(shown), ...toNext(page) };
  },
});

function dateOf(time: string | undefined): Date | undefined | "none" {
  const ms = time === undefined ? undefined : (parseRequestTime(time) ?? "none");
  return typeof ms === "number" ? new Date(ms) : ms;
}

function shown({ at, person, reason, changes, ...entry }: OwnEntry) {
  return {
    ...entry,
    at: at.toISOString(),
    changes: [...changes],
    ...(person && { person }),
    ...(reason !== undefined && { reason }),
  };
}
