import type { FastifyInstance } from "fastify";
import { bucketOf } from "../../core/bucket.ts";
import { WrongCellError } from "../../core/wrong-cell-error.ts";
import type { Reach } from "../../resilience/fault-watch.ts";
import { addressOf } from "../../core/id.ts";
import { refuse, isRefusal, results, said, type Refusal, type Said } from "../../core/result.ts";
import { traceFrom } from "../../telemetry/trace.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import type { DisputeDecision } from "../../disputes/decide-dispute.ts";
import { recordDisputeReport } from "../../disputes/record-dispute.tx.ts";
import { hasLeft, isSettled, type Payment } from "../../payments/payment.ts";
import { lockPayment } from "../../payments/payment.sql.ts";
import type { RecordingContext } from "../../contract/provider-driver.ts";
import type { PaidCallback } from "../../payments/settle-paid-batch.tx.ts";
import { recordReport } from "../../payments/record-report.tx.ts";
import { decideAbandonedOrder, type PaymentDecision } from "../../payments/decide-payment.ts";
import { committed } from "../../postgres/database.ts";
import type { Origin } from "../../postgres/origin.ts";
import type { Tx } from "../../postgres/sql.ts";
import { algorithmOf } from "../../signing/algorithm.ts";
import { timeProblem, providerSignatureProblem } from "../../signing/verify.ts";
import type { KnownConnector } from "../../providers/connector-directory.ts";
import { readDispute } from "../../providers/dispute-report.ts";
import { readOrder, readText } from "../../providers/order-report.ts";
import type { DisputeReport, OrderReport } from "../../providers/provider.ts";
import { insertProviderEvent } from "../../providers/provider-event.sql.ts";
import { mayBeSigned } from "../merchant-api/answer-arrival.ts";
import { arrivalOf, type Arrival } from "../merchant-api/arrival.ts";
import { receiveAuthorization } from "./authorization-callbacks.ts";
import { confirmDispute, confirmOrder, unconfirmed, type Confirmed } from "./confirm-callback.ts";
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
    "/wallets/:connector/callbacks/:clientId/:subjectId",
    async (request, reply) => {
      const arrival = arrivalOf(gateway, request.raw, request.originalUrl, request.id);
      try {
        const { traces, newUuid } = gateway.runner;
        const trace = traceFrom(arrival.headers.get("traceparent") ?? [], newUuid());
        const step = { kind: "call", name: "callback" } as const;
        const answer = await traces.run(trace, step, () => answerCallback(gateway, request.params, arrival));
        if (answer?.isProven) markAuthenticated(request.raw.socket);
        // The provider retries after a plain 503 without a signed result.
        if (!answer) return await reply.code(503).header("retry-after", "1").send();
        const type = { "content-type": "application/json; charset=UTF-8" };
        return await reply.headers({ ...answer.headers, ...type }).send(answer.body);
      } finally {
        arrival.visit.leave();
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
  if (!gateway.guard.hasRoom("old work")) return undefined;
  const connector = await gateway.connectors.findClaimed(params.connector);
  const proven = connector && (await proofOf(gateway, connector, arrival));
  if (proven === "no room") return undefined;
  const isProven = Buffer.isBuffer(proven);
  if (isProven) gateway.runner.traces.about(params);
  if (isProven && !arrival.visit.take("old work")) return undefined;
  const outcome =
    connector && isProven
      ? await receiveSafely(gateway, connector, params, { arrival, body: proven })
      : said(
          (proven as Refusal | undefined) ??
            refuse("UNKNOWN_CLIENT", { detail: "There is no such connector." }),
        );
  const line = { callback: params, address: arrival.address, code: outcome.code };
  gateway.runner.traces.ends(outcome.code);
  gateway.meter.add("callbacks", [connector?.name ?? "unknown", outcome.code, results[outcome.code].status]);
  if (isProven) gateway.log.info(line);
  else gateway.logStranger(line);

  const body = answerBody(gateway, outcome, {});
  if (!isProven && !mayBeSigned(gateway, arrival, outcome.code)) return { isProven, headers: {}, body };
  const keyVersion = connector?.gatewayKeyVersion ?? gateway.signer.newestVersion();
  const algorithm = connector ? algorithmOf(connector.key) : "RSA256";
  const addressee = { clientId: connector?.partnerId ?? "", keyVersion, algorithm };
  return { isProven, headers: await signedReplyHeaders(gateway, arrival, addressee, body), body };
}

/** Returns the body of a callback after verifying its signature, or the rejection. */
async function proofOf(
  gateway: Gateway,
  connector: KnownConnector,
  arrival: Arrival,
): Promise<Buffer | Refusal | "no room"> {
  const body = await arrival.readBody(bodyBytesMax);
  if (body === "no room") return body;
  if (typeof body === "string") return refuse("PARAM_ILLEGAL");
  if (!gateway.forgers.mayTry(arrival.network)) return "no room";
  const forged = await forgery(gateway, connector, arrival, body);
  if (forged?.refused === "INVALID_SIGNATURE") gateway.forgers.failed(arrival.network);
  return forged ?? body;
}

interface Params {
  readonly connector: string;
  readonly clientId: string;
  /** The id of a payment, or of a buyer's consent. */
  readonly subjectId: string;
}

/** The content of a callback whose signature is verified. */
interface Callback {
  readonly eventId: string;
  readonly reference: string;
  readonly report: OrderReport | DisputeReport;
}

/** Receives a callback. A fault returns result status `U` (unknown), so the provider retries. */
async function receiveSafely(...asked: Parameters<typeof receive>): Promise<Said> {
  try {
    return await receive(...asked);
  } catch (error) {
    const [gateway, , { clientId, subjectId }] = asked;
    gateway.log.error({ err: error, clientId, subjectId }, "Processing a callback failed.");
    return { code: "UNKNOWN_EXCEPTION" };
  }
}

async function receive(
  gateway: Gateway,
  connector: KnownConnector,
  { clientId, subjectId }: Params,
  { arrival, body }: { readonly arrival: Arrival; readonly body: Buffer },
): Promise<Said> {
  gateway.runner.at("after-callback-verified");
  // A closed merchant's callback gets SUCCESS, because a rejection would make the provider retry without limit.
  if (await gateway.runner.isClosed(clientId)) return { code: "SUCCESS" };

  // The kind of the id shows whether the callback is about an order or a buyer's consent.
  if (addressOf(subjectId)?.kind === "authorization") {
    const named = { clientId, authorizationId: subjectId };
    return receiveAuthorization(gateway, connector, named, { arrival, body });
  }

  const callback = readCallback(body);
  if (isRefusal(callback)) {
    gateway.driver.alert("A provider's callback cannot be parsed.", { clientId, paymentId: subjectId });
    return said(callback);
  }
  const payment = { clientId, paymentId: subjectId };
  // The callback releases its concurrency slot while it waits, so that a slow provider does not use up the concurrency
  // limit.
  const report = await arrival.visit.idle(confirm(gateway, connector, callback));
  if (report !== unconfirmed) return recordOrNote(gateway, connector, payment, { ...callback, report });
  gateway.driver.alert("The provider's inquiry does not confirm its callback.", payment);
  return { code: "UNKNOWN_EXCEPTION" };
}

async function forgery(
  gateway: Gateway,
  connector: KnownConnector,
  { method, target, headers }: Arrival,
  body: Buffer,
): Promise<Refusal | undefined> {
  const [time = "", ...others] = headers.get("request-time") ?? [];
  // If a header occurs twice, two parsers could read different signing times.
  if (others.length > 0) return refuse("PARAM_ILLEGAL", { field: "request-time" });
  const parts = { method, path: target.signedPath, clientId: connector.partnerId, time, body };
  const problem = await providerSignatureProblem(headers.get("signature") ?? [], connector.keys, parts);
  if (problem) return refuse("INVALID_SIGNATURE", problem === "MISMATCH" ? {} : { detail: problem });
  const late = timeProblem(time, gateway.clock.now().getTime(), timeToleranceSeconds);
  return late && refuse("PARAM_ILLEGAL", { field: "request-time", detail: late });
}

function readCallback(body: Buffer): Callback | Refusal {
  const parsed = parseStrictJson(body);
  if ("problem" in parsed) return refuse("PARAM_ILLEGAL", { detail: parsed.problem });
  const { eventId, reference, order, dispute } = Object(parsed.value) as Readonly<Record<string, unknown>>;
  const name = readText(eventId);
  if (name === undefined || name.length > 64 || typeof reference !== "string") return refuse("PARAM_ILLEGAL");
  const report = dispute === undefined ? readOrder(order, reference) : readDispute(dispute);
  return report ? { eventId: name, reference, report } : refuse("PARAM_ILLEGAL");
}

/** Confirms the callback by an inquiry to the provider. */
function confirm(
  { environment }: Gateway,
  { provider }: KnownConnector,
  { reference, report }: Callback,
): Promise<Confirmed<OrderReport | DisputeReport>> {
  return "walletDisputeId" in report
    ? confirmDispute({ environment, provider }, report)
    : confirmOrder({ environment, provider }, reference, report);
}

/**
 * Records a callback, and reports faults to the fault watch, so that a process that cannot record callbacks becomes
 * unready. The watch's probe records this callback again.
 */
async function recordOrNote(...asked: Parameters<typeof record>): Promise<Said> {
  const [gateway, , { clientId, paymentId }, { report }] = asked;
  try {
    return await record(...asked);
  } catch (error) {
    // After this result the provider retries, and the gateway forwards the retry to the merchant's new home cell.
    if (error instanceof WrongCellError) return { code: "UNKNOWN_EXCEPTION" };
    const line = { err: error, clientId, paymentId };
    gateway.log.error(line, "A callback was not recorded. The provider will retry it.");
    const isWritten = async (): Promise<boolean> => Boolean(await record(...asked));
    gateway.faults.failed(kindOf(report), { subjectId: paymentId, reach: reachOf(report), isWritten });
    return { code: "UNKNOWN_EXCEPTION" };
  }
}

function kindOf(report: OrderReport | DisputeReport): string {
  return "walletDisputeId" in report ? "dispute callbacks" : "callbacks";
}

/**
 * The reach of a report, for the fault watch. Recording an open order does not prove that final statuses can be
 * recorded.
 */
function reachOf(report: OrderReport | DisputeReport): Reach {
  return "walletDisputeId" in report || report.state !== "OPEN" ? "ended" : "moved";
}

/** Records a callback in one transaction. Throws if the commit is not known to have succeeded. */
async function record(
  gateway: Gateway,
  { name: connector }: KnownConnector,
  { clientId, paymentId }: { readonly clientId: string; readonly paymentId: string },
  { eventId, reference, report }: Callback,
): Promise<Said> {
  const { at } = gateway.runner;
  const aheadMs = (await gateway.clients.find(clientId))?.aheadMs ?? 0;
  const context = gateway.driver.context({ aheadMs });
  const owner = { bucket: bucketOf(clientId), clientId };
  const event = { ...owner, connector, eventId, paymentId, reference };
  if (!("walletDisputeId" in report) && (await recordedTogether(gateway, { event, report, context }))) {
    gateway.faults.worked(kindOf(report), "ended");
    return { code: "SUCCESS" };
  }
  const origins = new Set<Origin>();
  const work = async (tx: Tx): Promise<PaymentDecision | DisputeDecision | Refusal> => {
    insertProviderEvent(tx, event, context.now);
    const payment = await lockPayment(tx, owner, paymentId);
    if (payment && hasLeft(payment, event) && !("walletDisputeId" in report))
      return decideAbandonedOrder(report);
    // A provider may report only on its own orders, even if its signature is valid.
    if (payment?.order?.connector !== connector) return refuse("ORDER_NOT_EXIST");
    if (payment.order.reference !== reference) return refuse("PARAM_ILLEGAL");
    // A repeated callback is decided again (idempotent): an old report changes nothing. Event ids are not used for
    // deduplication.
    const decision = await recordAny(tx, payment, report, context);
    at("before-callback-commit");
    return decision;
  };
  const decision = committed(await gateway.database.transaction([clientId], work, origins));
  if (isRefusal(decision)) return said(decision);
  // A report without effect does not prove that this process can settle payments.
  gateway.faults.worked(kindOf(report), decision.kind === "nothing" ? "looked" : reachOf(report));
  // A report without effect waits for the standby, too: the provider must not stop its retries while only one server
  // has the commit.
  if (decision.kind === "nothing") await gateway.database.confirmed(origins);
  gateway.runner.wake();
  at("after-callback-commit");
  if ("why" in decision) gateway.driver.alert(decision.why, { clientId, paymentId });
  // A lost order report does no harm, because the order's job polls the provider. No job polls a dispute that is
  // unknown, so the provider has to retry a lost dispute report.
  const isLost = decision.kind === "contradiction" && "walletDisputeId" in report;
  return { code: isLost ? "UNKNOWN_EXCEPTION" : "SUCCESS" };
}

/** Fast path: settles a payment in a batch with others. Returns false if the caller has to record it alone. */
async function recordedTogether(gateway: Gateway, callback: PaidCallback): Promise<boolean> {
  const { at, monotonicMs, traces, wake } = gateway.runner;
  if (callback.report.state !== "PAID") return false;
  const sinceMs = monotonicMs();
  // After an unknown outcome of the batch, the single transaction finds what was committed.
  if ((await gateway.paid.write(callback.event.clientId, callback)) !== "written") return false;
  at("after-callback-commit");
  if (callback.leased) gateway.deliveries.run({ ...callback.leased, trace: traces.current() }, sinceMs);
  else wake();
  return true;
}

async function recordAny(
  tx: Tx,
  payment: Payment,
  report: OrderReport | DisputeReport,
  context: RecordingContext,
): Promise<PaymentDecision | DisputeDecision | Refusal> {
  if (!("walletDisputeId" in report)) return (await recordReport(tx, payment, report, context)).decision;
  // The dispute arrived before the gateway knew that its payment is paid. The provider retries.
  if (!isSettled(payment)) return refuse("UNKNOWN_EXCEPTION");
  return recordDisputeReport(tx, payment, report, context);
}
