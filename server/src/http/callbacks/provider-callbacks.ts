import type { FastifyInstance } from "fastify";
import { bucketOf } from "../../core/bucket.ts";
import { WrongCellError } from "../../core/wrong-cell-error.ts";
import type { Reach } from "../../resilience/fault-watch.ts";
import { parseId } from "../../core/id.ts";
import {
  refuse,
  isRefusal,
  results,
  toRequestResult,
  type Refusal,
  type RequestResult,
} from "../../core/result.ts";
import { readTrace } from "../../telemetry/trace.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import type { DisputeDecision } from "../../disputes/decide-dispute.ts";
import { recordDisputeReport } from "../../disputes/record-dispute.tx.ts";
import { accountOfOrder, hasAbandonedOrder, isSettled, type Payment } from "../../payments/payment.ts";
import { findPayment, lockPayment } from "../../payments/payment.sql.ts";
import type { RecordingContext } from "../../contract/provider-driver.ts";
import type { PaidCallback } from "../../payments/settle-paid-batch.tx.ts";
import { recordReport } from "../../payments/record-report.tx.ts";
import { decideAbandonedOrder, type PaymentDecision } from "../../payments/decide-payment.ts";
import { requireCommitted } from "../../postgres/database.ts";
import type { ServerOrigin } from "../../postgres/connection-origin.ts";
import type { Tx } from "../../postgres/sql.ts";
import { algorithmOf } from "../../signing/algorithm.ts";
import { timeProblem, providerSignatureProblem } from "../../signing/verify-signature.ts";
import type { LoadedConnector } from "../../providers/connector-directory.ts";
import { readDispute } from "../../providers/dispute-report.ts";
import { readOrder } from "../../providers/order-report.ts";
import { readText } from "../../providers/report-fields.ts";
import type { DisputeReport, MerchantAccount, OrderReport } from "../../providers/provider.ts";
import { insertProviderEvent } from "../../providers/provider-event.sql.ts";
import { mayBeSigned } from "../merchant-api/answer-arrival.ts";
import { arrivalOf, type Arrival } from "../merchant-api/arrival.ts";
import { receiveAuthorizationCallback } from "./authorization-callbacks.ts";
import { confirmDispute, confirmOrder, unconfirmed, type ConfirmationResult } from "./confirm-callback.ts";
import { readMoneyCallback, receiveMoneyCallback, type MoneyCallback } from "./money-callbacks.ts";
import { markAuthenticated } from "../limits/connections.ts";
import type { Gateway } from "../merchant-api/gateway.ts";
import { answerBody, signedReplyHeaders, type Reply } from "../merchant-api/reply.ts";

const bodyBytesMax = 64 * 1024;
const timeToleranceSeconds = 600;

/**
 * `serveCallbacks` receives callbacks of payment providers about orders and consents. It acknowledges only after the
 * commit.
 */
export function serveCallbacks(app: FastifyInstance, gateway: Gateway): void {
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  app.post<{ Params: Params }>(
    "/providers/:connector/callbacks/:clientId/:subjectId",
    async (request, reply) => {
      const arrival = arrivalOf(gateway, request.raw, request.originalUrl, request.id);
      try {
        const { traces, newUuid } = gateway.runner;
        const trace = readTrace(arrival.headers.get("traceparent") ?? [], newUuid());
        const step = { kind: "call", name: "callback" } as const;
        const answer = await traces.run(trace, step, () => answerCallback(gateway, request.params, arrival));
        if (answer?.isAuthenticated) markAuthenticated(request.raw.socket);
        // The provider retries after a plain 503 without a signed result.
        if (!answer) return await reply.code(503).header("retry-after", "1").send();
        const type = { "content-type": "application/json; charset=UTF-8" };
        return await reply.headers({ ...answer.headers, ...type }).send(answer.body);
      } finally {
        arrival.slot.release();
      }
    },
  );
}

/**
 * Answers a callback; undefined under overload (load shedding). Rejecting an unauthenticated client costs very little.
 */
