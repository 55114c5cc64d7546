import { Type } from "typebox";
import type { StoredBreak } from "../reconciliation/break.sql.ts";
import { breakAgeOf, sumNames, recommendedActionFor } from "../reconciliation/break.ts";
import { listFieldChanges } from "../audit/audit.ts";
import { pageOf, toNextCursor } from "../core/page-window.ts";
import { findAudit } from "../operators/audit/audit-log.ts";
import { Time } from "../contract/schemas.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { breakSizeOf, writeOffOf } from "../reconciliation/write-off.ts";
import {
  sumBreaksByAge,
  assignBreak,
  closeBreak,
  findBreaks,
  findReconciliation,
  reopenBreak,
  writeOffBreak,
} from "../reconciliation/breaks.workflow.ts";
import { staffAct, staffView } from "./staff-route.ts";
import { ClientId, Count, Optional, Moment, Sum, sumOf } from "./staff-schemas.ts";

/** Maximum number of listed breaks, and of breaks summed by age. */
const breaksMax = 500;
const agedBreaksMax = 10_000;
const auditPageSize = 50;

const Break = Type.Object({
  breakId: Count,
  kind: Type.String(),
  whatToDo: Type.String(),
  connector: Optional(Type.String()),
  subject: Type.String({ description: "The movement or the part of the ledger with the difference." }),
  reference: Type.String(),
  paymentId: Optional(Type.String()),
  sums: Type.Array(Type.Object({ of: Type.String(), sum: Sum })),
  difference: Type.Object(Sum.properties, { description: "The difference." }),
  at: Optional(Moment),
  age: Type.String(),
  firstSeenAt: Moment,
  closed: Optional(Type.Object({ at: Moment, by: Type.String(), reason: Type.String() })),
  assigned: Optional(Type.Object({ to: Type.String(), at: Moment })),
  writtenOff: Optional(Sum),
  writeOff: Optional(
    Type.Object({
      account: Type.String({ description: "The account with too much or too little." }),
      sum: Type.Object(Sum.properties, {
        description: "The amount of a write-off; negative for a gain.",
      }),
    }),
  ),
});

function toBreakResponse(found: StoredBreak, now: Date): object {
  const { kind, at, firstSeenAt, sums, writtenOffMinor, ...others } = found;
  const writeOffTotal = writeOffOf(found);
  const remaining = writeOffTotal && {
    ...writeOffTotal.excess,
    minor: writeOffTotal.excess.minor - writtenOffMinor,
  };
  return {
    ...others,
    kind,
    at,
    firstSeenAt,
    ...(writtenOffMinor !== 0n && {
      writtenOff: sumOf({ currency: found.currency, minor: writtenOffMinor }),
    }),
    ...(remaining &&
      remaining.minor !== 0n && { writeOff: { account: writeOffTotal.account, sum: sumOf(remaining) } }),
    whatToDo: recommendedActionFor(kind),
    difference: sumOf({ currency: found.currency, minor: breakSizeOf(found) }),
    sums: sumNames.flatMap((of) => (sums[of] ? [{ of, sum: sumOf(sums[of]) }] : [])),
    age: breakAgeOf(at ?? firstSeenAt, now),
  };
}

export const showBreaks = staffView({
  name: "breaks",
  summary: "Breaks between records, ledger, providers' files and bank, with their meaning and explanation.",
  permission: "breaks.read",
  request: Type.Object({}),
  response: Type.Object({
    breaks: Type.Array(Break),
    aged: Type.Array(
      Type.Object({
        currency: Type.String(),
        sums: Type.Array(Type.Object({ age: Type.String(), count: Count, sum: Sum })),
      }),
      { description: "Open breaks by currency and age." },
    ),
    lastRun: Optional(
      Type.Object(
        {
          ranAt: Moment,
          connector: Optional(Type.String({ description: "The connector, if only one was compared." })),
          day: Optional(Type.String({ description: "The day (UTC), if only its payments were compared." })),
          providerFiles: Type.Array(
            Type.Object({
              connector: Type.String(),
              until: Moment,
              fileCount: Count,
              newestFile: Optional(Type.String()),
            }),
            { description: "Per connector: the end time of the comparison, and its files." },
          ),
          bankFileCount: Count,
        },
        { description: "The newest reconciliation run; absent if there was none." },
      ),
    ),
  }),
  auditSubjectOf: () => ({ subject: "all breaks" }),
  async find(context) {
    const [found, now] = [await findBreaks(context, agedBreaksMax), new Date()];
    const aged = sumBreaksByAge(found, now).map(({ currency, sums }) => ({
      currency,
      sums: sums.map(({ minor, ...sum }) => ({ ...sum, sum: sumOf({ currency, minor }) })),
    }));
    const lastRun = await findReconciliation(context);
    const breaks = found.slice(0, breaksMax).map((each) => toBreakResponse(each, now));
    return { breaks, aged, ...(lastRun && { lastRun }) };
  },
});

