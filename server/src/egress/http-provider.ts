import type { KeyObject } from "node:crypto";
import type { BeforeSend } from "../core/before-send.ts";
import { toAmount } from "../core/money.ts";
import { wireTime } from "../core/request-time.ts";
import type { TraceHeaders, Traces } from "../telemetry/trace.ts";
import type { ResultCode } from "../core/result.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { algorithmOf } from "../signing/algorithm.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import { timeProblem, providerSignatureProblem } from "../signing/verify.ts";
import type { Connector } from "../providers/connector.ts";
import { readAuthorization, readExchange } from "../providers/authorization-report.ts";
import { readDispute } from "../providers/dispute-report.ts";
import { readCapture, readOrder, readRefund, readRegistration } from "../providers/order-report.ts";
import { postAddressOf, postBytes, type PostAddress, type PostAgents, type Posted } from "./post-bytes.ts";
import { definiteRefusals } from "../providers/refusal.ts";
import {
  ProviderUnclear,
  ProviderUnreachable,
  type AuthorizationReport,
  type CaptureOrder,
  type CaptureReport,
  type DisputeReport,
  type ExchangeReport,
  type NewAuthorization,
  type NewOrder,
  type OrderReport,
  type RefundOrder,
  type RefundReport,
  type RegistrationReport,
  type RequestedCapture,
  type RequestedRefund,
  type Provider,
} from "../providers/provider.ts";

export interface HttpProviderOptions {
  readonly connector: Connector;
  /**
   * The provider's public key, which decides the algorithm of both sides, and a second key while the provider rotates
   * its key.
   */
  readonly keys: readonly [KeyObject, ...KeyObject[]];
  /**
   * Agents for a provider that requires a client certificate, or has its own CA. Throws if the provider's files cannot
   * be used.
   */
  readonly agents?: (() => PostAgents) | undefined;
  readonly signer: Signer;
  readonly now: () => Date;
  readonly callbackUrl: string;
  readonly traces?: Traces | undefined;
}

const answerBytesMax = 64 * 1024;
const timeToleranceSeconds = 600;

/** An HTTP client for the provider protocol (docs/reference/provider-protocol.md). */
export function httpProvider(options: HttpProviderOptions): Provider {
  const { connector, callbackUrl } = options;
  const addresses = new Map<string, PostAddress>();
  function addressFor(path: string): PostAddress {
    const to = addresses.get(path) ?? postAddressOf(new URL(`/wallet/v1/${path}`, connector.url));
    addresses.set(path, to);
    return to;
  }

  /**
   * Sends a request and reads its report. `about` is what the report must match: a reference, or the content of a
   * capture or refund.
   */
  async function ask<Report, About>(
    { path, report }: ProviderCall<Report, About>,
    about: About,
    body: object,
    sending: Sending,
  ): Promise<Report> {
    const answer = await send(options, addressFor(path), body, sending);
    const reported = report(answer, about);
    if (reported !== undefined) return reported;
    // The response is about the request itself (authentication, rate limit), or unusable. The request throws, and the
    // job retries.
    const { resultCode } = answer.result;
    throw new ProviderUnclear(connector.name, `It said ${resultCode}, and not what was asked.`);
  }

  return {
    connector: connector.name,
    submit: (order, signal, beforeSend) => {
      const body = toWire(order, `${callbackUrl}/${order.clientId}/${order.paymentId}`);
      return ask(calls.submit, order.reference, body, { signal, beforeSend });
    },
    inquire: (reference, signal) => ask(calls.inquire, reference, { reference }, { signal }),
    cancel: ({ reference, notAfter }, signal) =>
      ask(calls.cancel, reference, { reference, notAfter: wireTime(notAfter.getTime()) }, { signal }),
    capture: (capture, signal, beforeSend) => {
      const { captureReference, isLast } = capture;
      const body = { ...moneyOf(capture), captureReference, ...(isLast && { isLast }) };
      return ask(calls.capture, capture, body, { signal, beforeSend });
    },
    inquireCapture: (capture, signal) =>
      ask(calls.inquireCapture, capture, { captureReference: capture.captureReference }, { signal }),
    refund: (refund, signal, beforeSend) => {
      const { refundReference } = refund;
      const body = { ...moneyOf(refund), refundReference };
      return ask(calls.refund, refund, body, { signal, beforeSend });
    },
    inquireRefund: (refund, signal) =>
      ask(calls.inquireRefund, refund, { refundReference: refund.refundReference }, { signal }),
    register: (registration, signal) => ask(calls.register, registration.reference, registration, { signal }),
    inquireRegistration: (reference, signal) =>
      ask(calls.inquireRegistration, reference, { reference }, { signal }),
    acceptDispute: (answer, signal) => ask(calls.acceptDispute, answer.walletDisputeId, answer, { signal }),
    defendDispute: (defense, signal, beforeSend) =>
      ask(calls.defendDispute, defense.walletDisputeId, defense, { signal, beforeSend }),
    inquireDispute: (walletDisputeId, signal) =>
      ask(calls.inquireDispute, walletDisputeId, { walletDisputeId }, { signal }),
    authorize: (authorization, signal) => {
      const body = toWireAuthorization(authorization, callbackUrl);
      return ask(calls.authorize, authorization.reference, body, { signal });
    },
    inquireAuthorization: (reference, signal) =>
      ask(calls.inquireAuthorization, reference, { reference }, { signal }),
    revoke: (reference, signal) => ask(calls.revoke, reference, { reference }, { signal }),
    exchangeCode: (authCode, merchantId, signal) =>
      ask(calls.exchangeCode, authCode, { authCode, merchantId }, { signal }),
  };
}

