import type { KeyObject } from "node:crypto";
import type { BeforeSend } from "../core/before-send.ts";
import { formatWireTime } from "../core/request-time.ts";
import type { TraceHeaders, Traces } from "../telemetry/trace.ts";
import type { ResultCode } from "../core/result.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { algorithmOf } from "../signing/algorithm.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import { timeProblem, providerSignatureProblem } from "../signing/verify-signature.ts";
import type { Connector } from "../providers/connector.ts";
import { protocolVersion } from "../providers/provider-facts.ts";
import { readAuthorization, readExchange } from "../providers/authorization-report.ts";
import { readDispute } from "../providers/dispute-report.ts";
import { readCapture, readOrder, readRefund, readRegistration } from "../providers/order-report.ts";
import {
  toPostAddress,
  postBytes,
  type PostAddress,
  type PostAgents,
  type PostResponse,
} from "./post-bytes.ts";
import {
  toWireAccount,
  toWireAuthorization,
  toWireDefense,
  toWireMoney,
  toWireOrder,
} from "../providers/provider-request.ts";
import { definiteRefusals, refusalReports } from "../providers/refusal.ts";
import {
  ProviderUnclear,
  ProviderUnreachable,
  type AuthorizationReport,
  type DisputeReport,
  type ExchangeReport,
  type OrderReport,
  type MoneyReport,
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
export function createHttpProvider(options: HttpProviderOptions): Provider {
  const { connector, callbackUrl } = options;
  const request = newRequester(options);
  return {
    connector: connector.name,
    submit: (order, signal, beforeSend) => {
      const body = toWireOrder(order, `${callbackUrl}/${order.owner.merchantId}/${order.paymentId}`);
      return request(calls.submit, order.reference, body, { signal, beforeSend });
    },
    inquire: ({ reference, owner }, signal) =>
      request(calls.inquire, reference, { reference, ...toWireAccount(owner) }, { signal }),
    cancel: ({ reference, owner, notAfter }, signal) => {
      const body = { reference, ...toWireAccount(owner), notAfter: formatWireTime(notAfter.getTime()) };
      return request(calls.cancel, reference, body, { signal });
    },
    capture: (capture, signal, beforeSend) => {
      const { captureReference, isLast } = capture;
      const body = { ...toWireMoney(capture), captureReference, ...(isLast && { isLast }) };
      return request(calls.capture, capture, body, { signal, beforeSend });
    },
    inquireCapture: (capture, signal) => {
      const body = { captureReference: capture.captureReference, ...toWireAccount(capture.owner) };
      return request(calls.inquireCapture, capture, body, { signal });
    },
    refund: (refund, signal, beforeSend) => {
      const { refundReference } = refund;
      const body = { ...toWireMoney(refund), refundReference };
      return request(calls.refund, refund, body, { signal, beforeSend });
    },
    inquireRefund: (refund, signal) => {
      const body = { refundReference: refund.refundReference, ...toWireAccount(refund.owner) };
      return request(calls.inquireRefund, refund, body, { signal });
    },
    register: (registration, signal) =>
      request(calls.register, registration.reference, registration, { signal }),
    inquireRegistration: (reference, signal) =>
      request(calls.inquireRegistration, reference, { reference }, { signal }),
    acceptDispute: ({ owner, ...answer }, signal) => {
      const body = { ...answer, ...toWireAccount(owner) };
      return request(calls.acceptDispute, answer.providerDisputeId, body, { signal });
    },
    defendDispute: (defense, signal, beforeSend) => {
      const body = toWireDefense(defense, connector.facts);
      return request(calls.defendDispute, defense.providerDisputeId, body, { signal, beforeSend });
    },
    inquireDispute: ({ providerDisputeId, owner }, signal) => {
      const body = { providerDisputeId, ...toWireAccount(owner) };
      return request(calls.inquireDispute, providerDisputeId, body, { signal });
    },
    authorize: (authorization, signal) => {
      const body = toWireAuthorization(authorization, callbackUrl);
      return request(calls.authorize, authorization.reference, body, { signal });
    },
    inquireAuthorization: ({ reference, owner }, signal) =>
      request(calls.inquireAuthorization, reference, { reference, ...toWireAccount(owner) }, { signal }),
    revoke: ({ reference, owner }, signal) =>
      request(calls.revoke, reference, { reference, ...toWireAccount(owner) }, { signal }),
    exchangeCode: (authCode, owner, signal) =>
      request(calls.exchangeCode, authCode, { authCode, ...toWireAccount(owner) }, { signal }),
    facts: (signal) => request(calls.facts, "", {}, { signal }),
  };
}

type Requester = <Report, Expected>(
  call: ProviderCall<Report, Expected>,
  expected: Expected,
  body: object,
  sendOptions: SendOptions,
) => Promise<Report>;

/**
 * Returns a function that sends a request and reads its report. `expected` is the content that the report must repeat:
 * a reference, or the fields of a capture or refund.
 */
function newRequester(options: HttpProviderOptions): Requester {
  const { connector } = options;
  const addresses = new Map<string, PostAddress>();
  function findAddress(path: string): PostAddress {
    const address =
      addresses.get(path) ?? toPostAddress(new URL(`/provider/${protocolVersion}/${path}`, connector.url));
    addresses.set(path, address);
    return address;
  }

  return async ({ path, report }, expected, body, sendOptions) => {
    const answer = await send(options, findAddress(path), body, sendOptions);
    const parsedReport = report(answer, expected);
    if (parsedReport !== undefined) return parsedReport;
    // The response is about the request itself (authentication, rate limit), or unusable. The request throws, and the
    // job retries.
    const { resultCode } = answer.result;
    const reason =
      resultCode === "NO_INTERFACE_DEF"
        ? `The provider does not serve ${findAddress(path).path}. This gateway speaks provider protocol ${protocolVersion} only.`
        : `The result ${resultCode} decides nothing about this request.`;
    throw new ProviderUnclear(connector.name, reason);
  };
}

/** Options of a request: its timeout, and for a request that may act, the hook that records it before it is sent. */
interface SendOptions {
  readonly signal: AbortSignal;
  readonly beforeSend?: BeforeSend;
}

/** One request of the provider protocol: its path, and how to read its response. */
interface ProviderCall<Report, Expected = string> {
  readonly path: string;
  /** Reads the report; undefined for a response that decides nothing. The job retries such a request. */
  readonly report: ParseReport<Report, Expected>;
}

type ParseReport<Report, Expected = string> = (
  answer: ProviderAnswer,
  expected: Expected,
) => Report | undefined;

const parseCapture: ParseReport<MoneyReport, RequestedCapture> = ({ capture }, expected) =>
  readCapture(capture, expected);
const parseRefund: ParseReport<MoneyReport, RequestedRefund> = ({ refund }, expected) =>
  readRefund(refund, expected);
const parseRegistration: ParseReport<RegistrationReport> = ({ registration }, reference) =>
  readRegistration(registration, reference);
const parseConsent: ParseReport<AuthorizationReport> = ({ authorization }, reference) =>
  readAuthorization(authorization, reference);

const notFound = { state: "NOT_FOUND" } as const;

const registrationReports = {
  NO_INTERFACE_DEF: { state: "NOT_NEEDED" },
  RECORD_NOT_FOUND: notFound,
  // The rejection is final for this reference. The merchant can correct the registration with a new request, which gets
  // a new reference.
  REPEAT_REQ_INCONSISTENT: rejection("The payment provider knows this registration with other content."),
  PARAM_ILLEGAL: rejection("The payment provider rejects these details: something is missing or malformed."),
} as const;

const consentReports = {
  NO_INTERFACE_DEF: { state: "NOT_SUPPORTED" },
  AUTHORIZATION_NOT_EXIST: notFound,
} as const;

const exchangeReports = {
  INVALID_AUTHCODE: { state: "REFUSED", resultCode: "INVALID_AUTHCODE" },
  AUTH_CODE_EXPIRED: { state: "REFUSED", resultCode: "AUTH_CODE_EXPIRED" },
} as const;

const calls = {
  submit: defineOrderCall("orders/submit", definiteRefusals.submit),
  inquire: defineOrderCall("orders/inquire", []),
  cancel: defineOrderCall("orders/cancel", []),
  capture: defineCall("orders/capture", parseCapture, refusalReports(definiteRefusals.capture)),
  inquireCapture: defineCall("orders/inquire-capture", parseCapture, { ORDER_NOT_EXIST: notFound }),
  refund: defineCall("orders/refund", parseRefund, refusalReports(definiteRefusals.refund)),
  inquireRefund: defineCall("orders/inquire-refund", parseRefund, { ORDER_NOT_EXIST: notFound }),
  register: defineCall("registrations/register", parseRegistration, registrationReports),
  inquireRegistration: defineCall(
    "registrations/inquire-registration",
    parseRegistration,
    registrationReports,
  ),
  acceptDispute: { path: "disputes/accept-dispute", report: parseDisputeAnswer },
  defendDispute: { path: "disputes/defend-dispute", report: parseDisputeAnswer },
  inquireDispute: defineCall<DisputeReport | "NOT_FOUND">("disputes/inquire-dispute", parseDispute, {
    RECORD_NOT_FOUND: "NOT_FOUND",
  }),
  authorize: defineCall("authorizations/authorize", parseConsent, consentReports),
  inquireAuthorization: defineCall("authorizations/inquire-authorization", parseConsent, consentReports),
  revoke: defineCall("authorizations/revoke", parseConsent, consentReports),
  exchangeCode: {
    path: "authorizations/exchange-code",
    report: (answer: ProviderAnswer): ExchangeReport | undefined =>
      reportByCode<ExchangeReport>(answer, exchangeReports) ??
      ifSucceeded(answer, readExchange(answer["authorization"], answer["agreement"])),
  },
  facts: { path: "facts", report: (answer: ProviderAnswer) => ifSucceeded(answer, answer["facts"]) },
} satisfies Readonly<Record<Exclude<keyof Provider, "connector">, ProviderCall<unknown, never>>>;

/** A call whose report counts with a success. With a failure, the code may give the report. */
function defineCall<Report, Expected = string>(
  path: string,
  parseReport: ParseReport<Report, Expected>,
  reportsByCode: ReportsByCode<NoInfer<Report>>,
): ProviderCall<Report, Expected> {
  return {
    path,
    report: (answer, expected) =>
      ifFailed(answer, reportsByCode) ?? ifSucceeded(answer, parseReport(answer, expected)),
  };
}

/**
 * A call about an order. The report counts with any result, because a provider that declines reports its order as well.
 */
function defineOrderCall(path: string, refusals: readonly ResultCode[]): ProviderCall<OrderReport> {
  const refusalsByCode = refusalReports(refusals);
  return {
    path,
    report: (answer, reference) =>
      reportByCode<OrderReport>(answer, orderReports) ??
      readOrder(answer["order"], reference) ??
      ifFailed(answer, refusalsByCode),
  };
}

const orderReports = {
  ORDER_NOT_EXIST: notFound,
  REPEAT_REQ_INCONSISTENT: { state: "INCONSISTENT" },
} as const;

/**
 * The report of the dispute in the provider's response to an answer. The provider reports it whether it accepts or
 * rejects the answer.
 */
function parseDisputeAnswer(answer: ProviderAnswer, providerDisputeId: string): DisputeReport | undefined {
  const report = parseDispute(answer, providerDisputeId);
  const refusal = report && ifFailed(answer, { ORDER_STATUS_INVALID: { ...report, refused: true } });
  return refusal ?? ifSucceeded(answer, report);
}

/** Result code → what it reports. */
type ReportsByCode<Report> = Readonly<Record<string, Report>>;

function rejection(reason: string): RegistrationReport {
  return { state: "REJECTED", rejectReasons: [reason] };
}

function reportByCode<Report>(
  { result }: ProviderAnswer,
  reportsByCode: ReportsByCode<Report>,
): Report | undefined {
  return Object.hasOwn(reportsByCode, result.resultCode) ? reportsByCode[result.resultCode] : undefined;
}

function ifFailed<Report>(answer: ProviderAnswer, reportsByCode: ReportsByCode<Report>): Report | undefined {
  return answer.result.resultStatus === "F" ? reportByCode(answer, reportsByCode) : undefined;
}

function ifSucceeded<Report>({ result }: ProviderAnswer, report: Report | undefined): Report | undefined {
  return result.resultStatus === "S" ? report : undefined;
}

/** Ignores a report about another dispute. */
function parseDispute(answer: ProviderAnswer, providerDisputeId: string): DisputeReport | undefined {
  const report = readDispute(answer["dispute"]);
  return report?.providerDisputeId === providerDisputeId ? report : undefined;
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
  address: PostAddress,
  body: object,
  { signal, beforeSend }: SendOptions,
): Promise<ProviderAnswer> {
  const { connector, keys, signer, now, agents } = options;
  const [key] = keys;
  const bytes = Buffer.from(JSON.stringify(body), "utf8");
  const time = formatWireTime(now().getTime());
  const parts = { method: "POST", path: address.path, clientId: connector.partnerId, time, body: bytes };
  const keyVersion = connector.gatewayKeyVersion;
  const algorithm = algorithmOf(key);
  const signature = await signer.sign({ kind: "providerRequest", keyVersion, algorithm, parts });
  const durable = !connector.terms.idempotentByReference;
  if (!durable) await beforeSend?.({ durable });
  let answer: PostResponse;
  try {
    const post = (trace: TraceHeaders): Promise<PostResponse> =>
      postBytes(address, {
        body: bytes,
        answerBytesMax,
        signal,
        ...(agents && { agents: agents() }),
        ...(durable && beforeSend && { beforeFirstByte: () => beforeSend({ durable }) }),
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
    await verifyAnswerSignature(options, answer.headers, { ...parts, body: answer.body });
  } catch (cause) {
    throw new ProviderUnreachable(connector.name, cause);
  }
  try {
    return parseAnswer(answer);
  } catch (cause) {
    throw new ProviderUnclear(connector.name, cause);
  }
}

function parseAnswer({ status, body }: PostResponse): ProviderAnswer {
  if (status !== 200) throw new Error(`HTTP ${status}`);
  const answer = JSON.parse(body.toString("utf8")) as Partial<ProviderAnswer> | null;
  const { resultStatus, resultCode } = answer?.result ?? {};
  if (typeof resultStatus !== "string" || typeof resultCode !== "string")
    throw new Error("The response has no result.");
  return { ...answer, result: { resultStatus, resultCode } };
}

async function verifyAnswerSignature(
  { keys, now }: HttpProviderOptions,
  headers: PostResponse["headers"],
  parts: { readonly method: string; readonly path: string; readonly clientId: string; readonly body: Buffer },
): Promise<void> {
  const time = String(headers["response-time"] ?? "");
  const problem =
    (await providerSignatureProblem([String(headers["signature"] ?? "")], keys, { ...parts, time })) ??
    timeProblem(time, now().getTime(), timeToleranceSeconds);
  if (problem) throw new Error(problem);
}