const BreakRequest = Type.Object({ breakId: Count });

export const closeBreakAct = staffAct({
  name: "closeBreak",
  auditedAct: "break close",
  summary: "Closes a break with an explanation (the reason). The ledger does not change.",
  permission: "breaks.close",
  request: BreakRequest,
  response: Break,
  async act(context, { breakId }, reason) {
    const by = context.by?.actor?.name ?? "";
    return toBreakResponse(await closeBreak(context, breakId, { by, reason }), new Date());
  },
});

export const reopenBreakAct = staffAct({
  name: "reopenBreak",
  auditedAct: "break reopen",
  summary: "Reopens a break whose explanation is wrong.",
  permission: "breaks.close",
  request: BreakRequest,
  response: Break,
  act: async (context, { breakId }) => toBreakResponse(await reopenBreak(context, breakId), new Date()),
});

export const assignBreakAct = staffAct({
  name: "assignBreak",
  auditedAct: "break assign",
  summary: "Assigns a break to you or to a named person; an empty name unassigns it.",
  permission: "breaks.close",
  request: Type.Object({ breakId: Count, to: Optional(Type.String({ maxLength: 200 })) }),
  response: Break,
  async act(context, { breakId, to = context.by?.actor?.name ?? "" }) {
    return toBreakResponse(await assignBreak(context, breakId, to || undefined), new Date());
  },
});

export const writeOffBreakAct = staffAct({
  name: "writeOffBreak",
  auditedAct: "break write-off",
  summary:
    "Writes a break off: posts the difference to adjustment or rounding, and closes it. In live this needs " +
    "an approval.",
  permission: "breaks.write-off",
  request: BreakRequest,
  response: Break,
  async act(context, { breakId }, reason) {
    const by = context.by?.actor?.name ?? "";
    return toBreakResponse(await writeOffBreak(context, breakId, { by, reason }), new Date());
  },
});

export const showAudit = staffView({
  name: "audit",
  summary: "Audited changes with actor, subject and reason, newest first, page by page.",
  permission: "audit.read",
  request: Type.Object({
    clientId: Optional(ClientId),
    actor: Optional(Type.String({ maxLength: 200 })),
    act: Optional(Type.String({ maxLength: 100 })),
    createdFrom: Optional(Time),
    createdUntil: Optional(Time),
    cursor: Optional(Type.String({ pattern: "^[1-9][0-9]{0,14}$" })),
  }),
  response: Type.Object({
    entries: Type.Array(
      Type.Object({
        seq: Count,
        at: Moment,
        actor: Type.Object({ kind: Type.String(), name: Type.String(), role: Type.String() }),
        act: Type.String(),
        subject: Type.String(),
        clientId: Optional(Type.String()),
        reason: Optional(Type.String()),
        changes: Type.Array(
          Type.Object({
            field: Type.String(),
            before: Optional(Type.String()),
            after: Optional(Type.String()),
          }),
        ),
      }),
    ),
    nextCursor: Optional(Type.String()),
  }),
  auditSubjectOf: ({ clientId }) => ({ subject: clientId ?? "the whole audit log", clientId }),
  async find(context, { clientId, actor, act, createdFrom, createdUntil, cursor }) {
    const filter = {
      clientId,
      actor,
      act,
      since: parseMoment(createdFrom),
      until: parseMoment(createdUntil),
      beforeSeq: cursor === undefined ? undefined : Number(cursor),
    };
    const found = await findAudit(context, filter, auditPageSize + 1);
    const page = pageOf(found, { limit: auditPageSize }, ({ seq }) => String(seq));
    const entries = page.items.map((row) => ({ ...row, changes: listFieldChanges(row) }));
    return { entries, ...toNextCursor(page) };
  },
});

function parseMoment(time: string | undefined): Date | undefined {
  if (time === undefined) return undefined;
  const ms = parseRequestTime(time);
  if (ms === undefined) throw new CommandFailed(`${time} is not a valid day or hour.`);
  return new Date(ms);
}