/** Options of a request: its timeout, and for a request that may act, the hook that records it before it is sent. */
interface Sending {
  readonly signal: AbortSignal;
  readonly beforeSend?: BeforeSend;
}

/** One request of the provider protocol: its path, and how to read its response. */
interface ProviderCall<Report, About = string> {
  readonly path: string;
  /** Reads the report; undefined for a response that decides nothing. The job retries such a request. */
  readonly report: Read<Report, About>;
}

type Read<Report, About = string> = (answer: ProviderAnswer, about: About) => Report | undefined;

const captureIn: Read<CaptureReport, RequestedCapture> = ({ capture }, about) => readCapture(capture, about);
const refundIn: Read<RefundReport, RequestedRefund> = ({ refund }, about) => readRefund(refund, about);
const registrationIn: Read<RegistrationReport> = ({ registration }, reference) =>
  readRegistration(registration, reference);
const consentIn: Read<AuthorizationReport> = ({ authorization }, reference) =>
  readAuthorization(authorization, reference);

const notFound = { state: "NOT_FOUND" } as const;

const registrationMeans = {
  NO_INTERFACE_DEF: { state: "NOT_NEEDED" },
  RECORD_NOT_FOUND: notFound,
  // The rejection is final for this reference. The merchant can correct the registration with a new request, which gets
  // a new reference.
  REPEAT_REQ_INCONSISTENT: rejected("The payment provider knows this registration with other content."),
  PARAM_ILLEGAL: rejected("The payment provider rejects these details: something is missing or malformed."),
} as const;

const consentMeans = {
  NO_INTERFACE_DEF: { state: "NOT_SUPPORTED" },
  AUTHORIZATION_NOT_EXIST: notFound,
} as const;

const exchangeMeans = {
  INVALID_AUTHCODE: { state: "REFUSED", resultCode: "INVALID_AUTHCODE" },
  AUTH_CODE_EXPIRED: { state: "REFUSED", resultCode: "AUTH_CODE_EXPIRED" },
} as const;

