import type { KeyObject } from "node:crypto";
import type { BeforeSend } from "../core/before-send.ts";
import { toAmount } from "../core/money.ts";
import { wireTime } from "../core/request-time.ts";
import type { ResultCode } from "../core/result.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { readSignatureHeader, writeSignatureHeader } from "../signing/signature-header.ts";
import { signedText } from "../signing/signed-text.ts";
import { signatureProblem, timeProblem } from "../signing/verify.ts";
import type { Connector } from "./connector.ts";
import { readAuthorization, readExchange } from "./authorization-report.ts";
import { readDispute } from "./dispute-report.ts";
import { readCapture, readOrder, readRefund, readRegistration } from "./order-report.ts";
import { postBytes, type Posted } from "./post-bytes.ts";
import { definiteRefusals } from "./refusal.ts";
import {
  WalletUnclear,
  WalletUnreachable,
  type AuthorizationReport,
  type CaptureOrder,
  type CaptureReport,
  type DisputeAnswer,
  type DisputeReport,
  type ExchangeReport,
  type NewAuthorization,
  type NewOrder,
  type NewRegistration,
  type OrderReport,
  type RefundOrder,
  type RefundReport,
  type RegistrationReport,
  type Wallet,
} from "./wallet.ts";

export interface HttpWalletOptions {
  readonly connector: Connector;
  readonly key: KeyObject;
  readonly signer: Signer;
  readonly now: () => Date;
  readonly callbackUrl: string;
}

const answerBytesMax = 64 * 1024;
const timeToleranceSeconds = 600;

/** A wallet that speaks the wallet protocol (docs/reference/wallet-protocol.md) over HTTP. */
export function httpWallet(options: HttpWalletOptions): Wallet {
  const { connector, callbackUrl } = options;
  return {
    connector: connector.name,
    submit: (order, signal, beforeSend) => {
      const body = toWire(order, `${callbackUrl}/${order.clientId}/${order.paymentId}`);
      return orderCall(options, "submit", body, { signal, beforeSend });
    },
    inquire: (reference, signal) => orderCall(options, "inquire", { reference }, { signal }),
    cancel: ({ reference, notAfter }, signal) =>
      orderCall(options, "cancel", { reference, notAfter: wireTime(notAfter.getTime()) }, { signal }),
    capture: (capture, signal, beforeSend) => sendCapture(options, capture, { signal, beforeSend }),
    inquireCapture: (captureReference, signal) => inquireCapture(options, captureReference, signal),
    refund: (refund, signal, beforeSend) => sendRefund(options, refund, { signal, beforeSend }),
    inquireRefund: (refundReference, signal) => inquireRefund(options, refundReference, signal),
    register: (registration, signal) => registrationCall(options, "register", registration, signal),
    inquireRegistration: (reference, signal) =>
      registrationCall(options, "inquire-registration", { reference }, signal),
    acceptDispute: (answer, signal) => answerDispute(options, "accept-dispute", answer, { signal }),
    defendDispute: (defense, signal, beforeSend) =>
      answerDispute(options, "defend-dispute", defense, { signal, beforeSend }),
    inquireDispute: (walletDisputeId, signal) => inquireDispute(options, walletDisputeId, signal),
    authorize: (authorization, signal) =>
      authorizationCall(options, "authorize", toWireAuthorization(authorization, callbackUrl), signal),
    inquireAuthorization: (reference, signal) =>
      authorizationCall(options, "inquire-authorization", { reference }, signal),
    revoke: (reference, signal) => authorizationCall(options, "revoke", { reference }, signal),
    exchangeCode: (authCode, merchantId, signal) => exchangeCode(options, { authCode, merchantId }, signal),
  };
}

/** The call's timeout, and for a call that may act, the hook that records it before it is sent. */
interface Sending {
  readonly signal: AbortSignal;
  readonly beforeSend?: BeforeSend;
}

