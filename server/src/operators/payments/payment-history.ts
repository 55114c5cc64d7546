import type { Archive } from "../../archive/archive.ts";
import { findArchiveOf } from "../../archive/archive.sql.ts";
import { bucketOf } from "../../core/bucket.ts";
import { parseId } from "../../core/id.ts";
import { formatMoney, type Money } from "../../core/money.ts";
import { describeJob } from "../../open-records/open-record.ts";
import { displayStatusOf, keptMinor, type DisplayStatus } from "../../payments/display-status.ts";
import { sumDisputeLosses } from "../../payments/display-status.sql.ts";
import { parseProviderDetails } from "../../payments/payment-result-info.ts";
import type { Payment } from "../../payments/payment.ts";
import { findPayment, findPaymentByRequest } from "../../payments/payment.sql.ts";
import type { OwnedPayment, PlannedJob, TimelineEntry } from "../../payments/timeline.ts";
import {
  findPaymentByReference,
  findPaymentByRecordId,
  findWebhookSubject,
  listPaymentsByRequest,
  listPlannedJobs,
  listTimeline,
} from "../../payments/timeline.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { OrderDetails } from "../../providers/order-details.ts";
import type { Tx } from "../../postgres/sql.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

/** A payment with its timeline and planned jobs. */
export interface PaymentHistory {
  readonly payment: PaymentSummary;
  readonly timeline: readonly TimelineEntry[];
  readonly jobs: readonly PlannedJob[];
  /** The archive file with the payment's history, if it is archived. */
  readonly archive: Archive | undefined;
}

/**
 * Fields of a payment that operators see. This allow list has no secrets, addresses or texts of the merchant about its
 * buyer.
 */
