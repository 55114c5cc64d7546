import { createHmac, timingSafeEqual } from "node:crypto";
import type {
  CallProvider,
  Connector,
  Context,
  FactsSheet,
  Found,
  MoneyOperation,
  MoneyReport,
  OrderReport,
  OrderState,
  ProviderResponse,
  Sent,
  UnknownOutcome,
  Webhook,
  WebhookEvent,
  WebhookReading,
} from "../src/connector.ts";

/** A payment at the toy provider. */
interface ToyPayment {
  readonly id: string;
  readonly status: keyof typeof orderStates;
  readonly amount: number;
  readonly currency: string;
  readonly pageUrl: string;
  readonly paidAt?: string;
  readonly declineCode?: keyof typeof declineCodes;
}

/** A capture or a refund at the toy provider. */
interface ToyOperation {
  readonly id: string;
  readonly status: keyof typeof operationStates;
  readonly at: string;
}

const orderStates = {
  open: "OPEN",
  pending: "PENDING",
  paid: "PAID",
  held: "AUTHORIZED",
  declined: "DECLINED",
  closed: "CLOSED",
} as const satisfies Record<string, OrderState>;

const operationStates = { pending: "PROCESSING", done: "DONE", failed: "FAILED" } as const;

const declineCodes = {
  no_money: "USER_BALANCE_NOT_ENOUGH",
  fraud: "RISK_REJECT",
  not_allowed: "PROCESS_FAIL",
} as const;

const facts: FactsSheet = {
  idempotencyWindowSeconds: 24 * 3600,
  quietSeconds: 10,
  lookupDelaySeconds: 0,
  holdSeconds: 7 * 24 * 3600,
  refunds: "MANY",
  captures: "MANY",
  cancelPaid: "NEVER",
  currencies: [],
  paymentMethodTypes: [],
  wants: ["buyer"],
};

/** A connector to the toy provider: an example for authors, and the subject of the kit's tests. */
export function newToyConnector(providerUrl: string): Connector {
  const api = newApi(providerUrl);
  const operate = async (operation: MoneyOperation, context: Context): Promise<Sent<MoneyReport>> => {
    const { kind, order, reference, amount, isLast } = operation;
    const body = { reference, amount: Number(amount.value), isLast };
    return readSent(
      await api.post(`/payments/${order.providerOrderId}/${kind}s`, body, context),
      toMoneyReport,
    );
  };
  const findOperation = async (operation: MoneyOperation, context: Context): Promise<Found<MoneyReport>> =>
    readFound(await api.find(`/${operation.kind}s`, operation.reference, context), toMoneyReport);

  return {
    name: "toy",
    softwareVersion: "1.0.0",
    facts,
    async create({ reference, amount, capture, description, redirectUrl, data }, context) {
      const body = {
        reference,
        amount: Number(amount.value),
        currency: amount.currency,
        hold: capture === "MANUAL",
        description,
        returnUrl: redirectUrl,
        buyer: data?.buyer,
      };
      return readSent(await api.post("/payments", body, context), toOrderReport);
    },
    findOrder: async ({ reference }, context) =>
      readFound(await api.find("/payments", reference, context), toOrderReport),
    cancel: async ({ providerOrderId }, context) =>
      readSent(await api.post(`/payments/${providerOrderId}/cancel`, {}, context), toOrderReport),
    capture: operate,
    findCapture: findOperation,
    refund: operate,
    findRefund: findOperation,
    readWebhook,
  };
}

/** The requests of the toy provider's API. It recognises a repeated POST by the idempotency key. */
function newApi(providerUrl: string) {
  const headersOf = ({ secrets }: Context): Readonly<Record<string, string>> => ({
    authorization: `Bearer ${secrets("api-key")[0]}`,
    "content-type": "application/json",
  });
  return {
    post: (path: string, body: object, context: Context): ReturnType<CallProvider> =>
      context.callProvider({
        method: "POST",
        url: `${providerUrl}${path}`,
        headers: { ...headersOf(context), "idempotency-key": context.idempotencyKey },
        body: JSON.stringify(body),
      }),
    find: (path: string, reference: string, context: Context): ReturnType<CallProvider> =>
      context.callProvider({
        method: "GET",
        url: `${providerUrl}${path}?reference=${encodeURIComponent(reference)}`,
        headers: headersOf(context),
      }),
  };
}

function readWebhook({ body, header, secrets }: Webhook): WebhookReading {
  const signature = Buffer.from(header("toy-signature") ?? "", "hex");
  const isValid = secrets("webhook-secret").some((secret) => {
    const expected = createHmac("sha256", secret).update(body).digest();
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  if (!isValid) return { outcome: "forged" };
  return { outcome: "verified", events: [JSON.parse(body.toString("utf8")) as WebhookEvent] };
}

/** A 4xx about the request means that the provider did not act. It stores a 5xx under the idempotency key. */
function readSent<Wire, Report>(
  response: ProviderResponse | UnknownOutcome,
  toReport: (wire: Wire) => Report,
): Sent<Report> {
  if (response.outcome === "unknown") return response;
  const { status, text } = response;
  if (status === 200) return { outcome: "reported", report: toReport(JSON.parse(text) as Wire) };
  if (status === 400 || status === 422) {
    const { code } = JSON.parse(text) as { readonly code?: keyof typeof declineCodes };
    return { outcome: "rejected", resultCode: code === undefined ? "PROCESS_FAIL" : declineCodes[code] };
  }
  return { outcome: "unknown", reason: `HTTP ${status}`, isStored: status >= 500 };
}

function readFound<Wire, Report>(
  response: ProviderResponse | UnknownOutcome,
  toReport: (wire: Wire) => Report,
): Found<Report> {
  if (response.outcome === "unknown") return response;
  if (response.status === 404) return { outcome: "not found" };
  if (response.status !== 200) return { outcome: "unknown", reason: `HTTP ${response.status}` };
  return { outcome: "found", report: toReport(JSON.parse(response.text) as Wire) };
}

function toOrderReport({
  id,
  status,
  amount,
  currency,
  pageUrl,
  paidAt,
  declineCode,
}: ToyPayment): OrderReport {
  const state = orderStates[status];
  const isPaid = state === "PAID" || state === "AUTHORIZED";
  return {
    providerOrderId: id,
    state,
    ...(state === "OPEN" && { nextAction: { type: "REDIRECT", url: pageUrl } }),
    ...(isPaid && paidAt && { paidAmount: { currency, value: String(amount) }, paidTime: paidAt }),
    ...(state === "DECLINED" && { resultCode: declineCodes[declineCode ?? "not_allowed"] }),
  };
}

function toMoneyReport({ id, status, at }: ToyOperation): MoneyReport {
  const state = operationStates[status];
  return {
    providerId: id,
    state,
    ...(state === "DONE" && { time: at }),
    ...(state === "FAILED" && { resultCode: "PROCESS_FAIL" }),
  };
}
