import assert from "node:assert/strict";
import { Type } from "typebox";
import { OneOf } from "../contract/schemas.ts";
import { isRefusal } from "../core/result.ts";
import { toSelection } from "../notifications/delivery-filter.schema.ts";
import { listWaitingQueues } from "../notifications/delivery-queue.sql.ts";
import { describeJob } from "../open-records/open-record.ts";
import { resultInfoOf } from "../payments/payment-result-info.ts";
import { displayStatuses, paymentResultInfo } from "../payments/payment-summary.schema.ts";
import type { PlannedJob } from "../payments/timeline.ts";
import { systemScope } from "../postgres/database.ts";
import { queryAsOwner } from "../operator-session/owner-session.ts";
import {
  holdJobs,
  releaseJobs,
  retryJobs,
  type HeldJob,
  type RetriedJob,
} from "../operators/payments/planned-jobs.ts";
import { resendNotifications } from "../operators/payments/resend-notifications.ts";
import {
  findPaymentHistory,
  type PaymentHistory,
  type PaymentSummary,
} from "../operators/payments/payment-history.ts";
import { staffAct, staffView } from "./staff-route.ts";
import { ClientId, Count, Optional, Moment, SubjectId, Sum, sumOf } from "./staff-schemas.ts";
import { findStuckRecords, type OpenRecordDetails } from "../operators/payments/stuck-records.ts";

/**
 * Maximum number of open records on the page, which is more than a person reads. Stuck records come first, so they are
 * never cut off.
 */
const recordsMax = 500;
const queuesMax = 200;

/** Safe actions that staff can take on an open record. */
type Step = "retry" | "hold" | "release" | "resend";
const steps = ["retry", "hold", "release", "resend"] as const satisfies readonly Step[];

const Steps = Type.Array(Type.Enum([...steps]), { description: "Safe actions on the record." });

export const showOpenRecords = staffView({
  name: "openRecords",
  summary:
    "Open records, stuck ones first: the party that must act, the reason for waiting, and safe actions.",
  permission: "open-records.read",
  request: Type.Object({}),
  response: Type.Object({
    openCount: Count,
    stuckCount: Count,
    heldCount: Count,
    records: Type.Array(
      Type.Object({
        kind: Type.String(),
        clientId: ClientId,
        id: SubjectId,
        requestId: Optional(Type.String()),
        status: Type.String(),
        since: Moment,
        isStuck: Type.Boolean(),
        isHeld: Type.Boolean(),
        owner: Type.Enum(["buyer", "wallet", "merchant", "gateway"], {
          description: "The party that must act next.",
        }),
        action: Type.String({ description: "The gateway's next step, as a sentence." }),
        dueAt: Optional(Moment),
        attempts: Count,
        waitsFor: Optional(
          Type.Object({ connector: Type.String(), why: Type.Enum(["silent", "not connected"]) }),
        ),
        steps: Steps,
      }),
    ),
  }),
  async find({ url, environment }) {
    const { records, stuckCount } = await findStuckRecords(url, environment);
    const ordered = [...records].sort((a, b) => urgency(b) - urgency(a));
    return {
      openCount: records.length,
      stuckCount,
      heldCount: records.filter(({ next }) => next?.isHeld).length,
      records: ordered.slice(0, recordsMax).map(toRecordResponse),
    };
  },
});

function urgency({ isStuck, next }: OpenRecordDetails): number {
  if (isStuck) return 3;
  if (next?.isHeld) return 2;
  return next?.unavailable ? 1 : 0;
}

function toRecordResponse(record: OpenRecordDetails): object {
  const { next, ...shown } = record;
  return {
    ...shown,
    isHeld: next?.isHeld ?? false,
    dueAt: next?.at,
    attempts: next?.attempts ?? 0,
    waitsFor: next?.unavailable,
    steps: stepsFor(record),
  };
}

/**
 * The safe actions for an open record. A record without a job is a bug: an engineer must investigate, so there is no
 * action.
 */
function stepsFor({ kind, next }: OpenRecordDetails): readonly Step[] {
  if (!next) return kind === "notification" ? ["resend"] : [];
  if (next.isHeld) return ["release"];
  if (kind === "notification") return next.at ? ["retry", "resend"] : ["resend"];
  return ["retry", "hold"];
}

export const showDeliveryQueues = staffView({
  name: "deliveryQueues",
  summary: "Delivery queues with pending webhooks, and paused ones.",
  permission: "open-records.read",
  request: Type.Object({}),
  response: Type.Object({
    queues: Type.Array(
      Type.Object({
        clientId: ClientId,
        endpoint: Type.String({ description: "The endpoint or the webhook kind that the deliveries share." }),
        waitingCount: Count,
        oldestAt: Optional(Moment),
        attemptsMax: Count,
        pausedAt: Optional(Moment),
      }),
    ),
  }),
  async find({ url, environment }) {
    return {
      queues: await queryAsOwner(url, environment, systemScope, (tx) => listWaitingQueues(tx, queuesMax)),
    };
  },
});