async function answerCallback(
  gateway: Gateway,
  params: Params,
  arrival: Arrival,
): Promise<Omit<Reply, "code"> | undefined> {
  if (!gateway.guard.hasFreeSlot("old work")) return undefined;
  const connector = await gateway.connectors.findUntrusted(params.connector);
  const verified = connector && (await verifyCallback(gateway, connector, arrival));
  if (verified === "no room") return undefined;
  const isVerified = Buffer.isBuffer(verified);
  if (isVerified) gateway.runner.traces.recordPayment(params);
  if (isVerified && !arrival.slot.take("old work")) return undefined;
  const outcome =
    connector && isVerified
      ? await receiveOrReportFault(gateway, connector, params, { arrival, body: verified })
      : toRequestResult(
          (verified as Refusal | undefined) ??
            refuse("UNKNOWN_CLIENT", { detail: "There is no such connector." }),
        );
  const line = { callback: params, address: arrival.address, code: outcome.code };
  gateway.runner.traces.recordOutcome(outcome.code);
  gateway.meter.add("callbacks", [connector?.name ?? "unknown", outcome.code, results[outcome.code].status]);
  if (isVerified) gateway.log.info(line);
  else gateway.logUnauthenticated(line);

  const body = answerBody(gateway, outcome, {});
  if (!isVerified && !mayBeSigned(gateway, arrival, outcome.code))
    return { isAuthenticated: isVerified, headers: {}, body };
  const keyVersion = connector?.gatewayKeyVersion ?? gateway.signer.newestVersion();
  const algorithm = connector ? algorithmOf(connector.key) : "RSA256";
  const addressee = { clientId: connector?.partnerId ?? "", keyVersion, algorithm };
  return {
    isAuthenticated: isVerified,
    headers: await signedReplyHeaders(gateway, arrival, addressee, body),
    body,
  };
}

/** Returns the body of a callback after verifying its signature, or the rejection. */
async function verifyCallback(
  gateway: Gateway,
  connector: LoadedConnector,
  arrival: Arrival,
): Promise<Buffer | Refusal | "no room"> {
  const body = await arrival.readBody(bodyBytesMax);
  if (body === "no room") return body;
  if (typeof body === "string") return refuse("PARAM_ILLEGAL");
  if (!gateway.invalidSignatureLimiter.mayVerify(arrival.network)) return "no room";
  const refusal = await signatureRefusal(gateway, connector, arrival, body);
  if (refusal?.refused === "INVALID_SIGNATURE")
    gateway.invalidSignatureLimiter.recordFailure(arrival.network);
  return refusal ?? body;
}

interface Params {
  readonly connector: string;
  readonly clientId: string;
  /** The id of a payment, or of a buyer's consent. */
  readonly subjectId: string;
}

/** The content of a callback whose signature is verified. */
interface VerifiedCallback {
  readonly eventId: string;
  readonly reference: string;
  readonly report: OrderReport | DisputeReport;
}

/** Receives a callback. A fault returns result status `U` (unknown), so the provider retries. */
async function receiveOrReportFault(
  ...parameters: Parameters<typeof receiveCallback>
): Promise<RequestResult> {
  try {
    return await receiveCallback(...parameters);
  } catch (error) {
    const [gateway, , { clientId, subjectId }] = parameters;
    gateway.log.error({ err: error, clientId, subjectId }, "Processing a callback failed.");
    return { code: "UNKNOWN_EXCEPTION" };
  }
}

async function receiveCallback(
  gateway: Gateway,
  connector: LoadedConnector,
  { clientId, subjectId }: Params,
  { arrival, body }: { readonly arrival: Arrival; readonly body: Buffer },
): Promise<RequestResult> {
  gateway.runner.atCrashPoint("after-callback-verified");
  // A closed merchant's callback gets SUCCESS, because a rejection would make the provider retry without limit.
  if (await gateway.runner.isClosed(clientId)) return { code: "SUCCESS" };

  // The kind of the id shows whether the callback is about an order or a buyer's consent.
  if (parseId(subjectId)?.kind === "authorization") {
    const authorizationKey = { clientId, authorizationId: subjectId };
    return receiveAuthorizationCallback(gateway, connector, authorizationKey, { arrival, body });
  }

  const callback = parseCallback(body);
  if (isRefusal(callback)) {
    gateway.driver.alert("A provider's callback cannot be parsed.", { clientId, paymentId: subjectId });
    return toRequestResult(callback);
  }
  const payment = { clientId, paymentId: subjectId };
  if ("moneyReference" in callback) {
    const record = (): Promise<RequestResult> => receiveMoneyCallback(gateway, connector, payment, callback);
    return recordOrReportFault(gateway, payment, { kind: "money callbacks", reach: "moved", record });
  }
  // The callback releases its concurrency slot while it waits, so that a slow provider does not use up the concurrency
  // limit.
  const report = await arrival.slot.idle(confirmReport(gateway, connector, payment, callback));
  if (report !== unconfirmed) {
    const record = (): Promise<RequestResult> =>
      recordCallback(gateway, connector, payment, { ...callback, report });
    const [kind, reach] = [kindOf(report), reachOf(report)];
    return recordOrReportFault(gateway, payment, { kind, reach, record });
  }
  gateway.driver.alert("The provider's inquiry does not confirm its callback.", payment);
  return { code: "UNKNOWN_EXCEPTION" };
}