const visibleFields = [
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

export interface PaymentSummary extends Pick<Payment, (typeof visibleFields)[number]> {
  readonly displayStatus: DisplayStatus;
  /** The captured amount minus refunds and disputes; absent if nothing was captured. */
  readonly keptMinor: bigint | undefined;
  readonly connector: string | undefined;
  readonly providerReference: string | undefined;
  /** The provider's details of the order, with its fee. */
  readonly details: OrderDetails | undefined;
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
  const owner = clientId === undefined ? await findOwner(operator, id) : { clientId, paymentId: id };
  const key = { bucket: bucketOf(owner.clientId), clientId: owner.clientId };
  const read = async (tx: Tx): Promise<PaymentHistory> => {
    const payment =
      (await findPayment(tx, key, owner.paymentId)) ?? (await findPaymentByRequest(tx, key, owner.paymentId));
    if (!payment) throw new CommandFailed(`${owner.clientId} has no payment ${owner.paymentId}.`);
    const [timeline, jobs, archive, lostAmounts] = await Promise.all([
      listTimeline(tx, key, payment.paymentId),
      listPlannedJobs(tx, key, payment.paymentId),
      findArchiveOf(tx, key, payment.paymentId),
      sumDisputeLosses(tx, key, [payment]),
    ]);
    return { payment: toSummary(payment, lostAmounts.get(payment.paymentId) ?? 0n), timeline, jobs, archive };
  };
  return queryAsOwner(url, environment, [owner.clientId], read, {
    statementTimeoutMs,
    readsWholeTables: false,
  });
}

/**
 * Searches by a gateway id, then by a request id of any merchant. If the text has the form of a reference at the
 * provider, the function also searches by this reference.
 */
async function findOwner({ url, environment }: Operator, id: string): Promise<OwnedPayment> {
  const runQuery = <Value>(work: (tx: Tx) => Promise<Value>, readsWholeTables = false): Promise<Value> =>
    queryAsOwner(url, environment, systemScope, work, { statementTimeoutMs, readsWholeTables });
  const owner =
    (await runQuery((tx) => findByGatewayId(tx, id))) ??
    requireSingle(await runQuery((tx) => listPaymentsByRequest(tx, id)));
  if (owner) return owner;
  const isReference = /^[U0-9a-f][0-9a-f]{39}$/.test(id);
  const byReference = isReference ? await runQuery((tx) => findPaymentByReference(tx, id), true) : undefined;
  if (byReference) return byReference;
  throw new CommandFailed(
    `No payment found for ${id}. It is not the id of a payment, refund, capture, dispute or webhook, no ` +
      "merchant's request id, and no reference at a provider.",
  );
}

async function findByGatewayId(tx: Tx, id: string): Promise<OwnedPayment | undefined> {
  const address = parseId(id);
  if (!address) return undefined;
  const { bucket } = address;
  const subjectId = address.kind === "notification" ? await findWebhookSubject(tx, { bucket, id }) : id;
  return subjectId === undefined ? undefined : findPaymentByRecordId(tx, { bucket, id: subjectId });
}

function requireSingle(found: readonly OwnedPayment[]): OwnedPayment | undefined {
  if (found.length <= 1) return found[0];
  const clientIds = found.map(({ clientId }) => clientId).join(", ");
  throw new CommandFailed(
    `Several merchants have this request id. Select one with --client-id: ${clientIds}.`,
  );
}

function toSummary(payment: Payment, lostMinor: bigint): PaymentSummary {
  const visible = Object.fromEntries(visibleFields.map((field) => [field, payment[field]]));
  const { connector, reference: providerReference } = payment.order ?? {};
  return {
    ...(visible as Pick<Payment, (typeof visibleFields)[number]>),
    displayStatus: displayStatusOf(payment, lostMinor),
    keptMinor: keptMinor(payment),
    connector,
    providerReference,
    details: parseProviderDetails(payment),
  };
}

export function historyText(history: PaymentHistory): string {
  const { payment, jobs, archive } = history;
  return [
    formatTextTable(summaryRows(payment)),
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

function summaryRows(payment: PaymentSummary): (readonly [string, string])[] {
  const { amount, capturedMinor, refundedMinor, disputedMinor, connector } = payment;
  const sums = [
    [payment.paidAmount?.minor ?? 0n, "paid"],
    [capturedMinor, "captured"],
    [refundedMinor, "refunded"],
    [disputedMinor, payment.displayStatus === "DISPUTE_LOST" ? "lost to a dispute" : "disputed"],
  ] as const;
  const remaining = payment.keptMinor === undefined ? [] : [[payment.keptMinor, "left"] as const];
  const amounts = [...sums.filter(([minor]) => amount && minor > 0n), ...remaining];
  return [
    ["payment", payment.paymentId],
    ["merchant", payment.clientId],
    ["request id", payment.paymentRequestId],
    ["order id", payment.referenceOrderId ?? "none"],
    ["status", `${payment.status}, ${payment.resultCode}, ${displayText(payment.displayStatus)}`],
    [
      "amount",
      [
        moneyText(amount),
        ...amounts.map(([minor, label]) => `${label} ${moneyText(amount && { ...amount, minor })}`),
      ].join(", "),
    ],
    [
      "method",
      `${payment.paymentMethodType ?? "not chosen"}${connector ? ` by ${connector}` : ""}, ${payment.productCode}`,
    ],
    ["expires", formatUtcTime(payment.expiresAt)],
    ...detailRows(payment.details ?? {}),
  ];
}

function detailRows(details: OrderDetails): (readonly [string, string])[] {
  const { cardBrand, cardLastFour, issuerResultCode, avsResult, cvcResult, fee, valueDate } = details;
  const { version, outcome, isLiabilityShifted } = details.threeDSecure ?? {};
  const rows = {
    card: [
      cardBrand,
      cardLastFour && `ends in ${cardLastFour}`,
      issuerResultCode && `issuer's code ${issuerResultCode}`,
      avsResult && `AVS ${avsResult}`,
      cvcResult && `CVC ${cvcResult}`,
    ],
    "3-D Secure": [
      version,
      outcome,
      isLiabilityShifted !== undefined && `liability ${isLiabilityShifted ? "shifted" : "not shifted"}`,
    ],
    "network id": [details.networkTransactionId],
    "provider fee": [fee && moneyText({ currency: fee.currency, minor: BigInt(fee.value) })],
    "value date": [valueDate],
  };
  return Object.entries(rows)
    .map(([name, parts]) => [name, parts.filter(Boolean).join(", ")] as const)
    .filter(([, content]) => content !== "");
}

/** Formats a row for each entry, grouped by day. The ids of the payment and its merchant are only in the header. */
function timelineText({ payment, timeline }: PaymentHistory): string {
  const shorten = newShortener(payment.paymentId);
  const rows = formatTextTable(timeline.map((entry) => entryRow(entry, payment.clientId, shorten))).split(
    "\n",
  );
  const days = timeline.map(({ at }) => at.toISOString().slice(0, 10));
  return rows
    .flatMap((row, index) => (days[index] === days[index - 1] ? [row] : [`${days[index]}, UTC`, row]))
    .join("\n");
}

function entryRow(entry: TimelineEntry, clientId: string, shorten: (id: string) => string): string[] {
  const { at, kind, subjectId, what, detail, aboutId, amount } = entry;
  const about = aboutId === undefined ? "" : shorten(aboutId);
  const details = [
    amount && moneyText(amount),
    detail?.replaceAll(` ${clientId}`, ""),
    about && `of ${about}`,
    shorten(subjectId),
  ];
  return [`  ${at.toISOString().slice(11, 23)}`, kind, what, details.filter(Boolean).join("  ")];
}

/**
 * Returns a function that prints a 35-digit id in full the first time and only its end later; empty for the payment's
 * own id.
 */
function newShortener(paymentId: string): (id: string) => string {
  const seen = new Set<string>();
  return (id) => {
    if (id === paymentId) return "";
    if (seen.has(id)) return `…${id.slice(-6)}`;
    seen.add(id);
    return id;
  };
}

function jobLine({ job, subjectId, dueAt, attempts, connector, sentAt, lastWord }: PlannedJob): string {
  const facts = [
    `due ${formatUtcTime(dueAt, "when a slot is free")}`,
    `${attempts} attempts`,
    connector && `needs ${connector}`,
    sentAt && `sent ${formatUtcTime(sentAt)}`,
    lastWord && `last result ${lastWord}`,
  ];
  return `Next, ${job} of ${subjectId}: ${facts.filter(Boolean).join(", ")}.\n  ${describeJob(job)}`;
}

/** Formats a display status: `partly refunded`. */
function displayText(display: DisplayStatus): string {
  return display.toLowerCase().replaceAll("_", " ");
}

function moneyText(money: Money | undefined): string {
  return money ? formatMoney(money) : "none";
}