export const showPayment = staffView({
  name: "payment",
  summary: "A payment by any of its ids, with its timeline and planned jobs.",
  permission: "payments.read",
  request: Type.Object({ id: SubjectId, clientId: Optional(ClientId) }),
  response: Type.Object({
    payment: Type.Object({
      clientId: ClientId,
      paymentId: SubjectId,
      paymentRequestId: Type.String(),
      referenceOrderId: Optional(Type.String({ description: "The merchant's order number." })),
      status: Type.String(),
      displayStatus: OneOf(displayStatuses, "The status for people, after refunds and disputes."),
      resultCode: Type.String(),
      amount: Optional(Sum),
      captured: Optional(Sum),
      refunded: Optional(Sum),
      disputed: Optional(Sum),
      kept: Optional(Sum),
      createdAt: Moment,
      paidAt: Optional(Moment),
      expiresAt: Optional(Moment),
      paymentMethodType: Optional(Type.String()),
      connector: Optional(Type.String()),
      providerReference: Optional(Type.String()),
      paymentResultInfo,
      providerFee: Optional(Sum),
      valueDate: Optional(Type.String({ description: "When the provider credits the money: `yyyy-MM-dd`." })),
    }),
    timeline: Type.Array(
      Type.Object({
        at: Moment,
        kind: Type.String(),
        subjectId: SubjectId,
        what: Type.String(),
        detail: Optional(Type.String()),
        amount: Optional(Sum),
      }),
    ),
    jobs: Type.Array(
      Type.Object({
        job: Type.String(),
        action: Type.String({ description: "The job's effect, as a sentence." }),
        subjectId: SubjectId,
        dueAt: Optional(Moment),
        attempts: Count,
        connector: Optional(Type.String()),
        sentAt: Optional(Moment),
        lastWord: Optional(Type.String()),
        steps: Steps,
      }),
    ),
  }),
  auditSubjectOf: ({ id, clientId }) => ({ subject: id, clientId }),
  async find(context, { id, clientId }) {
    return toPaymentResponse(await findPaymentHistory(context, id, clientId));
  },
});

function toPaymentResponse({ payment, timeline, jobs }: PaymentHistory): object {
  return {
    payment: {
      ...payment,
      amount: payment.amount && sumOf(payment.amount),
      captured: sumInCurrencyOf(payment, payment.capturedMinor || undefined),
      refunded: sumInCurrencyOf(payment, payment.refundedMinor || undefined),
      disputed: sumInCurrencyOf(payment, payment.disputedMinor || undefined),
      kept: sumInCurrencyOf(payment, payment.keptMinor),
      paymentResultInfo: payment.details && resultInfoOf(payment, payment.details),
      providerFee: payment.details?.fee,
      valueDate: payment.details?.valueDate,
    },
    timeline: timeline.map((entry) => ({ ...entry, amount: entry.amount && sumOf(entry.amount) })),
    jobs: jobs.map((job) => ({ ...job, action: describeJob(job.job), steps: stepsForJob(job) })),
  };
}

/** Returns an amount in the payment's currency. */
function sumInCurrencyOf({ amount }: PaymentSummary, minor: bigint | undefined): object | undefined {
  return amount && minor !== undefined ? sumOf({ currency: amount.currency, minor }) : undefined;
}

/**
 * The safe actions for a job. A parked delivery waits for its endpoint. Any other job without a due time is on hold.
 */
function stepsForJob({ job, dueAt }: PlannedJob): readonly Step[] {
  if (job === "deliver-notification") return dueAt ? ["retry", "resend"] : ["resend"];
  return dueAt ? ["retry", "hold"] : ["release"];
}

const JobsResponse = Type.Object({
  jobs: Type.Array(Type.Object({ job: Type.String(), isDone: Type.Boolean() })),
});
const RecordRequest = Type.Object({ id: SubjectId });

export const retryJobsAct = staffAct({
  name: "retry",
  auditedAct: "job retry",
  summary: "Runs the planned jobs of a record now: inquiries, requests to the provider, webhook deliveries.",
  permission: "jobs.retry",
  request: RecordRequest,
  response: JobsResponse,
  act: async (context, { id }) => ({ jobs: (await retryJobs(context, id)).map(toRetriedJobResponse) }),
});

function toRetriedJobResponse({ job, isDueNow }: RetriedJob): object {
  return { job, isDone: isDueNow };
}

export const holdJobsAct = staffAct({
  name: "hold",
  auditedAct: "job hold",
  summary: "Holds the jobs of a record until they are released.",
  permission: "jobs.retry",
  request: RecordRequest,
  response: JobsResponse,
  act: async (context, { id }) => ({ jobs: (await holdJobs(context, id)).map(toHeldJobResponse) }),
});

export const releaseJobsAct = staffAct({
  name: "release",
  auditedAct: "job release",
  summary: "Releases held jobs and runs them now.",
  permission: "jobs.retry",
  request: RecordRequest,
  response: JobsResponse,
  act: async (context, { id }) => ({ jobs: (await releaseJobs(context, id)).map(toHeldJobResponse) }),
});

function toHeldJobResponse({ job, isDone }: HeldJob): object {
  return { job, isDone };
}

export const resendNotificationAct = staffAct({
  name: "resend",
  auditedAct: "notification resend",
  summary: "Sends a webhook again.",
  permission: "jobs.retry",
  request: Type.Object({ clientId: ClientId, notificationId: SubjectId }),
  response: Type.Object({ count: Count }),
  async act(context, { clientId, notificationId }) {
    const selection = toSelection({ notificationId }, ["WAITING", "DELIVERED", "EXHAUSTED", "UNSENT"]);
    assert(!isRefusal(selection), "A single id is a valid selection.");
    const sent = await resendNotifications(context, clientId, selection);
    return { count: sent.length };
  },
});