async function signatureRefusal(
  gateway: Gateway,
  connector: LoadedConnector,
  { method, target, headers }: Arrival,
  body: Buffer,
): Promise<Refusal | undefined> {
  const [time = "", ...others] = headers.get("request-time") ?? [];
  // If a header occurs twice, two parsers could read different signing times.
  if (others.length > 0) return refuse("PARAM_ILLEGAL", { field: "request-time" });
  const parts = { method, path: target.signedPath, clientId: connector.partnerId, time, body };
  const problem = await providerSignatureProblem(headers.get("signature") ?? [], connector.keys, parts);
  if (problem) return refuse("INVALID_SIGNATURE", problem === "MISMATCH" ? {} : { detail: problem });
  const timeProblemDetail = timeProblem(time, gateway.clock.now().getTime(), timeToleranceSeconds);
  return timeProblemDetail && refuse("PARAM_ILLEGAL", { field: "request-time", detail: timeProblemDetail });
}

function parseCallback(body: Buffer): VerifiedCallback | MoneyCallback | Refusal {
  const parsed = parseStrictJson(body);
  if ("problem" in parsed) return refuse("PARAM_ILLEGAL", { detail: parsed.problem });
  const fields = Object(parsed.value) as Readonly<Record<string, unknown>>;
  const { eventId: rawEventId, reference, order, dispute, capture, refund } = fields;
  const eventId = readText(rawEventId);
  if (eventId === undefined || eventId.length > 64 || typeof reference !== "string")
    return refuse("PARAM_ILLEGAL");
  if (capture !== undefined || refund !== undefined)
    return readMoneyCallback({ eventId, reference }, fields) ?? refuse("PARAM_ILLEGAL");
  const report = dispute === undefined ? readOrder(order, reference) : readDispute(dispute);
  return report ? { eventId, reference, report } : refuse("PARAM_ILLEGAL");
}

/** Confirms the callback by an inquiry to the provider. */
function confirmReport(
  { environment, database }: Gateway,
  { name: connector, provider, terms }: LoadedConnector,
  { clientId, paymentId }: { readonly clientId: string; readonly paymentId: string },
  { reference, report }: VerifiedCallback,
): Promise<ConfirmationResult<OrderReport | DisputeReport>> {
  const findOwner = async (): Promise<MerchantAccount> => {
    // Only connectors with accounts cost this read. A connector that had accounts cannot return to `none`.
    if (terms.accounts === "none") return { merchantId: clientId, account: undefined };
    const key = { bucket: bucketOf(clientId), clientId };
    const payment = await findPayment(database.reader([clientId]), key, paymentId);
    return { merchantId: clientId, account: payment && accountOfOrder(payment, { connector, reference }) };
  };
  const context = { environment, provider, findOwner };
  return "providerDisputeId" in report
    ? confirmDispute(context, report)
    : confirmOrder(context, reference, report);
}

/**
 * Records a callback, and reports faults to the fault watch, so that a process that cannot record callbacks becomes
 * unready. The watch's probe records this callback again.
 */
async function recordOrReportFault(
  gateway: Gateway,
  { clientId, paymentId }: { readonly clientId: string; readonly paymentId: string },
  { kind, reach, record }: CallbackRecorder,
): Promise<RequestResult> {
  try {
    return await record();
  } catch (error) {
    // After this result the provider retries, and the gateway forwards the retry to the merchant's new home cell.
    if (error instanceof WrongCellError) return { code: "UNKNOWN_EXCEPTION" };
    const line = { err: error, clientId, paymentId };
    gateway.log.error(line, "A callback was not recorded. The provider will retry it.");
    const isWritten = async (): Promise<boolean> => Boolean(await record());
    gateway.faults.recordFault(kind, { subjectId: paymentId, reach, isWritten });
    return { code: "UNKNOWN_EXCEPTION" };
  }
}

/** Records a callback. `kind` and `reach` are for the fault watch. */
interface CallbackRecorder {
  readonly kind: string;
  readonly reach: Reach;
  /** Throws if the commit is not known to have succeeded. */
  readonly record: () => Promise<RequestResult>;
}

