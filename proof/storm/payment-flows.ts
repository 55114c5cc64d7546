import { setTimeout as waitMs } from "node:timers/promises";
import { secondMethod } from "../installation/installation.ts";
import {
  controlProvider,
  pollPayment,
  sendDuplicates,
  sendWithRetries,
  type MerchantRequest,
  type PaymentContext,
} from "./merchant-requests.ts";
import type { ProviderProcess } from "../installation/provider-process.ts";

/** The ways in which merchants request payments. The weights are out of a hundred. */
export const paymentFlows = [
  { weight: 62, flow: "page" },
  { weight: 9, flow: "token" },
  { weight: 10, flow: "session" },
  { weight: 9, flow: "payment code" },
  { weight: 5, flow: "order code" },
  { weight: 5, flow: "entry code" },
] as const;

export type PaymentFlow = (typeof paymentFlows)[number]["flow"];

/** A payment that the gateway has accepted. */
export interface StartedPayment {
  readonly paymentId: string;
  readonly provider: ProviderProcess;
  /** True if the provider decides without the buyer, because the buyer gave a code or a consent before. */
  readonly needsNoBuyer: boolean;
}

/** How to request a payment: its way and its lifetime. */
export interface FlowOptions {
  readonly flow: PaymentFlow;
  readonly lifetimeSeconds: number;
  /** A callback that receives the payment's request as soon as it has been created. */
  readonly onRequest: (request: MerchantRequest) => void;
}

/** Requests a payment in its way. Undefined if the gateway has not accepted it. */
export async function startPayment(
  context: PaymentContext,
  options: FlowOptions,
): Promise<StartedPayment | undefined> {
  const provider = context.environment.installation.providerOf(context.method);
  switch (options.flow) {
    case "page": {
      const paymentId = await requestPayment(context, options, "pay", buildPageRequest(context, options));
      return paymentId === undefined ? undefined : { paymentId, provider, needsNoBuyer: false };
    }
    case "order code":
    case "entry code": {
      const scenario = options.flow === "order code" ? "OrderCode" : "EntryCode";
      const paymentId = await requestPayment(
        context,
        options,
        "issue",
        buildInStoreRequest(context, options, scenario),
      );
      return paymentId === undefined ? undefined : { paymentId, provider, needsNoBuyer: false };
    }
    case "payment code":
      return startByCode(context, options, provider);
    case "token":
      return startByToken(context, options, provider);
    case "session":
      return startSession(context, options);
  }
}

async function requestPayment(
  context: PaymentContext,
  { onRequest }: FlowOptions,
  verb: "pay" | "issue",
  body: object,
): Promise<string | undefined> {
  const request = { verb, requestId: context.paymentRequestId, body };
  onRequest(request);
  return (await sendDuplicates(context, request))?.id;
}

/**
 * A point of sale scans the code of the buyer's wallet; sometimes the buyer must confirm, or has insufficient funds.
 */
async function startByCode(
  context: PaymentContext,
  options: FlowOptions,
  provider: ProviderProcess,
): Promise<StartedPayment | undefined> {
  const codeOptions = context.random.pick([
    {},
    {},
    {},
    { asks: true },
    { declines: "USER_BALANCE_NOT_ENOUGH" },
  ]);
  const codeResponse = await controlProvider(context, provider, "payment-codes", codeOptions);
  const paymentMethodId = codeResponse?.["paymentCode"];
  if (typeof paymentMethodId !== "string") return undefined;
  const body = buildInStoreRequest(context, options, "PaymentCode", { paymentMethodId });
  const paymentId = await requestPayment(context, options, "pay", body);
  return paymentId === undefined
    ? undefined
    : { paymentId, provider, needsNoBuyer: !("asks" in codeOptions) };
}

/**
 * A buyer consents once, and later pays without interaction. Half of the consents are revoked, during a payment or a
 * moment later; a payment requested after the response to the revocation must never be paid.
 */
async function startByToken(
  context: PaymentContext,
  options: FlowOptions,
  provider: ProviderProcess,
): Promise<StartedPayment | undefined> {
  const { random, paymentRequestId: consent } = context;
  const accessToken = await obtainToken(context, provider);
  if (accessToken === undefined) return undefined;
  const newTokenRequest = (requestId: string): MerchantRequest => {
    const paymentMethod = { paymentMethodType: context.method, paymentMethodId: accessToken };
    const tokenFields = { productCode: "AGREEMENT_PAYMENT", paymentRedirectUrl: undefined, env: undefined };
    const body = {
      ...buildPageRequest(context, options),
      paymentRequestId: requestId,
      paymentMethod,
      ...tokenFields,
    };
    return { verb: "pay", requestId, body, consent };
  };
  const firstRequest = newTokenRequest(consent);
  options.onRequest(firstRequest);
  recordTokenPayment(context, consent, consent);
  const responding = sendDuplicates(context, firstRequest);
  if (random.chance(0.5)) {
    await waitMs(random.between(0, 1_500));
    const revocation = await sendWithRetries(context, {
      verb: "revoke",
      requestId: consent,
      body: { accessToken },
      consent,
    });
    if (revocation && isRevoked(revocation)) {
      const lateRequest = newTokenRequest(`${consent}-late`);
      recordTokenPayment(context, consent, lateRequest.requestId);
      await sendWithRetries(context, lateRequest);
    }
  }
  const paymentId = (await responding)?.id;
  return paymentId === undefined ? undefined : { paymentId, provider, needsNoBuyer: true };
}

