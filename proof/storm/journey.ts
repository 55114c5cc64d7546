import { setTimeout as waitMs } from "node:timers/promises";
import type { AnswerWithBody } from "../trial/caller.ts";
import { secondMethod, type Merchant } from "../installation/installation.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import {
  controlProvider,
  pollPayment,
  sendDuplicates,
  sendWithRetries,
  type MerchantRequest,
  type PaymentContext,
  type StormEnvironment,
} from "./merchant-requests.ts";
import { startPayment, paymentFlows, type StartedPayment } from "./payment-flows.ts";

/** The life of one payment from its request to its final status. */
export interface PaymentJourney {
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  /** Returns the request of the payment, so that it can be retried; undefined until it has been created. */
  request(): MerchantRequest | undefined;
  run(onAccepted: OnAccepted): Promise<void>;
}

/** The behaviour of buyers and merchants. The weights are out of a hundred. */
const behaviours = [
  { weight: 56, behaviour: "approve" },
  { weight: 4, behaviour: "pend, then approve" },
  { weight: 9, behaviour: "decline" },
  { weight: 11, behaviour: "leave" },
  { weight: 6, behaviour: "cancel" },
  { weight: 6, behaviour: "cancel while approving" },
  { weight: 2, behaviour: "pay on cancel" },
  { weight: 2, behaviour: "approve after cancel" },
  { weight: 2, behaviour: "cancel before paying" },
  { weight: 2, behaviour: "approve, then cancel" },
] as const;

type Behaviour = (typeof behaviours)[number]["behaviour"];

const currencies = ["EUR", "USD", "GBP", "JPY"];
/** Share of payments at the provider that is not idempotent. */
const secondProviderShare = 0.25;
/** Share of payments to the merchant that refunds everything at once, so that its balance is almost always too low. */
const lowBalanceShare = 0.08;
const disputedShare = 0.06;

/** A callback that runs once, when it is known whether the gateway has accepted the payment. */
type OnAccepted = (isAccepted: boolean) => void;

/** One buyer's payment from the order to its final status. The merchant sends every request once or several times. */
export function newJourney(environment: StormEnvironment, random: Random, number: number): PaymentJourney {
  const { merchants, providers } = environment.installation;
  const lowBalanceMerchant = merchants.at(-1);
  const hasLowBalance = random.chance(lowBalanceShare) && lowBalanceMerchant !== undefined;
  const merchant = hasLowBalance ? lowBalanceMerchant : random.pick(merchants.slice(0, -1));
  const { behaviour } = hasLowBalance ? { behaviour: "approve" as const } : random.weighted(behaviours);
  const { flow } = random.weighted(paymentFlows);
  const supportsHold = flow === "page" || flow === "session" || flow === "token";
  const isManual = !hasLowBalance && supportsHold && behaviour.startsWith("approve") && random.chance(0.15);
  const paymentRequestId = `storm-${number}`;
  const currency = random.pick(currencies);
  const minor = random.between(100, 99_999);
  const method = providers.length > 1 && random.chance(secondProviderShare) ? secondMethod : "GCASH";
  const lifetimeSeconds = behaviour === "leave" ? random.between(4, 8) : random.between(14, 20);
  const context = { environment, random, merchant, paymentRequestId, currency, minor, isManual, method };
  let payRequest: MerchantRequest | undefined;
  const flowOptions = {
    flow,
    lifetimeSeconds,
    onRequest: (request: MerchantRequest) => void (payRequest = request),
  };
  return {
    merchant,
    paymentRequestId,
    request: () => payRequest,
    run: (onAccepted) => runJourney({ ...context, flowOptions, behaviour, hasLowBalance }, onAccepted),
  };
}

interface JourneyContext extends PaymentContext {
  readonly flowOptions: Parameters<typeof startPayment>[1];
  readonly behaviour: Behaviour;
  readonly hasLowBalance: boolean;
}

async function runJourney(context: JourneyContext, onAccepted: OnAccepted): Promise<void> {
  const { random, behaviour, flowOptions } = context;
  if (behaviour === "cancel before paying") await cancel(context);
  if (behaviour === "approve after cancel") await injectInquiryLag(context);
  const starting = startPayment(context, flowOptions);
  if (behaviour === "cancel" && random.chance(0.3)) await Promise.all([starting, cancel(context)]);
  const payment = await starting;
  onAccepted(payment !== undefined);
  if (payment === undefined) return;
  await waitMs(random.between(0, 1_000));
  await performBehaviour(context, payment);
}

/** Stale reads: the provider's inquiries do not find the next orders, whatever its callbacks report. */
async function injectInquiryLag(context: JourneyContext): Promise<void> {
  const { environment, method, random } = context;
  const delayMs = random.between(2_000, 8_000);
  const lagFault = { kind: "inquiry-lag", match: { verb: "submit" }, count: 3, delayMs };
  await controlProvider(context, environment.installation.providerOf(method), "faults", lagFault);
}

function cancel(context: PaymentContext): Promise<AnswerWithBody | undefined> {
  const { paymentRequestId: requestId } = context;
  return sendWithRetries(context, { verb: "cancel", requestId, body: { paymentRequestId: requestId } });
}