const calls = {
  submit: orderCall("orders/submit", definiteRefusals.submit),
  inquire: orderCall("orders/inquire", []),
  cancel: orderCall("orders/cancel", []),
  capture: usual("orders/capture", captureIn, refused(definiteRefusals.capture)),
  inquireCapture: usual("orders/inquire-capture", captureIn, { ORDER_NOT_EXIST: notFound }),
  refund: usual("orders/refund", refundIn, refused(definiteRefusals.refund)),
  inquireRefund: usual("orders/inquire-refund", refundIn, { ORDER_NOT_EXIST: notFound }),
  register: usual("registrations/register", registrationIn, registrationMeans),
  inquireRegistration: usual("registrations/inquire-registration", registrationIn, registrationMeans),
  acceptDispute: { path: "disputes/accept-dispute", report: disputeAnswered },
  defendDispute: { path: "disputes/defend-dispute", report: disputeAnswered },
  inquireDispute: usual<DisputeReport | "NOT_FOUND">("disputes/inquire-dispute", disputeIn, {
    RECORD_NOT_FOUND: "NOT_FOUND",
  }),
  authorize: usual("authorizations/authorize", consentIn, consentMeans),
  inquireAuthorization: usual("authorizations/inquire-authorization", consentIn, consentMeans),
  revoke: usual("authorizations/revoke", consentIn, consentMeans),
  exchangeCode: {
    path: "authorizations/exchange-code",
    report: (answer: ProviderAnswer): ExchangeReport | undefined =>
      meant<ExchangeReport>(answer, exchangeMeans) ??
      succeeded(answer, readExchange(answer["authorization"], answer["agreement"])),
  },
} satisfies Readonly<Record<Exclude<keyof Provider, "connector">, ProviderCall<unknown, never>>>;

/** A call whose report counts with a success. With a failure, the code may give the report. */
function usual<Report, About = string>(
  path: string,
  read: Read<Report, About>,
  means: Means<NoInfer<Report>>,
): ProviderCall<Report, About> {
  return {
    path,
    report: (answer, about) => failed(answer, means) ?? succeeded(answer, read(answer, about)),
  };
}

/**
 * A call about an order. The report counts with any result, because a provider that declines reports its order as well.
 */
function orderCall(path: string, refusals: readonly ResultCode[]): ProviderCall<OrderReport> {
  const refusalMeans = refused(refusals);
  return {
    path,
    report: (answer, reference) =>
      meant<OrderReport>(answer, orderMeans) ??
      readOrder(answer["order"], reference) ??
      failed(answer, refusalMeans),
  };
}

const orderMeans = {
  ORDER_NOT_EXIST: notFound,
  REPEAT_REQ_INCONSISTENT: { state: "INCONSISTENT" },
} as const;

/**
 * The report of the dispute in the provider's response to an answer. The provider reports it whether it accepts or
 * rejects the answer.
 */
function disputeAnswered(answer: ProviderAnswer, walletDisputeId: string): DisputeReport | undefined {
  const report = disputeIn(answer, walletDisputeId);
  const refusal = report && failed(answer, { ORDER_STATUS_INVALID: { ...report, refused: true } });
  return refusal ?? succeeded(answer, report);
}

/** Result code → what it reports. */
type Means<Report> = Readonly<Record<string, Report>>;

function refused(
  codes: readonly ResultCode[],
): Means<{ readonly state: "REFUSED"; readonly resultCode: ResultCode }> {
  return Object.fromEntries(codes.map((resultCode) => [resultCode, { state: "REFUSED", resultCode }]));
}

function rejected(reason: string): RegistrationReport {
  return { state: "REJECTED", rejectReasons: [reason] };
}

function meant<Report>({ result }: ProviderAnswer, means: Means<Report>): Report | undefined {
  return Object.hasOwn(means, result.resultCode) ? means[result.resultCode] : undefined;
}

function failed<Report>(answer: ProviderAnswer, means: Means<Report>): Report | undefined {
  return answer.result.resultStatus === "F" ? meant(answer, means) : undefined;
}

function succeeded<Report>({ result }: ProviderAnswer, report: Report | undefined): Report | undefined {
  return result.resultStatus === "S" ? report : undefined;
}