/** A repeated revocation gets the result that the token is invalid, which counts as a success here. */
function isRevoked({
  resultStatus,
  resultCode,
}: {
  readonly resultStatus: string;
  readonly resultCode: string;
}): boolean {
  return resultStatus === "S" || resultCode === "INVALID_ACCESS_TOKEN";
}

function recordTokenPayment(
  { environment, merchant }: PaymentContext,
  consent: string,
  requestId: string,
): void {
  const { clientId } = merchant;
  environment.history.tokenPayments.push({ clientId, consent, requestId, sentAtMs: environment.nowMs() });
}

/** `obtainToken` gets a buyer's consent, and exchanges its code for a token. */
async function obtainToken(context: PaymentContext, provider: ProviderProcess): Promise<string | undefined> {
  const { environment, paymentRequestId: authState, method: customerBelongsTo } = context;
  const consult = {
    customerBelongsTo,
    authRedirectUrl: "https://shop.example/linked",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
    authNotifyUrl: environment.notifyUrl,
  };
  const consultResponse = await sendWithRetries(context, {
    verb: "consult",
    requestId: authState,
    body: consult,
  });
  if (consultResponse?.resultStatus !== "S") return undefined;
  const consentResponse = await controlProvider(context, provider, `authorizations/${authState}/agree`);
  const authCode = URL.parse(String(consentResponse?.["redirectUrl"]))?.searchParams.get("authCode");
  if (!authCode) return undefined;
  const body = { grantType: "AUTHORIZATION_CODE", customerBelongsTo, authCode };
  const tokenResponse = await sendWithRetries(context, { verb: "applyToken", requestId: authState, body });
  const token = tokenResponse?.json["accessToken"];
  return typeof token === "string" ? token : undefined;
}

/** The buyer chooses on the checkout page; sometimes two different choices race. The gateway's response counts. */
async function startSession(
  context: PaymentContext,
  options: FlowOptions,
): Promise<StartedPayment | undefined> {
  const { random, environment, method, paymentRequestId: requestId } = context;
  const request = {
    verb: "createPaymentSession",
    requestId,
    body: buildSessionRequest(context, options),
  } as const;
  options.onRequest(request);
  const answer = await sendDuplicates(context, request);
  const { id: paymentId } = answer ?? {};
  const page = URL.parse(String(answer?.json["normalUrl"]));
  if (paymentId === undefined || !page) return undefined;
  const withoutChoice = {
    paymentId,
    needsNoBuyer: false,
    provider: environment.installation.providerOf(method),
  };
  // Some buyers open the page and leave.
  if (random.chance(0.1)) return withoutChoice;
  const choices = random.chance(0.3) ? [method, random.pick(offeredMethods)] : [method];
  await Promise.all(choices.map((choice) => submitChoice(context, page.pathname, choice)));
  const inquiry = await pollPayment(context, ({ json }) => json["paymentMethodType"] !== undefined);
  const chosenMethod = inquiry?.json["paymentMethodType"];
  return typeof chosenMethod === "string"
    ? { ...withoutChoice, provider: environment.installation.providerOf(chosenMethod) }
    : withoutChoice;
}

const offeredMethods = ["GCASH", secondMethod];
const choiceAttemptsMax = 6;

/** Posts the form of the page like a browser, until it is accepted or too late. */
async function submitChoice(context: PaymentContext, path: string, paymentMethodType: string): Promise<void> {
  const { environment, random } = context;
  for (let tries = 0; tries < choiceAttemptsMax && environment.isActive(); tries += 1) {
    const { port } = random.pick(environment.installation.proxies.merchantsToServe);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      body: new URLSearchParams({ paymentMethodType }),
      redirect: "manual",
      signal: AbortSignal.timeout(8_000),
    }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 303) return;
    await waitMs(500);
  }
}

interface RequestBody {
  readonly [field: string]: unknown;
}

function buildCommonFields(context: PaymentContext, { lifetimeSeconds }: FlowOptions): RequestBody {
  const { currency, minor, isManual, paymentRequestId, environment } = context;
  const amount = { currency, value: String(minor) };
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl: environment.notifyUrl,
    paymentExpiryTime: wireTime(Date.now() + lifetimeSeconds * 1_000),
    ...(isManual && { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } }),
  };
}

function buildPageRequest(context: PaymentContext, options: FlowOptions): RequestBody {
  const paymentMethod = { paymentMethodType: context.method };
  return { ...buildCommonFields(context, options), paymentMethod, env: { terminalType: "WEB" } };
}

function buildSessionRequest(context: PaymentContext, options: FlowOptions): RequestBody {
  const paymentMethodTypeList = offeredMethods.map((paymentMethodType) => ({ paymentMethodType }));
  return {
    ...buildCommonFields(context, options),
    productScene: "CHECKOUT_PAYMENT",
    availablePaymentMethod: { paymentMethodTypeList },
  };
}

function buildInStoreRequest(
  context: PaymentContext,
  options: FlowOptions,
  inStorePaymentScenario: "PaymentCode" | "OrderCode" | "EntryCode",
  methodFields: object = {},
): RequestBody {
  const { paymentRedirectUrl: _, ...commonFields } = buildCommonFields(context, options);
  const store = { referenceStoreId: "store-1", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "m-1", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = {
    storeTerminalId: "till-1",
    storeTerminalRequestTime: "2026-11-15T09:30:00+00:00",
    userAgent: "Provider/1.0",
  };
  return {
    ...commonFields,
    productCode: "IN_STORE_PAYMENT",
    order: { ...(commonFields["order"] as object), merchant, env },
    paymentMethod: { paymentMethodType: context.method, ...methodFields },
    paymentFactor: { inStorePaymentScenario },
    settlementStrategy: { settlementCurrency: context.currency },
  };
}

function wireTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`;
}