/** What a message about an order holds, besides its reference. */
interface About {
  readonly reference: string;
  readonly [field: string]: unknown;
}

async function orderCall(
  options: HttpWalletOptions,
  verb: "submit" | "inquire" | "cancel",
  body: About,
  sending: Sending,
): Promise<OrderReport> {
  const answer = await send(options, `orders/${verb}`, body, sending);
  const { resultCode } = answer.result;
  if (resultCode === "ORDER_NOT_EXIST") return { state: "NOT_FOUND" };
  if (resultCode === "REPEAT_REQ_INCONSISTENT") return { state: "INCONSISTENT" };
  const refusals = verb === "submit" ? definiteRefusals.submit : [];
  const report = readOrder(answer["order"], body.reference) ?? refusalIn(answer, refusals);
  if (!report) throw unclear(options, answer);
  return report;
}

function toWire(order: NewOrder, callbackUrl: string): About {
  return {
    reference: order.reference,
    paymentId: order.paymentId,
    merchantName: order.merchantName,
    description: order.description,
    amount: toAmount(order.amount),
    paymentMethodType: order.paymentMethodType,
    notAfter: wireTime(order.notAfter.getTime()),
    expiryTime: wireTime(order.expiresAt.getTime()),
    callbackUrl,
    capture: order.captureMode,
    ...(order.redirectUrl && { redirectUrl: order.redirectUrl }),
    ...(order.paymentCode && { paymentCode: order.paymentCode }),
    ...(order.agreementToken && { agreementToken: order.agreementToken }),
  };
}

function moneyOf({ reference, amount, notAfter }: CaptureOrder | RefundOrder): object {
  return { reference, amount: toAmount(amount), notAfter: wireTime(notAfter.getTime()) };
}

async function sendCapture(
  options: HttpWalletOptions,
  capture: CaptureOrder,
  sending: Sending,
): Promise<CaptureReport> {
  const { captureReference } = capture;
  const body = { ...moneyOf(capture), captureReference };
  const answer = await send(options, "orders/capture", body, sending);
  const report = readCapture(answer["capture"], captureReference);
  return refusalIn(answer, definiteRefusals.capture) ?? reported(options, answer, report);
}

async function inquireCapture(
  options: HttpWalletOptions,
  captureReference: string,
  signal: AbortSignal,
): Promise<CaptureReport> {
  const answer = await send(options, "orders/inquire-capture", { captureReference }, { signal });
  if (isNotFound(answer)) return { state: "NOT_FOUND" };
  return reported(options, answer, readCapture(answer["capture"], captureReference));
}

async function sendRefund(
  options: HttpWalletOptions,
  refund: RefundOrder,
  sending: Sending,
): Promise<RefundReport> {
  const { refundReference } = refund;
  const body = { ...moneyOf(refund), refundReference };
  const answer = await send(options, "orders/refund", body, sending);
  const report = readRefund(answer["refund"], refundReference);
  return refusalIn(answer, definiteRefusals.refund) ?? reported(options, answer, report);
}

async function inquireRefund(
  options: HttpWalletOptions,
  refundReference: string,
  signal: AbortSignal,
): Promise<RefundReport> {
  const answer = await send(options, "orders/inquire-refund", { refundReference }, { signal });
  if (isNotFound(answer)) return { state: "NOT_FOUND" };
  return reported(options, answer, readRefund(answer["refund"], refundReference));
}

async function registrationCall(
  options: HttpWalletOptions,
  verb: "register" | "inquire-registration",
  body: NewRegistration | Pick<NewRegistration, "reference">,
  signal: AbortSignal,
): Promise<RegistrationReport> {
  const answer = await send(options, `registrations/${verb}`, body, { signal });
  const { resultStatus, resultCode } = answer.result;
  if (resultStatus === "F" && resultCode === "NO_INTERFACE_DEF") return { state: "NOT_NEEDED" };
  if (resultStatus === "F" && resultCode === "RECORD_NOT_FOUND") return { state: "NOT_FOUND" };
  // Final for this reference; the merchant can put it right with a new request, which gets a new one.
  const rejectedFor = resultStatus === "F" ? registrationRefusals[resultCode] : undefined;
  if (rejectedFor) return { state: "REJECTED", rejectReasons: [rejectedFor] };
  return reported(options, answer, readRegistration(answer["registration"], body.reference));
}