/** Ignores a report about another dispute. */
function disputeIn(answer: ProviderAnswer, walletDisputeId: string): DisputeReport | undefined {
  const report = readDispute(answer["dispute"]);
  return report?.walletDisputeId === walletDisputeId ? report : undefined;
}

function toWire(order: NewOrder, callbackUrl: string): object {
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

function toWireAuthorization(
  { clientId, authorizationId, expiresAt, ...rest }: NewAuthorization,
  callbackUrl: string,
): object {
  const told = { merchantId: clientId, expiryTime: wireTime(expiresAt.getTime()) };
  const address = { callbackUrl: `${callbackUrl}/${clientId}/${authorizationId}` };
  return { ...rest, ...told, ...address };
}

interface ProviderAnswer {
  readonly result: { readonly resultStatus: string; readonly resultCode: string };
  readonly [field: string]: unknown;
}

/**
 * Sends one signed request. A response with an invalid signature is ignored. If the request may act and the provider is
 * not idempotent, the request opens a new connection: on a keep-alive connection a reset does not show whether the
 * provider has received the request.
 */
async function send(
  options: HttpProviderOptions,
  to: PostAddress,
  body: object,
  { signal, beforeSend }: Sending,
): Promise<ProviderAnswer> {
  const { connector, keys, signer, now, agents } = options;
  const [key] = keys;
  const bytes = Buffer.from(JSON.stringify(body), "utf8");
  const time = wireTime(now().getTime());
  const parts = { method: "POST", path: to.path, clientId: connector.partnerId, time, body: bytes };
  const keyVersion = connector.gatewayKeyVersion;
  const algorithm = algorithmOf(key);
  const signature = await signer.sign({ kind: "providerRequest", keyVersion, algorithm, parts });
  const lasting = !connector.terms.idempotentByReference;
  if (!lasting) await beforeSend?.({ lasting });
  let answer: Posted;
  try {
    const post = (trace: TraceHeaders): Promise<Posted> =>
      postBytes(to, {
        body: bytes,
        answerBytesMax,
        signal,
        ...(agents && { agents: agents() }),
        ...(lasting && beforeSend && { onceConnected: () => beforeSend({ lasting }) }),
        headers: {
          "content-type": "application/json; charset=UTF-8",
          "client-id": connector.partnerId,
          "request-time": time,
          signature: writeSignatureHeader(keyVersion, signature, algorithm),
          ...trace,
        },
      });
    const step = { kind: "message", name: `provider ${connector.name}` } as const;
    answer = await (options.traces ? options.traces.send(step, post) : post({}));
    await refuseForged(options, answer.headers, { ...parts, body: answer.body });
  } catch (cause) {
    throw new ProviderUnreachable(connector.name, cause);
  }
  try {
    return readAnswer(answer);
  } catch (cause) {
    throw new ProviderUnclear(connector.name, cause);
  }
}

function readAnswer({ status, body }: Posted): ProviderAnswer {
  if (status !== 200) throw new Error(`HTTP ${status}`);
  const answer = JSON.parse(body.toString("utf8")) as Partial<ProviderAnswer> | null;
  const { resultStatus, resultCode } = answer?.result ?? {};
  if (typeof resultStatus !== "string" || typeof resultCode !== "string")
    throw new Error("The response has no result.");
  return { ...answer, result: { resultStatus, resultCode } };
}

async function refuseForged(
  { keys, now }: HttpProviderOptions,
  headers: Posted["headers"],
  parts: { readonly method: string; readonly path: string; readonly clientId: string; readonly body: Buffer },
): Promise<void> {
  const time = String(headers["response-time"] ?? "");
  const problem =
    (await providerSignatureProblem([String(headers["signature"] ?? "")], keys, { ...parts, time })) ??
    timeProblem(time, now().getTime(), timeToleranceSeconds);
  if (problem) throw new Error(problem);
}
