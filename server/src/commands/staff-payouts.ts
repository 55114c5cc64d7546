import { Type } from "typebox";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { listOpenHolds, type OpenHold } from "../settlement/payout-hold.sql.ts";
import { listPayoutTrails } from "../settlement/payout.sql.ts";
import { payoutLifecycle, type PayoutStatus, type PayoutTrail } from "../settlement/payout.ts";
import { asOwner } from "./as-owner.ts";
import { staffLook } from "./staff-route.ts";
import { ClientId, Count, Maybe, Moment, PayoutHold, SubjectId, Sum, sumOf } from "./staff-schemas.ts";

/** More than a person reads. */
const payoutsMax = 100;

const statuses = Object.keys(payoutLifecycle) as PayoutStatus[];

const StaffPayout = Type.Object({
  clientId: ClientId,
  payoutId: SubjectId,
  batchId: SubjectId,
  amount: Sum,
  status: Type.Enum(statuses),
  reasonCode: Maybe(
    Type.String({ description: "Why it could not be paid, in the bank's word (ISO 20022)." }),
  ),
  bank: Type.String({ description: "Our bank that pays it." }),
  fileId: Maybe(SubjectId),
  holder: Type.String(),
  ibanShown: Type.String({ description: "Where it goes, in part." }),
  createdAt: Moment,
  sentAt: Maybe(Moment),
  finishedAt: Maybe(Moment),
  lines: Type.Array(
    Type.Object({ bank: Type.String(), entryReference: Type.String(), bookedAt: Moment, sum: Sum }),
    { description: "What banks have booked under its name; above zero when it came back." },
  ),
  breaks: Type.Array(Type.Object({ breakId: Count, kind: Type.String(), isClosed: Type.Boolean() }), {
    description: "Where it does not agree with the bank.",
  }),
});

export const showPayouts = staffLook({
  name: "payouts",
  summary:
    "Payouts, the newest first, or those of a reference: with their batch, what banks have booked, and breaks.",
  right: "balance.read",
  request: Type.Object({
    reference: Maybe(
      Type.String({
        maxLength: 100,
        description: "The payout's id, which banks show as the end-to-end id; its batch's, or its file's.",
      }),
    ),
  }),
  response: Type.Object({
    payouts: Type.Array(StaffPayout),
    holds: Type.Array(PayoutHold, { description: "Merchants whose payouts are on hold, oldest hold first." }),
  }),
  about: ({ reference }) => ({ subject: reference ?? "all payouts" }),
  async find({ url, environment }, { reference }) {
    const asked = { reference, limit: payoutsMax };
    const list = async (tx: Tx): Promise<Found> => ({
      trails: await listPayoutTrails(tx, asked),
      holds: await listOpenHolds(tx),
    });
    const { trails, holds } = await asOwner(url, environment, systemScope, list, { readsWholeTables: false });
    return { payouts: trails.map(shown), holds };
  },
});

interface Found {
  readonly trails: readonly PayoutTrail[];
  readonly holds: readonly OpenHold[];
}

function shown({ amount, lines, ...payout }: PayoutTrail): object {
  const { currency } = amount;
  return {
    ...payout,
    amount: sumOf(amount),
    lines: lines.map(({ minor, ...line }) => ({ ...line, sum: { currency, value: minor } })),
  };
}
