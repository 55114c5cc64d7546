import { Type } from "typebox";
import type { KnownBreak } from "../reconciliation/break.sql.ts";
import { ageOf, sumNames, whatToDo } from "../reconciliation/break.ts";
import { changesOf } from "../audit/audit.ts";
import { pageOf, toNext } from "../core/page.ts";
import { findAudit } from "../operators/audit/audit.ts";
import { Time } from "../contract/schemas.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { sizeOf, writeOffOf } from "../reconciliation/write-off.ts";
import {
  agedBreaks,
  assignBreak,
  closeBreak,
  findBreaks,
  findReconciliation,
  reopenBreak,
  writeOffBreak,
} from "../reconciliation/breaks.workflow.ts";
import { staffAct, staffView } from "./staff-route.ts";
import { ClientId, Count, Maybe, Moment, Sum, sumOf } from "./staff-schemas.ts";

/** Maximum number of listed breaks, and of breaks summed by age. */
const breaksMax = 500;
const agedMax = 10_000;
const auditPage = 50;

const Break = Type.Object({
  breakId: Count,
  kind: Type.String(),
  whatToDo: Type.String(),
  connector: Maybe(Type.String()),
  subject: Type.String({ description: "The movement or the part of the ledger with the difference." }),
  reference: Type.String(),
  paymentId: Maybe(Type.String()),
  sums: Type.Array(Type.Object({ of: Type.String(), sum: Sum })),
  difference: Type.Object(Sum.properties, { description: "The difference." }),
  at: Maybe(Moment),
  age: Type.String(),
  firstSeenAt: Moment,
  closed: Maybe(Type.Object({ at: Moment, by: Type.String(), reason: Type.String() })),
  assigned: Maybe(Type.Object({ to: Type.String(), at: Moment })),
  writtenOff: Maybe(Sum),
  writeOff: Maybe(
    Type.Object({
      account: Type.String({ description: "The account with too much or too little." }),
      sum: Type.Object(Sum.properties, {
        description: "The amount of a write-off; negative for a gain.",
      }),
    }),
  ),
});

function shown(found: KnownBreak, now: Date): object {
  const { kind, at, firstSeenAt, sums, writtenOffMinor, ...others } = found;
  const whole = writeOffOf(found);
  const rest = whole && { ...whole.excess, minor: whole.excess.minor - writtenOffMinor };
  return {
    ...others,
    kind,
    at,
    firstSeenAt,
    ...(writtenOffMinor !== 0n && {
      writtenOff: sumOf({ currency: found.currency, minor: writtenOffMinor }),
    }),
    ...(rest && rest.minor !== 0n && { writeOff: { account: whole.account, sum: sumOf(rest) } }),
    whatToDo: whatToDo(kind),
    difference: sumOf({ currency: found.currency, minor: sizeOf(found) }),
    sums: sumNames.flatMap((of) => (sums[of] ? [{ of, sum: sumOf(sums[of]) }] : [])),
    age: ageOf(at ?? firstSeenAt, now),
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
    lastRun: Maybe(
      Type.Object(
        {
          ranAt: Moment,
          connector: Maybe(Type.String({ description: "The connector, if only one was compared." })),
          day: Maybe(Type.String({ description: "The day (UTC), if only its payments were compared." })),
          providerFiles: Type.Array(
            Type.Object({
              connector: Type.String(),
              until: Moment,
              fileCount: Count,
              newestFile: Maybe(Type.String()),
            }),
            { description: "Per connector: the end time of the comparison, and its files." },
          ),
          bankFileCount: Count,
        },
        { description: "The newest reconciliation run; absent if there was none." },
      ),
    ),
  }),
  about: () => ({ subject: "all breaks" }),
  async find(desk) {
    const [found, now] = [await findBreaks(desk, agedMax), new Date()];
    const aged = agedBreaks(found, now).map(({ currency, sums }) => ({
      currency,
      sums: sums.map(({ minor, ...sum }) => ({ ...sum, sum: sumOf({ currency, minor }) })),
    }));
    const lastRun = await findReconciliation(desk);
    const breaks = found.slice(0, breaksMax).map((each) => shown(each, now));
    return { breaks, aged, ...(lastRun && { lastRun }) };
  },
});

