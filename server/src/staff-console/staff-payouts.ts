import { Type } from "typebox";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { listOpenHolds, type OpenHold } from "../settlement/payouts/payout-hold.sql.ts";
import { listPayoutTrails } from "../settlement/payouts/payout.sql.ts";
import { payoutLifecycle, type PayoutStatus, type PayoutTrail } from "../settlement/payouts/payout.ts";
import { queryAsOwner } from "../operator-session/owner-session.ts";
import { staffView } from "./staff-route.ts";
import { ClientId, Count, Optional, Moment, PayoutHold, SubjectId, Sum, sumOf } from "./staff-schemas.ts";

/** More payouts than a person reads. */
const payoutsMax = 100;

const statuses = Object.keys(payoutLifecycle) as PayoutStatus[];

const StaffPayout = Type.Object({
  clientId: ClientId,
  payoutId: SubjectId,
  batchId: SubjectId,
  amount: Sum,
  status: Type.Enum(statuses),
  reasonCode: Optional(Type.String({ description: "The bank's reason code for a failure (ISO 20022)." })),
  bank: Type.String({ description: "Our bank that makes the payout." }),
  fileId: Optional(SubjectId),
  holder: Type.String(),
  ibanShown: Type.String({ description: "The masked account number of the payee." }),
  createdAt: Moment,
  sentAt: Optional(Moment),
  finishedAt: Optional(Moment),
  lines: Type.Array(
    Type.Object({ bank: Type.String(), entryReference: Type.String(), bookedAt: Moment, sum: Sum }),
    { description: "The sum of the bank entries with its reference; positive if money came back." },
  ),
  breaks: Type.Array(Type.Object({ breakId: Count, kind: Type.String(), isClosed: Type.Boolean() }), {
    description: "Breaks between the payout and the bank's entries.",
  }),
});

export const showPayouts = staffView({
  name: "payouts",
  summary: "Payouts, newest first, or those with a reference: with their batch, bank entries and breaks.",
  permission: "balance.read",
  request: Type.Object({
    reference: Optional(
      Type.String({
        maxLength: 100,
        description: "The payout id (the bank's end-to-end id), the batch id or the file id.",
      }),
    ),
  }),
  response: Type.Object({
    payouts: Type.Array(StaffPayout),
    holds: Type.Array(PayoutHold, { description: "Merchants whose payouts are on hold, oldest hold first." }),
  }),
  auditSubjectOf: ({ reference }) => ({ subject: reference ?? "all payouts" }),
  async find({ url, environment }, { reference }) {
    const query = { reference, limit: payoutsMax };
    const list = async (tx: Tx): Promise<PayoutsAndHolds> => ({
      trails: await listPayoutTrails(tx, query),
      holds: await listOpenHolds(tx),
    });
    const { trails, holds } = await queryAsOwner(url, environment, systemScope, list, {
      readsWholeTables: false,
    });
    return { payouts: trails.map(toPayoutResponse), holds };
  },
});

interface PayoutsAndHolds {
  readonly trails: readonly PayoutTrail[];
  readonly holds: readonly OpenHold[];
}

function toPayoutResponse({ amount, lines, ...payout }: PayoutTrail): object {
  const { currency } = amount;
  return {
    ...payout,
    amount: sumOf(amount),
    lines: lines.map(({ minor, ...line }) => ({ ...line, sum: { currency, value: minor } })),
  };
}
