import type { Archive } from "../../archive/archive.ts";
import { findArchiveOf } from "../../archive/archive.sql.ts";
import { bucketOf } from "../../core/bucket.ts";
import { addressOf } from "../../core/id.ts";
import { formatMoney, type Money } from "../../core/money.ts";
import { actionOfJob } from "../../open-records/open-record.ts";
import { displayStatusOf, keptMinor, type DisplayStatus } from "../../payments/display-status.ts";
import { sumLost } from "../../payments/display-status.sql.ts";
import type { Payment } from "../../payments/payment.ts";
import { findPayment, findPaymentByRequest } from "../../payments/payment.sql.ts";
import type { OwnedPayment, PlannedJob, TimelineEntry } from "../../payments/timeline.ts";
import {
  findPaymentByReference,
  findPaymentOf,
  findWebhookSubject,
  listPaymentsByRequest,
  listPlannedJobs,
  listTimeline,
} from "../../payments/timeline.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { asOwner, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { shownTime, align } from "../../formats/text-table.ts";

/** A payment with its timeline and planned jobs. */
export interface PaymentHistory {
  readonly payment: ShownPayment;
  readonly timeline: readonly TimelineEntry[];
  readonly jobs: readonly PlannedJob[];
  /** The archive file with the payment's history, if it is archived. */
  readonly archive: Archive | undefined;
}

/**
 * Fields of a payment that operators see. This allow list has no secrets, addresses or texts of the merchant about its
 * buyer.
 */
const shownFields = [
  "clientId",
  "paymentId",
  "paymentRequestId",
  "referenceOrderId",
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
  "feeTerms",
  "paymentMethodType",
] as const satisfies readonly (keyof Payment)[];

export interface ShownPayment extends Pick<Payment, (typeof shownFields)[number]> {
  readonly displayStatus: DisplayStatus;
  /** The captured amount minus refunds and disputes; absent if nothing was captured. */
  readonly keptMinor: bigint | undefined;
  readonly connector: string | undefined;
  readonly providerReference: string | undefined;
}

/** Statement timeout of a search by the provider's reference, which has no index and reads all payments. */
const statementTimeoutMs = 60_000;

/**
 * `findPaymentHistory` finds a payment by its id, by the id of its refund, capture, dispute or webhook, by the
 * merchant's request id, or by its reference at the provider.
 */
export async function findPaymentHistory(
  operator: Operator,
  id: string,
  clientId: string | undefined,
): Promise<PaymentHistory> {
  const { url, environment } = operator;
  const owned = clientId === undefined ? await findOwned(operator, id) : { clientId, paymentId: id };
  const key = { bucket: bucketOf(owned.clientId), clientId: owned.clientId };
  const read = async (tx: Tx): Promise<PaymentHistory> => {
    const payment =
      (await findPayment(tx, key, owned.paymentId)) ?? (await findPaymentByRequest(tx, key, owned.paymentId));
    if (!payment) throw new CommandFailed(`${owned.clientId} has no payment ${owned.paymentId}.`);
    const [timeline, jobs, archive, lost] = await Promise.all([
      listTimeline(tx, key, payment.paymentId),
      listPlannedJobs(tx, key, payment.paymentId),
      findArchiveOf(tx, key, payment.paymentId),
      sumLost(tx, key, [payment]),
    ]);
    return { payment: shownOf(payment, lost.get(payment.paymentId) ?? 0n), timeline, jobs, archive };
  };
  return asOwner(url, environment, [owned.clientId], read, { statementTimeoutMs, readsWholeTables: false });
}

/**
 * Searches by a gateway id, then by a request id of any merchant. If the text has the form of a reference at the
 * provider, the function also searches by this reference.
 */
async function findOwned({ url, environment }: Operator, id: string): Promise<OwnedPayment> {
  const look = <Value>(work: (tx: Tx) => Promise<Value>, readsWholeTables = false): Promise<Value> =>
    asOwner(url, environment, systemScope, work, { statementTimeoutMs, readsWholeTables });
  const found =
    (await look((tx) => findByOurId(tx, id))) ?? onlyOne(await look((tx) => listPaymentsByRequest(tx, id)));
  if (found) return found;
  const isReference = /^[U0-9a-f][0-9a-f]{39}$/.test(id);
  const referred = isReference ? await look((tx) => findPaymentByReference(tx, id), true) : undefined;
  if (referred) return referred;
  throw new CommandFailed(
    `No payment found for ${id}. It is not the id of a payment, refund, capture, dispute or webhook, no ` +
      "merchant's request id, and no reference at a provider.",
  );
}

