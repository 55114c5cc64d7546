import { Type, type Static } from "typebox";
import { Amount, withDescription, Id, OneOf, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { toAmount } from "../core/money.ts";
import type { PlannedJob, TimelineEntry, TimelineKind } from "./timeline.ts";

const timelineKindMeanings: Meanings<TimelineKind> = {
  payment: "A change of the payment.",
  order: "The payment provider accepted the order.",
  callback: "The payment provider sent a callback.",
  capture: "Authorized money is captured.",
  refund: "Money is refunded.",
  reversal: "Money of a cancelled payment or of a late success is returned.",
  dispute: "The buyer disputes the payment.",
  ledger: "The ledger recorded a movement of money.",
  notification: "A webhook was created.",
  attempt: "A webhook was sent to the merchant's endpoint.",
};

export const TimelineItem = Type.Object(
  {
    time: withDescription(Time, "When the event happened."),
    kind: OneOf(timelineKindMeanings, "The kind of event."),
    subjectId: withDescription(Id, "The id of the record that changed."),
    what: Type.String({ maxLength: 128, description: "A status, a ledger effect, or an action." }),
    detail: Type.Optional(Type.String({ maxLength: 512, description: "Details of the event." })),
    aboutId: Type.Optional(withDescription(Id, "The id of the record that a webhook is about.")),
    amount: Type.Optional(withDescription(Amount, "The amount, if money moved.")),
  },
  { title: "TimelineItem", description: "An event of the payment's timeline." },
);

export function toTimelineItem(entry: TimelineEntry): Static<typeof TimelineItem> {
  const { at, kind, subjectId, what, detail, aboutId, amount } = entry;
  return {
    time: toTime(at),
    kind,
    subjectId,
    what,
    ...(detail !== undefined && { detail }),
    ...(aboutId !== undefined && { aboutId }),
    ...(amount && { amount: toAmount(amount) }),
  };
}

export const PlannedStep = Type.Object(
  {
    job: Type.String({ maxLength: 64, description: "The name of the job." }),
    subjectId: withDescription(Id, "The id of the record that the job processes."),
    dueTime: Type.Optional(
      withDescription(Time, "When the job is due; absent while its delivery queue is full."),
    ),
    attempts: Type.Integer({ minimum: 0, description: "Number of failed attempts." }),
    provider: Type.Optional(Type.String({ maxLength: 32, description: "The connector that the job needs." })),
  },
  { title: "PlannedStep", description: "A job that is scheduled for the payment." },
);

export function toPlannedStep({
  job,
  subjectId,
  dueAt,
  attempts,
  connector,
}: PlannedJob): Static<typeof PlannedStep> {
  return {
    job,
    subjectId,
    ...(dueAt && { dueTime: toTime(dueAt) }),
    attempts,
    ...(connector !== undefined && { provider: connector }),
  };
}
