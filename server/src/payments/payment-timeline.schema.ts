import { Type, type Static } from "typebox";
import { Amount, described, Id, OneOf, Time, toTime, type Meanings } from "../api/schemas.ts";
import { toAmount } from "../core/money.ts";
import type { PlannedJob, TimelineEntry, TimelineKind } from "./timeline.ts";

const kindsInWords: Meanings<TimelineKind> = {
  payment: "A change of the payment.",
  order: "The wallet took the order.",
  callback: "The wallet told us something.",
  capture: "Held money is taken.",
  refund: "Money is given back.",
  reversal: "Money that was cancelled, or came too late, goes back.",
  dispute: "The buyer disputes it.",
  ledger: "Money moved in the books.",
  notification: "The merchant is told.",
  attempt: "The merchant's system was called.",
};

export const TimelineItem = Type.Object(
  {
    time: described(Time, "When it happened."),
    kind: OneOf(kindsInWords, "Where it comes from."),
    subjectId: described(Id, "The record that it happened to."),
    what: Type.String({ maxLength: 128, description: "A status, an effect, or what was done." }),
    detail: Type.Optional(Type.String({ maxLength: 512, description: "More of it." })),
    aboutId: Type.Optional(described(Id, "What a notification tells of.")),
    amount: Type.Optional(described(Amount, "How much, where money is meant.")),
  },
  { title: "TimelineItem", description: "Something that happened to the payment." },
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
    job: Type.String({ maxLength: 64, description: "What is planned." }),
    subjectId: described(Id, "For which record."),
    dueTime: Type.Optional(described(Time, "When; absent while its endpoint is busy.")),
    attempts: Type.Integer({ minimum: 0, description: "How often it was tried." }),
    wallet: Type.Optional(Type.String({ maxLength: 32, description: "The wallet that it needs." })),
  },
  { title: "PlannedStep", description: "Something that is to be done." },
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
    ...(connector !== undefined && { wallet: connector }),
  };
}