async function findByOurId(tx: Tx, id: string): Promise<OwnedPayment | undefined> {
  const address = addressOf(id);
  if (!address) return undefined;
  const { bucket } = address;
  const subjectId = address.kind === "notification" ? await findWebhookSubject(tx, { bucket, id }) : id;
  return subjectId === undefined ? undefined : findPaymentOf(tx, { bucket, id: subjectId });
}

function onlyOne(found: readonly OwnedPayment[]): OwnedPayment | undefined {
  if (found.length <= 1) return found[0];
  const whose = found.map(({ clientId }) => clientId).join(", ");
  throw new CommandFailed(`Several merchants have this request id. Select one with --client-id: ${whose}.`);
}

function shownOf(payment: Payment, lostMinor: bigint): ShownPayment {
  const shown = Object.fromEntries(shownFields.map((field) => [field, payment[field]]));
  const { connector, reference: providerReference } = payment.order ?? {};
  return {
    ...(shown as Pick<Payment, (typeof shownFields)[number]>),
    displayStatus: displayStatusOf(payment, lostMinor),
    keptMinor: keptMinor(payment),
    connector,
    providerReference,
  };
}

export function historyText(history: PaymentHistory): string {
  const { payment, jobs, archive } = history;
  return [
    align(linesOf(payment)),
    timelineText(history),
    ...(archive
      ? [
          `Its events, callbacks and webhooks are archived in ${archive.file}. Print them with \`tollgate archive ` +
            "show`.",
        ]
      : []),
    jobs.length === 0 ? "No jobs are planned." : jobs.map(jobLine).join("\n"),
  ].join("\n\n");
}

function linesOf(payment: ShownPayment): (readonly [string, string])[] {
  const { amount, capturedMinor, refundedMinor, disputedMinor, connector } = payment;
  const sums = [
    [payment.paidAmount?.minor ?? 0n, "paid"],
    [capturedMinor, "captured"],
    [refundedMinor, "refunded"],
    [disputedMinor, payment.displayStatus === "DISPUTE_LOST" ? "lost to a dispute" : "disputed"],
  ] as const;
  const left = payment.keptMinor === undefined ? [] : [[payment.keptMinor, "left"] as const];
  const moved = [...sums.filter(([minor]) => amount && minor > 0n), ...left];
  return [
    ["payment", payment.paymentId],
    ["merchant", payment.clientId],
    ["request id", payment.paymentRequestId],
    ["order id", payment.referenceOrderId ?? "none"],
    ["status", `${payment.status}, ${payment.resultCode}, ${displayText(payment.displayStatus)}`],
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

/** Formats a row for each entry, grouped by day. The ids of the payment and its merchant are only in the header. */
function timelineText({ payment, timeline }: PaymentHistory): string {
  const shorten = newShortener(payment.paymentId);
  const rows = align(timeline.map((entry) => entryRow(entry, payment.clientId, shorten))).split("\n");
  const days = timeline.map(({ at }) => at.toISOString().slice(0, 10));
  return rows
    .flatMap((row, index) => (days[index] === days[index - 1] ? [row] : [`${days[index]}, UTC`, row]))
    .join("\n");
}

function entryRow(entry: TimelineEntry, clientId: string, shorten: (id: string) => string): string[] {
  const { at, kind, subjectId, what, detail, aboutId, amount } = entry;
  const about = aboutId === undefined ? "" : shorten(aboutId);
  const more = [
    amount && inWords(amount),
    detail?.replaceAll(` ${clientId}`, ""),
    about && `of ${about}`,
    shorten(subjectId),
  ];
  return [`  ${at.toISOString().slice(11, 23)}`, kind, what, more.filter(Boolean).join("  ")];
}

/**
 * Returns a function that prints a 35-digit id in full the first time and only its end later; empty for the payment's
 * own id.
 */
function newShortener(own: string): (id: string) => string {
  const seen = new Set<string>();
  return (id) => {
    if (id === own) return "";
    if (seen.has(id)) return `…${id.slice(-6)}`;
    seen.add(id);
    return id;
  };
}

function jobLine({ job, subjectId, dueAt, attempts, connector, sentAt, lastWord }: PlannedJob): string {
  const facts = [
    `due ${shownTime(dueAt, "when a slot is free")}`,
    `${attempts} attempts`,
    connector && `needs ${connector}`,
    sentAt && `sent ${shownTime(sentAt)}`,
    lastWord && `last result ${lastWord}`,
  ];
  return `Next, ${job} of ${subjectId}: ${facts.filter(Boolean).join(", ")}.\n  ${actionOfJob(job)}`;
}

/** Formats a display status: `partly refunded`. */
function displayText(display: DisplayStatus): string {
  return display.toLowerCase().replaceAll("_", " ");
}

function inWords(money: Money | undefined): string {
  return money ? formatMoney(money) : "none";
}
