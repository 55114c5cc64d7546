import { setTimeout as waitMs } from "node:timers/promises";
import { secondMethod } from "../installation/installation.ts";
import { control, inquireUntil, repeatedly, send, type Question, type Traveller } from "./traveller.ts";
import type { WalletProcess } from "../installation/provider-process.ts";

/** The ways in which merchants request payments. The weights are out of a hundred. */
export const waysToPay = [
  { weight: 62, way: "page" },
  { weight: 9, way: "token" },
  { weight: 10, way: "session" },
  { weight: 9, way: "payment code" },
  { weight: 5, way: "order code" },
  { weight: 5, way: "entry code" },
] as const;

export type Way = (typeof waysToPay)[number]["way"];

/** A payment that the gateway has accepted. */
export interface Begun {
  readonly paymentId: string;
  readonly provider: WalletProcess;
  /** True if the provider decides without the buyer, because the buyer gave a code or a consent before. */
  readonly needsNobody: boolean;
}

/** How to request a payment: its way and its lifetime. */
export interface Asking {
  readonly way: Way;
  readonly lifetimeSeconds: number;
  /** A callback that receives the payment's request as soon as it has been created. */
  readonly onQuestion: (question: Question) => void;
}

/** Requests a payment in its way. Undefined if the gateway has not accepted it. */
export async function begin(traveller: Traveller, asking: Asking): Promise<Begun | undefined> {
  const provider = traveller.world.installation.providerOf(traveller.method);
  switch (asking.way) {
    case "page": {
      const paymentId = await ask(traveller, asking, "pay", pageRequest(traveller, asking));
      return paymentId === undefined ? undefined : { paymentId, provider, needsNobody: false };
    }
    case "order code":
    case "entry code": {
      const scenario = asking.way === "order code" ? "OrderCode" : "EntryCode";
      const paymentId = await ask(traveller, asking, "issue", tillRequest(traveller, asking, scenario));
      return paymentId === undefined ? undefined : { paymentId, provider, needsNobody: false };
    }
    case "payment code":
      return payByCode(traveller, asking, provider);
    case "token":
      return payByToken(traveller, asking, provider);
    case "session":
      return openSession(traveller, asking);
  }
}

async function ask(
  traveller: Traveller,
  { onQuestion }: Asking,
  verb: "pay" | "issue",
  body: object,
): Promise<string | undefined> {
  const question = { verb, requestId: traveller.paymentRequestId, body };
  onQuestion(question);
  return (await repeatedly(traveller, question))?.id;
}

/**
 * A point of sale scans the code of the buyer's wallet; sometimes the buyer must confirm, or has insufficient funds.
 */
async function payByCode(
  traveller: Traveller,
  asking: Asking,
  provider: WalletProcess,
): Promise<Begun | undefined> {
  const terms = traveller.random.pick([{}, {}, {}, { asks: true }, { declines: "USER_BALANCE_NOT_ENOUGH" }]);
  const shown = await control(traveller, provider, "payment-codes", terms);
  const paymentMethodId = shown?.["paymentCode"];
  if (typeof paymentMethodId !== "string") return undefined;
  const body = tillRequest(traveller, asking, "PaymentCode", { paymentMethodId });
  const paymentId = await ask(traveller, asking, "pay", body);
  return paymentId === undefined ? undefined : { paymentId, provider, needsNobody: !("asks" in terms) };
}

/**
 * A buyer consents once, and later pays without interaction. Half of the consents are revoked, during a payment or a
 * moment later; a payment requested after the response to the revocation must never be paid.
 */