async function performBehaviour(context: JourneyContext, payment: StartedPayment): Promise<void> {
  const { random, behaviour } = context;
  const { paymentId, provider, needsNoBuyer } = payment;
  const actAsBuyer = async (action: string): Promise<boolean> =>
    (await controlProvider(context, provider, `payments/${paymentId}/${action}`)) !== undefined;
  switch (behaviour) {
    case "approve":
    case "approve, then cancel":
      if (!needsNoBuyer && !(await actAsBuyer("approve"))) return;
      await Promise.all([
        behaviour === "approve" && maybeDispute(context, payment),
        settleAfterPayment(context, payment),
      ]);
      return;
    case "pend, then approve":
      await actAsBuyer("pend");
      return void (await actAsBuyer(random.chance(0.8) ? "approve" : "decline"));
    case "decline":
      return void (await actAsBuyer("decline"));
    case "cancel":
      return void (await cancel(context));
    case "cancel while approving":
      return void (await Promise.all([actAsBuyer("approve"), cancel(context)]));
    case "pay on cancel":
      await controlProvider(context, provider, "faults", { kind: "pay-on-cancel", match: { paymentId } });
      return void (await cancel(context));
    case "approve after cancel":
      await controlProvider(context, provider, "faults", { kind: "late-success", match: { paymentId } });
      if ((await cancel(context))?.resultStatus === "S") await actAsBuyer("approve");
      return;
    case "leave":
    case "cancel before paying":
      return;
  }
}

/** A buyer disputes a paid payment, possibly during a refund; then the provider decides. */
async function maybeDispute(context: JourneyContext, { paymentId, provider }: StartedPayment): Promise<void> {
  const draws = context.random.fork("dispute");
  // No dispute for a payment with an authorization hold, because the captured amount is unknown here. No dispute for
  // the low-balance merchant either, because only refunds should exhaust its balance.
  if (context.isManual || context.hasLowBalance || !draws.chance(disputedShare)) return;
  await waitMs(draws.between(0, 2_000));
  if (!(await controlProvider(context, provider, `payments/${paymentId}/dispute`))) return;
  await waitMs(draws.between(0, 2_000));
  const decision = draws.pick(["judge-lost", "judge-lost", "judge-won", "cancel", "expire", "nothing"]);
  if (decision !== "nothing") await controlProvider(context, provider, `disputes/${paymentId}/${decision}`);
}

async function settleAfterPayment(
  context: JourneyContext,
  { paymentId, provider }: StartedPayment,
): Promise<void> {
  const { random, isManual, minor, behaviour, hasLowBalance } = context;
  const isRefunded = hasLowBalance || random.chance(0.2);
  const isCancelled = behaviour === "approve, then cancel";
  // Nine of ten shops wait for the webhook and do not poll.
  if (!isManual && !isRefunded && !isCancelled && random.chance(0.9)) return;
  const inquiry = await pollPayment(context, () => false);
  if (inquiry?.recordStatus !== "SUCCESS") return;
  if (isCancelled) {
    // In 40 % of the cases the provider rejects the refund after a cancel, and the merchant keeps the money.
    const rejectionFault = {
      kind: "refuse",
      match: { paymentId, verb: "refund" },
      resultCode: "RISK_REJECT",
    };
    if (random.chance(0.4)) await controlProvider(context, provider, "faults", rejectionFault);
    return void (await cancel(context));
  }

  const capturedMinor = isManual ? await capture(context, paymentId) : minor;
  if (isRefunded && capturedMinor > 0) await refund(context, paymentId, capturedMinor);
}

/** Captures in parts, one after the other; the last may exceed the hold. Returns the captured amount. */
async function capture(context: JourneyContext, paymentId: string): Promise<number> {
  const { random, minor, currency, paymentRequestId } = context;
  let capturedMinor = 0;
  for (const [index, partMinor] of splitAmount(random, minor).entries()) {
    const requestId = `${paymentRequestId}-capture-${index}`;
    const captureAmount = { currency, value: String(partMinor) };
    const body = { captureRequestId: requestId, paymentId, captureAmount };
    const answer = await sendDuplicates(context, { verb: "capture", requestId, body });
    if (answer?.resultStatus === "S") capturedMinor += partMinor;
  }
  return capturedMinor;
}

/** Refunds in parts, concurrently. Their sum may exceed the payment, or the merchant's balance. */
async function refund(context: JourneyContext, paymentId: string, capturedMinor: number): Promise<void> {
  const { random, currency, paymentRequestId, environment, hasLowBalance } = context;
  const half = Math.floor(capturedMinor / 2);
  const amounts = hasLowBalance ? [half, capturedMinor - half] : splitAmount(random, capturedMinor);
  await Promise.all(
    amounts.map(async (partMinor, index) => {
      const requestId = `${paymentRequestId}-refund-${index}`;
      const refundAmount = { currency, value: String(partMinor) };
      const refundFields = { refundRequestId: requestId, paymentId, refundAmount };
      const body = { ...refundFields, refundNotifyUrl: environment.notifyUrl };
      const answer = await sendDuplicates(context, { verb: "refund", requestId, body });
      if (answer?.resultStatus === "U")
        await sendWithRetries(context, {
          verb: "inquiryRefund",
          requestId,
          body: { refundRequestId: requestId },
        });
    }),
  );
}

/** One to three parts; in 10 % of the cases their sum exceeds the total. */
function splitAmount(random: Random, minor: number): readonly number[] {
  const count = random.between(1, 3);
  const amount = Math.floor((random.chance(0.1) ? minor * 1.5 : minor * random.pick([0.5, 0.8, 1])) / count);
  return Array.from({ length: count }, () => Math.max(1, amount));
}