const registrationRefusals: Readonly<Record<string, string>> = {
  REPEAT_REQ_INCONSISTENT: "The wallet knows this registration with other content.",
  PARAM_ILLEGAL: "The wallet does not take these details: something is missing, or malformed.",
};

function toWireAuthorization(
  { clientId, authorizationId, expiresAt, ...rest }: NewAuthorization,
  callbackUrl: string,
): { readonly reference: string } {
  const told = { merchantId: clientId, expiryTime: wireTime(expiresAt.getTime()) };
  const address = { callbackUrl: `${callbackUrl}/${clientId}/${authorizationId}` };
  return { ...rest, ...told, ...address };
}

async function authorizationCall(
  options: HttpWalletOptions,
  verb: "authorize" | "inquire-authorization" | "revoke",
  body: { readonly reference: string },
  signal: AbortSignal,
): Promise<AuthorizationReport> {
  const answer = await send(options, `authorizations/${verb}`, body, { signal });
  const { resultStatus, resultCode } = answer.result;
  if (resultStatus === "F" && resultCode === "NO_INTERFACE_DEF") return { state: "NOT_SUPPORTED" };
  if (resultStatus === "F" && resultCode === "AUTHORIZATION_NOT_EXIST") return { state: "NOT_FOUND" };
  return reported(options, answer, readAuthorization(answer["authorization"], body.reference));
}

async function exchangeCode(
  options: HttpWalletOptions,
  body: { readonly authCode: string; readonly merchantId: string },
  signal: AbortSignal,
): Promise<ExchangeReport> {
  const answer = await send(options, "authorizations/exchange-code", body, { signal });
  const refusedFor = exchangeRefusals.find((code) => code === answer.result.resultCode);
  if (refusedFor) return { state: "REFUSED", resultCode: refusedFor };
  return reported(options, answer, readExchange(answer["authorization"], answer["agreement"]));
}

const exchangeRefusals = ["INVALID_AUTHCODE", "AUTH_CODE_EXPIRED"] as const satisfies readonly ResultCode[];

/** Accepted or refused, the wallet's answer reports the dispute. */
async function answerDispute(
  options: HttpWalletOptions,
  verb: "accept-dispute" | "defend-dispute",
  body: DisputeAnswer,
  sending: Sending,
): Promise<DisputeReport> {
  const answer = await send(options, `disputes/${verb}`, body, sending);
  const report = disputeIn(answer, body.walletDisputeId);
  const { resultStatus, resultCode } = answer.result;
  if (resultStatus === "F" && resultCode === "ORDER_STATUS_INVALID" && report)
    return { ...report, refused: true };
  return reported(options, answer, report);
}

async function inquireDispute(
  options: HttpWalletOptions,
  walletDisputeId: string,
  signal: AbortSignal,
): Promise<DisputeReport | "NOT_FOUND"> {
  const answer = await send(options, "disputes/inquire-dispute", { walletDisputeId }, { signal });
  const { resultStatus, resultCode } = answer.result;
  if (resultStatus === "F" && resultCode === "RECORD_NOT_FOUND") return "NOT_FOUND";
  return reported(options, answer, disputeIn(answer, walletDisputeId));
}

/** Ignores a report about another dispute. */
function disputeIn(answer: WalletAnswer, walletDisputeId: string): DisputeReport | undefined {
  const report = readDispute(answer["dispute"]);
  return report?.walletDisputeId === walletDisputeId ? report : undefined;
}