function kindOf(report: OrderReport | DisputeReport): string {
  return "providerDisputeId" in report ? "dispute callbacks" : "callbacks";
}

/**
 * The reach of a report, for the fault watch. Recording an open order does not prove that final statuses can be
 * recorded.
 */
function reachOf(report: OrderReport | DisputeReport): Reach {
  return "providerDisputeId" in report || report.state !== "OPEN" ? "ended" : "moved";
}

/** Records a callback in one transaction. Throws if the commit is not known to have succeeded. */
async function recordCallback(
  gateway: Gateway,
  { name: connector }: LoadedConnector,
  { clientId, paymentId }: { readonly clientId: string; readonly paymentId: string },
  { eventId, reference, report }: VerifiedCallback,
): Promise<RequestResult> {
  const { atCrashPoint } = gateway.runner;
  const aheadMs = (await gateway.clients.find(clientId))?.aheadMs ?? 0;
  const context = gateway.driver.context({ aheadMs });
  const owner = { bucket: bucketOf(clientId), clientId };
  const event = { ...owner, connector, eventId, paymentId, reference };
  if (!("providerDisputeId" in report) && (await settleInBatch(gateway, { event, report, context }))) {
    gateway.faults.recordSuccess(kindOf(report), "ended");
    return { code: "SUCCESS" };
  }
  const origins = new Set<ServerOrigin>();
  const recordInTransaction = async (tx: Tx): Promise<PaymentDecision | DisputeDecision | Refusal> => {
    insertProviderEvent(tx, event, context.now);
    const payment = await lockPayment(tx, owner, paymentId);
    if (payment && hasAbandonedOrder(payment, event) && !("providerDisputeId" in report))
      return decideAbandonedOrder(report);
    // A provider may report only on its own orders, even if its signature is valid.
    if (payment?.order?.connector !== connector) return refuse("ORDER_NOT_EXIST");
    if (payment.order.reference !== reference) return refuse("PARAM_ILLEGAL");
    // A repeated callback is decided again (idempotent): an old report changes nothing. Event ids are not used for
    // deduplication.
    const decision = await recordReportOrDispute(tx, payment, report, context);
    atCrashPoint("before-callback-commit");
    return decision;
  };
  const decision = requireCommitted(
    await gateway.database.transaction([clientId], recordInTransaction, origins),
  );
  if (isRefusal(decision)) return toRequestResult(decision);
  // A report without effect does not prove that this process can settle payments.
  gateway.faults.recordSuccess(kindOf(report), decision.kind === "nothing" ? "looked" : reachOf(report));
  // A report without effect waits for the standby, too: the provider must not stop its retries while only one server
  // has the commit.
  if (decision.kind === "nothing") await gateway.database.waitForReplication(origins);
  gateway.runner.wake();
  atCrashPoint("after-callback-commit");
  if ("why" in decision) gateway.driver.alert(decision.why, { clientId, paymentId });
  // A lost order report does no harm, because the order's job polls the provider. No job polls a dispute that is
  // unknown, so the provider has to retry a lost dispute report.
  const isDropped = decision.kind === "contradiction" && "providerDisputeId" in report;
  return { code: isDropped ? "UNKNOWN_EXCEPTION" : "SUCCESS" };
}

/** Fast path: settles a payment in a batch with others. Returns false if the caller has to record it alone. */
async function settleInBatch(gateway: Gateway, callback: PaidCallback): Promise<boolean> {
  const { atCrashPoint, monotonicMs, traces, wake } = gateway.runner;
  if (callback.report.state !== "PAID") return false;
  const sinceMs = monotonicMs();
  // After an unknown outcome of the batch, the single transaction finds what was committed.
  if ((await gateway.paidCallbacks.write(callback.event.clientId, callback)) !== "written") return false;
  atCrashPoint("after-callback-commit");
  if (callback.leased) gateway.deliveries.run({ ...callback.leased, trace: traces.current() }, sinceMs);
  else wake();
  return true;
}

async function recordReportOrDispute(
  tx: Tx,
  payment: Payment,
  report: OrderReport | DisputeReport,
  context: RecordingContext,
): Promise<PaymentDecision | DisputeDecision | Refusal> {
  if (!("providerDisputeId" in report)) return (await recordReport(tx, payment, report, context)).decision;
  // The dispute arrived before the gateway knew that its payment is paid. The provider retries.
  if (!isSettled(payment)) return refuse("UNKNOWN_EXCEPTION");
  return recordDisputeReport(tx, payment, report, context);
}