async function payByToken(
  traveller: Traveller,
  asking: Asking,
  provider: WalletProcess,
): Promise<Begun | undefined> {
  const { random, paymentRequestId: consent } = traveller;
  const accessToken = await link(traveller, provider);
  if (accessToken === undefined) return undefined;
  const pay = (requestId: string): Question => {
    const paymentMethod = { paymentMethodType: traveller.method, paymentMethodId: accessToken };
    const alone = { productCode: "AGREEMENT_PAYMENT", paymentRedirectUrl: undefined, env: undefined };
    const body = {
      ...pageRequest(traveller, asking),
      paymentRequestId: requestId,
      paymentMethod,
      ...alone,
    };
    return { verb: "pay", requestId, body, consent };
  };
  const first = pay(consent);
  asking.onQuestion(first);
  noteSent(traveller, consent, consent);
  const paying = repeatedly(traveller, first);
  if (random.chance(0.5)) {
    await waitMs(random.between(0, 1_500));
    const revoked = await send(traveller, {
      verb: "revoke",
      requestId: consent,
      body: { accessToken },
      consent,
    });
    if (revoked && isRevoked(revoked)) {
      const late = pay(`${consent}-late`);
      noteSent(traveller, consent, late.requestId);
      await send(traveller, late);
    }
  }
  const paymentId = (await paying)?.id;
  return paymentId === undefined ? undefined : { paymentId, provider, needsNobody: true };
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

function noteSent({ world, merchant }: Traveller, consent: string, requestId: string): void {
  const { clientId } = merchant;
  world.history.spendings.push({ clientId, consent, requestId, sentAtMs: world.nowMs() });
}

/** `link` gets a buyer's consent, and exchanges its code for a token. */
async function link(traveller: Traveller, provider: WalletProcess): Promise<string | undefined> {
  const { world, paymentRequestId: authState, method: customerBelongsTo } = traveller;
  const consult = {
    customerBelongsTo,
    authRedirectUrl: "https://shop.example/linked",
    scopes: ["AGREEMENT_PAY"],
    authState,
    env: { terminalType: "WEB" },
    authNotifyUrl: world.notifyUrl,
  };
  const asked = await send(traveller, { verb: "consult", requestId: authState, body: consult });
  if (asked?.resultStatus !== "S") return undefined;
  const agreed = await control(traveller, provider, `authorizations/${authState}/agree`);
  const authCode = URL.parse(String(agreed?.["redirectUrl"]))?.searchParams.get("authCode");
  if (!authCode) return undefined;
  const body = { grantType: "AUTHORIZATION_CODE", customerBelongsTo, authCode };
  const applied = await send(traveller, { verb: "applyToken", requestId: authState, body });
  const token = applied?.json["accessToken"];
  return typeof token === "string" ? token : undefined;
}

/** The buyer chooses on the checkout page; sometimes two different choices race. The gateway's response counts. */
async function openSession(traveller: Traveller, asking: Asking): Promise<Begun | undefined> {
  const { random, world, method, paymentRequestId: requestId } = traveller;
  const question = {
    verb: "createPaymentSession",
    requestId,
    body: sessionRequest(traveller, asking),
  } as const;
  asking.onQuestion(question);
  const answer = await repeatedly(traveller, question);
  const { id: paymentId } = answer ?? {};
  const page = URL.parse(String(answer?.json["normalUrl"]));
  if (paymentId === undefined || !page) return undefined;
  const nowhere = { paymentId, needsNobody: false, provider: world.installation.providerOf(method) };
  // Some buyers open the page and leave.
  if (random.chance(0.1)) return nowhere;
  const choices = random.chance(0.3) ? [method, random.pick(offeredMethods)] : [method];
  await Promise.all(choices.map((choice) => choose(traveller, page.pathname, choice)));
  const isChosen = await inquireUntil(traveller, ({ json }) => json["paymentMethodType"] !== undefined);
  const chosen = isChosen?.json["paymentMethodType"];
  return typeof chosen === "string"
    ? { ...nowhere, provider: world.installation.providerOf(chosen) }
    : nowhere;
}

const offeredMethods = ["GCASH", secondMethod];
const choosingTriesMax = 6;

/** Posts the form of the page like a browser, until it is accepted or too late. */
async function choose(traveller: Traveller, path: string, paymentMethodType: string): Promise<void> {
  const { world, random } = traveller;
  for (let tries = 0; tries < choosingTriesMax && world.goesOn(); tries += 1) {
    const { port } = random.pick(world.installation.lines.merchantsToServe);
    const answered = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      body: new URLSearchParams({ paymentMethodType }),
      redirect: "manual",
      signal: AbortSignal.timeout(8_000),
    }).catch(() => undefined);
    await answered?.body?.cancel();
    if (answered?.status === 303) return;
    await waitMs(500);
  }
}

interface Requested {
  readonly [field: string]: unknown;
}

function common(traveller: Traveller, { lifetimeSeconds }: Asking): Requested {
  const { currency, minor, isManual, paymentRequestId, world } = traveller;
  const amount = { currency, value: String(minor) };
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl: world.notifyUrl,
    paymentExpiryTime: wireTime(Date.now() + lifetimeSeconds * 1_000),
    ...(isManual && { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } }),
  };
}

function pageRequest(traveller: Traveller, asking: Asking): Requested {
  const paymentMethod = { paymentMethodType: traveller.method };
  return { ...common(traveller, asking), paymentMethod, env: { terminalType: "WEB" } };
}

function sessionRequest(traveller: Traveller, asking: Asking): Requested {
  const paymentMethodTypeList = offeredMethods.map((paymentMethodType) => ({ paymentMethodType }));
  return {
    ...common(traveller, asking),
    productScene: "CHECKOUT_PAYMENT",
    availablePaymentMethod: { paymentMethodTypeList },
  };
}

function tillRequest(
  traveller: Traveller,
  asking: Asking,
  inStorePaymentScenario: "PaymentCode" | "OrderCode" | "EntryCode",
  more: object = {},
): Requested {
  const { paymentRedirectUrl: _, ...asked } = common(traveller, asking);
  const store = { referenceStoreId: "store-1", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "m-1", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = {
    storeTerminalId: "till-1",
    storeTerminalRequestTime: "2026-11-15T09:30:00+00:00",
    userAgent: "Provider/1.0",
  };
  return {
    ...asked,
    productCode: "IN_STORE_PAYMENT",
    order: { ...(asked["order"] as object), merchant, env },
    paymentMethod: { paymentMethodType: traveller.method, ...more },
    paymentFactor: { inStorePaymentScenario },
    settlementStrategy: { settlementCurrency: traveller.currency },
  };
}

function wireTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`;
}
