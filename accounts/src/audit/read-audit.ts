import { Type } from "typebox";
import { memberRoute } from "../api/route.ts";
import { Body, Opaque, Time } from "../api/schemas.ts";
import { listAudit } from "./audit.sql.ts";

export const readAudit = memberRoute({
  method: "GET",
  path: "/accounts/audit",
  summary: "What was done in the organisation, the newest first, a hundred at a time.",
  who: "audit.read",
  request: Body({ before: Type.Optional(Type.String({ pattern: "^[1-9][0-9]{0,14}$" })) }),
  response: Type.Object({
    entries: Type.Array(
      Type.Object({
        seq: Type.Integer(),
        at: Time,
        actor: Type.Object({ kind: Type.String(), name: Type.String(), role: Type.String() }),
        act: Type.String(),
        subject: Type.String(),
        reason: Type.Optional(Type.String()),
        before: Type.Optional(Opaque),
        after: Type.Optional(Opaque),
      }),
    ),
  }),

  async handle({ caller, read }, { before }) {
    const { organisationId } = caller.place;
    const entries = await listAudit(read, {
      organisationId,
      before: before === undefined ? Number.MAX_SAFE_INTEGER : Number(before),
    });
    return {
      answer: { entries: entries.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })) },
    };
  },
});
