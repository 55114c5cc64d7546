import { bucketOf } from "../core/bucket.ts";
import { addressOf } from "../core/id.ts";
import { formatMoney, type Money } from "../core/money.ts";
import { actionOfJob } from "../open-records/open-record.ts";
import type { Payment } from "../payments/payment.ts";
import { findPayment, findPaymentByRequest } from "../payments/payment.sql.ts";
import type { PlannedJob, TimelineEntry } from "../payments/timeline.ts";
import { findPaymentOf, listPlannedJobs, listTimeline } from "../payments/timeline.sql.ts";
import { systemScope } from "../postgres/database.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { shownTime } from "./show.ts";
import { align } from "./table.ts";

/** A payment, all that happened to it, and what is planned. */
export interface PaymentHistory {
  readonly payment: ShownPayment;
  readonly timeline: readonly TimelineEntry[];
  readonly jobs: readonly PlannedJob[];
}

/** An allow list: no secrets, no addresses, and nothing that the merchant wrote about its buyer. */
const shownFields = [
  "clientId",
  "paymentId",
  "paymentRequestId",
  "productCode",
  "scenario",
  "status",
  "resultCode",
  "amount",
  "paidAmount",
  "createdAt",
  "paidAt",
  "expiresAt",
  "cancelRequestedAt",
  "cancelledAt",
  "captureMode",
  "capturedMinor",
  "refundedMinor",
  "disputedMinor",
  "feeBasisPoints",
  "paymentMethodType",
] as const satisfies readonly (keyof Payment)[];

export interface ShownPayment extends Pick<Payment, (typeof shownFields)[number]> {
  readonly connector: string | undefined;
  readonly walletReference: string | undefined;
}

/** Finds a payment by its id, by that of a refund, capture or dispute of it, or by its merchant's request id. */
export async function findPaymentHistory(
  operator: Operator,
  id: string,
  clientId: string | undefined,
): Promise<PaymentHistory> {
  const { url, environment } = operator;
  const owned = clientId === undefined ? await findOwned(operator, id) : { clientId, paymentId: id };
  const key = { bucket: bucketOf(owned.clientId), clientId: owned.clientId };
  return asOwner(url, environment, [owned.clientId], async (tx) => {
    const payment =
      (await findPayment(tx, key, owned.paymentId)) ?? (await findPaymentByRequest(tx, key, owned.paymentId));
    if (!payment) throw new Error(`${owned.clientId} has no payment ${owned.paymentId}.`);
    const [timeline, jobs] = await Promise.all([
      listTimeline(tx, key, payment.paymentId),
      listPlannedJobs(tx, key, payment.paymentId),
    ]);
    return { payment: shownOf(payment), timeline, jobs };
  });
}

async function findOwned(
  { url, environment }: Operator,
  id: string,
): Promise<{ readonly clientId: string; readonly paymentId: string }> {
  const address = addressOf(id);
  if (!address)
    throw new Error(`${id} is no id of ours. For the merchant's own request id, say --client-id as well.`);
  const found = await asOwner(url, environment, systemScope, (tx) =>
    findPaymentOf(tx, { bucket: address.bucket, id }),
  );
  if (!found) throw new Error(`There is no payment ${id} here, and nothing of one.`);
  return found;
}

function shownOf(payment: Payment): ShownPayment {
  const shown = Object.fromEntries(shownFields.map((field) => [field, payment[field]]));
  const { connector, reference: walletReference } = payment.order ?? {};
  return { ...(shown as Pick<Payment, (typeof shownFields)[number]>), connector, walletReference };
}

export function historyText({ payment, timeline, jobs }: PaymentHistory): string {
  return [
    align(linesOf(payment)),
    align(timeline.map((entry) => entryRow(entry, payment.paymentId))),
    jobs.length === 0 ? "Nothing is planned." : jobs.map(jobLine).join("\n"),
  ].join("\n\n");
}

function linesOf(payment: ShownPayment): (readonly [string, string])[] {
  const { amount, capturedMinor, refundedMinor, disputedMinor, connector } = payment;
  const sums = [
    [payment.paidAmount?.minor ?? 0n, "paid"],
    [capturedMinor, "captured"],
    [refundedMinor, "refunded"],
    [disputedMinor, "disputed"],
  ] as const;
  const moved = sums.filter(([minor]) => amount && minor > 0n);
  return [
    ["payment", payment.paymentId],
    ["merchant", payment.clientId],
    ["its request", payment.paymentRequestId],
    ["status", `${payment.status}, ${payment.resultCode}`],
    [
      "amount",
      [
        inWords(amount),
        ...moved.map(([minor, how]) => `${how} ${inWords(amount && { ...amount, minor })}`),
      ].join(", "),
    ],
    [
      "method",
      `${payment.paymentMethodType ?? "not chosen"}${connector ? ` by ${connector}` : ""}, ${payment.productCode}`,
    ],
    ["expires", shownTime(payment.expiresAt)],
  ];
}

/** An id is left out where it is the payment's own, which stands above. */
function entryRow({ at, kind, subjectId, what, detail, amount }: TimelineEntry, paymentId: string): string[] {
  const more = [amount && inWords(amount), detail, subjectId === paymentId ? undefined : subjectId];
  return [
    at.toISOString().slice(0, 23).replace("T", " "),
    kind,
    what,
    more.filter((each) => each !== undefined).join("  "),
  ];
}

function jobLine({ job, subjectId, dueAt, attempts, connector, sentAt, lastWord }: PlannedJob): string {
  const facts = [
    `due ${shownTime(dueAt, "in its turn")}`,
    `${attempts} attempts`,
    connector && `needs ${connector}`,
    sentAt && `sent ${shownTime(sentAt)}`,
    lastWord && `answered ${lastWord}`,
  ];
  return `Next, ${job} of ${subjectId}: ${facts.filter(Boolean).join(", ")}.\n  ${actionOfJob(job)}`;
}

function inWords(money: Money | undefined): string {
  return money ? formatMoney(money) : "none";
}
