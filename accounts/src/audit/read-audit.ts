import { Type } from "typebox";
import { listAudit, listMerchantAudit } from "../../../server/src/audit/audit.sql.ts";
import { listFieldChanges, redactEntry } from "../../../server/src/audit/audit.ts";
import { pageOf, toNextCursor } from "../../../server/src/core/page-window.ts";
import { parseRequestTime } from "../../../server/src/core/request-time.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { Body, OneOf, Time, TokenOrId } from "../api/schemas.ts";
import { findOrganisationNames } from "../organisations/organisation.sql.ts";
import { actorOf } from "../sessions/session.ts";
import { hasAuditEntry, insertAudit, listNamesForAudit } from "./audit.sql.ts";
import { acts, type Act } from "./audit-entry.ts";

const pageLimit = 50;

/**
 * The query parameters. The gateways' audit logs have the same parameters, so that one page can show all audit logs.
 */
const queryParameters = {
  createdFrom: Type.Optional(Type.String({ maxLength: 32 })),
  createdUntil: Type.Optional(Type.String({ maxLength: 32 })),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  act: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  cursor: Type.Optional(Type.String({ pattern: "^[1-9][0-9]{0,14}$" })),
};

const ActName = OneOf(acts);

const entryFields = {
  seq: Type.Integer(),
  at: Time,
  act: ActName,
  subject: Type.String(),
  reason: Type.Optional(Type.String()),
  changes: Type.Array(
    Type.Object({
      field: Type.String(),
      before: Type.Optional(Type.String()),
      after: Type.Optional(Type.String()),
    }),
  ),
};
const nextCursor = Type.Optional(Type.String());

interface AuditQuery {
  readonly createdFrom?: string;
  readonly createdUntil?: string;
  readonly actor?: string;
  readonly act?: string;
  readonly cursor?: string;
}

function filterOf(request: AuditQuery) {
  const { actor, act, cursor } = request;
  const [since, until] = [dateOf(request.createdFrom), dateOf(request.createdUntil)];
  if (since === "none" || until === "none") return refuse("INVALID_REQUEST", "There is no such day or hour.");
  const beforeSeq = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  return { since, until, actor, act, beforeSeq };
}

function dateOf(time: string | undefined): Date | undefined | "none" {
  const ms = time === undefined ? undefined : (parseRequestTime(time) ?? "none");
  return typeof ms === "number" ? new Date(ms) : ms;
}

export const readAudit = memberRoute({
  method: "GET",
  path: "/accounts/audit",
  summary: "The audit log of the organisation, newest first: actions of its people and of the operator.",
  access: "audit.read",
  sites: ["portal"],
  request: Body(queryParameters),
  response: Type.Object({
    entries: Type.Array(
      Type.Object({
        ...entryFields,
        person: Type.Optional(Type.Object({ personId: Type.String(), role: Type.String() })),
      }),
    ),
    nextCursor,
  }),

  async handle({ caller, read }, request) {
    const filter = filterOf(request);
    if ("refusal" in filter) return filter;
    const { organisationId: clientId } = caller.membership;
    const rows = await listMerchantAudit(read, { clientId, ...filter }, pageLimit + 1);
    const page = pageOf(rows.map(redactEntry), { limit: pageLimit }, ({ seq }) => String(seq));
    const entries = page.items.map(({ at, act, person, reason, changes, ...entry }) => ({
      ...entry,
      changes: [...changes],
      at: at.toISOString(),
      act: act as Act,
      ...(person && { person }),
      ...(reason !== undefined && { reason }),
    }));
    return { answer: { entries, ...toNextCursor(page) } };
  },
});

/**
 * An open page refreshes the audit log again and again. To limit its audit rows, accounts record a reader's view only
 * once per ten minutes.
 */
const viewAuditIntervalMs = 10 * 60_000;

export const readFullAudit = memberRoute({
  method: "GET",
  path: "/accounts/audit/all",
  summary: "The audit log of all organisations, newest first. The view itself is audited.",
  access: "audit.read",
  sites: ["operator"],
  request: Body({ ...queryParameters, organisationId: Type.Optional(TokenOrId) }),
  response: Type.Object({
    entries: Type.Array(
      Type.Object({
        ...entryFields,
        actor: Type.Object({ kind: Type.String(), name: Type.String(), role: Type.String() }),
        organisation: Type.Optional(Type.String()),
      }),
    ),
    nextCursor,
  }),

  async handle(call, request) {
    const { caller, read, now } = call;
    const filter = filterOf(request);
    if ("refusal" in filter) return filter;
    const viewEntry = {
      actor: actorOf(caller),
      act: "audit.see",
      organisationId: caller.membership.organisationId,
    } as const;
    if (!(await hasAuditEntry(read, viewEntry, new Date(now.getTime() - viewAuditIntervalMs))))
      await call.transaction((tx) =>
        insertAudit(tx, { ...viewEntry, subject: request.organisationId ?? "all" }),
      );
    const rows = await listAudit(read, { clientId: request.organisationId, ...filter }, pageLimit + 1);
    const page = pageOf(rows, { limit: pageLimit }, ({ seq }) => String(seq));
    const names = await findOrganisationNames(read, [
      ...new Set(page.items.flatMap(({ clientId }) => clientId ?? [])),
    ]);
    const entries = page.items.map((row) => {
      const { seq, at, actor, act, subject, reason, clientId } = row;
      const organisation = clientId === undefined ? undefined : names.get(clientId);
      return {
        seq,
        at: at.toISOString(),
        actor,
        act: act as Act,
        subject,
        changes: [...listFieldChanges(row)],
        ...(reason !== undefined && { reason }),
        ...(organisation !== undefined && { organisation }),
      };
    });
    return { answer: { entries, ...toNextCursor(page) } };
  },
});

export const listPeopleInAudit = memberRoute({
  method: "GET",
  path: "/accounts/audit/people",
  summary:
    "Names for the ids in an audit log: current and former people of the organisation; for staff, all people.",
  access: "audit.read",
  request: Body({ ids: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_,-]{1,8000}$" })) }),
  response: Type.Object({
    people: Type.Array(Type.Object({ personId: Type.String(), name: Type.String(), email: Type.String() })),
  }),

  async handle({ caller: { membership }, read }, { ids = "" }) {
    const others = membership.kind === "staff" ? ids.split(",") : [];
    return { answer: { people: [...(await listNamesForAudit(read, membership.organisationId, others))] } };
  },
});