function refusalIn(
  { result }: WalletAnswer,
  refusals: readonly ResultCode[],
): { readonly state: "REFUSED"; readonly resultCode: ResultCode } | undefined {
  const refusedFor = refusals.find((code) => code === result.resultCode);
  return result.resultStatus === "F" && refusedFor ? { state: "REFUSED", resultCode: refusedFor } : undefined;
}

function isNotFound({ result }: WalletAnswer): boolean {
  return result.resultStatus === "F" && result.resultCode === "ORDER_NOT_EXIST";
}

/** Any other failure is about the call itself (auth, rate limit): throws, and the job retries. */
function reported<Report>(
  options: HttpWalletOptions,
  answer: WalletAnswer,
  report: Report | undefined,
): Report {
  if (answer.result.resultStatus === "S" && report) return report;
  throw unclear(options, answer);
}

function unclear({ connector }: HttpWalletOptions, { result }: WalletAnswer): WalletUnclear {
  return new WalletUnclear(connector.name, `It said ${result.resultCode}, and not what was asked.`);
}

interface WalletAnswer {
  readonly result: { readonly resultStatus: string; readonly resultCode: string };
  readonly [field: string]: unknown;
}

/**
 * One signed call. An answer with a bad signature is no answer; one with a good signature is, whatever it
 * says. A call that may act, at a wallet that is not idempotent, opens a new connection: on a keep-alive
 * connection a reset does not tell whether the request was received.
 */
async function send(
  options: HttpWalletOptions,
  path: string,
  body: object,
  { signal, beforeSend }: Sending,
): Promise<WalletAnswer> {
  const { connector, signer, now } = options;
  const url = new URL(`/wallet/v1/${path}`, connector.url);
  const bytes = Buffer.from(JSON.stringify(body), "utf8");
  const time = wireTime(now().getTime());
  const parts = { method: "POST", path: url.pathname, clientId: connector.partnerId };
  const keyVersion = connector.gatewayKeyVersion;
  const signature = await signer.sign(keyVersion, signedText({ ...parts, time, body: bytes }));
  const lasting = !connector.terms.idempotentByReference;
  if (!lasting) await beforeSend?.({ lasting });
  let answer: Posted;
  try {
    answer = await postBytes(url, {
      body: bytes,
      answerBytesMax,
      signal,
      ...(lasting && beforeSend && { onceConnected: () => beforeSend({ lasting }) }),
      headers: {
        "content-type": "application/json; charset=UTF-8",
        "client-id": connector.partnerId,
        "request-time": time,
        signature: writeSignatureHeader(keyVersion, signature),
      },
    });
    refuseForged(options, answer.headers, { ...parts, body: answer.body });
  } catch (cause) {
    throw new WalletUnreachable(connector.name, cause);
  }
  try {
    return readAnswer(answer);
  } catch (cause) {
    throw new WalletUnclear(connector.name, cause);
  }
}

function readAnswer({ status, body }: Posted): WalletAnswer {
  if (status !== 200) throw new Error(`HTTP ${status}`);
  const answer = JSON.parse(body.toString("utf8")) as Partial<WalletAnswer> | null;
  const { resultStatus, resultCode } = answer?.result ?? {};
  if (typeof resultStatus !== "string" || typeof resultCode !== "string")
    throw new Error("The answer has no result.");
  return { ...answer, result: { resultStatus, resultCode } };
}

function refuseForged(
  { key, now }: HttpWalletOptions,
  headers: Posted["headers"],
  parts: { readonly method: string; readonly path: string; readonly clientId: string; readonly body: Buffer },
): void {
  const header = readSignatureHeader([String(headers["signature"] ?? "")]);
  if (typeof header === "string") throw new Error(header);
  const time = String(headers["response-time"] ?? "");
  const problem =
    signatureProblem(header, new Map([[header.keyVersion, key]]), { ...parts, time }) ??
    timeProblem(time, now().getTime(), timeToleranceSeconds);
  if (problem) throw new Error(problem);
}