const OneBreak = Type.Object({ breakId: Count });

export const closeOneBreak = staffAct({
  name: "closeBreak",
  performs: "break close",
  summary: "Closes a break with an explanation (the reason). The ledger does not change.",
  permission: "breaks.close",
  request: OneBreak,
  response: Break,
  async act(desk, { breakId }, reason) {
    const by = desk.by?.actor?.name ?? "";
    return shown(await closeBreak(desk, breakId, { by, reason }), new Date());
  },
});

export const reopenOneBreak = staffAct({
  name: "reopenBreak",
  performs: "break reopen",
  summary: "Reopens a break whose explanation is wrong.",
  permission: "breaks.close",
  request: OneBreak,
  response: Break,
  act: async (desk, { breakId }) => shown(await reopenBreak(desk, breakId), new Date()),
});

export const assignOneBreak = staffAct({
  name: "assignBreak",
  performs: "break assign",
  summary: "Assigns a break to you or to a named person; an empty name unassigns it.",
  permission: "breaks.close",
  request: Type.Object({ breakId: Count, to: Maybe(Type.String({ maxLength: 200 })) }),
  response: Break,
  async act(desk, { breakId, to = desk.by?.actor?.name ?? "" }) {
    return shown(await assignBreak(desk, breakId, to || undefined), new Date());
  },
});

export const writeOffOneBreak = staffAct({
  name: "writeOffBreak",
  performs: "break write-off",
  summary:
    "Writes a break off: posts the difference to adjustment or rounding, and closes it. In live this needs " +
    "an approval.",
  permission: "breaks.write-off",
  request: OneBreak,
  response: Break,
  async act(desk, { breakId }, reason) {
    const by = desk.by?.actor?.name ?? "";
    return shown(await writeOffBreak(desk, breakId, { by, reason }), new Date());
  },
});

export const showAudit = staffView({
  name: "audit",
  summary: "Audited changes with actor, subject and reason, newest first, page by page.",
  permission: "audit.read",
  request: Type.Object({
    clientId: Maybe(ClientId),
    actor: Maybe(Type.String({ maxLength: 200 })),
    act: Maybe(Type.String({ maxLength: 100 })),
    createdFrom: Maybe(Time),
    createdUntil: Maybe(Time),
    cursor: Maybe(Type.String({ pattern: "^[1-9][0-9]{0,14}$" })),
  }),
  response: Type.Object({
    entries: Type.Array(
      Type.Object({
        seq: Count,
        at: Moment,
        actor: Type.Object({ kind: Type.String(), name: Type.String(), role: Type.String() }),
        act: Type.String(),
        subject: Type.String(),
        clientId: Maybe(Type.String()),
        reason: Maybe(Type.String()),
        changes: Type.Array(
          Type.Object({
            field: Type.String(),
            before: Maybe(Type.String()),
            after: Maybe(Type.String()),
          }),
        ),
      }),
    ),
    nextCursor: Maybe(Type.String()),
  }),
  about: ({ clientId }) => ({ subject: clientId ?? "the whole audit log", clientId }),
  async find(desk, { clientId, actor, act, createdFrom, createdUntil, cursor }) {
    const filter = {
      clientId,
      actor,
      act,
      since: momentOf(createdFrom),
      until: momentOf(createdUntil),
      beforeSeq: cursor === undefined ? undefined : Number(cursor),
    };
    const found = await findAudit(desk, filter, auditPage + 1);
    const page = pageOf(found, { limit: auditPage }, ({ seq }) => String(seq));
    const entries = page.items.map((row) => ({ ...row, changes: changesOf(row) }));
    return { entries, ...toNext(page) };
  },
});

function momentOf(time: string | undefined): Date | undefined {
  if (time === undefined) return undefined;
  const ms = parseRequestTime(time);
  if (ms === undefined) throw new CommandFailed(`${time} is not a valid day or hour.`);
  return new Date(ms);
}
