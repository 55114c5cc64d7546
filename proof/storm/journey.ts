import { setTimeout as waitMs } from "node:timers/promises";
import { cancel, makePending, settleAfterPayment } from "./after-payment.ts";
import { secondMethod, type Merchant } from "../installation/installation.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import {
  controlProvider,
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
/** Share of disputes that are a direct debit which the buyer's bank returns, so that they are lost at once. */
const returnedShare = 0.3;
/** Share of payments with an authorization hold, of those that can have one. */
const manualShare = 0.25;
/** Share of cancels before the payment that the provider does not end at once. */
const pendingCancelShare = 0.5;

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
  const isManual =
    !hasLowBalance && supportsHold && behaviour.startsWith("approve") && random.chance(manualShare);
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
        settleAfterPayment({ ...context, isCancelled: behaviour === "approve, then cancel" }, payment),
      ]);
      return;
    case "pend, then approve":
      await actAsBuyer("pend");
      return void (await actAsBuyer(random.chance(0.8) ? "approve" : "decline"));
    case "decline":
      return void (await actAsBuyer("decline"));
    case "cancel":
      if (random.chance(pendingCancelShare)) await makePending(context, payment, "cancel-pending");
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
  if (draws.chance(returnedShare))
    return void (await controlProvider(context, provider, `payments/${paymentId}/return`));
  if (!(await controlProvider(context, provider, `payments/${paymentId}/dispute`))) return;
  await waitMs(draws.between(0, 2_000));
  const decision = draws.pick(["judge-lost", "judge-lost", "judge-won", "cancel", "expire", "nothing"]);
  if (decision !== "nothing") await controlProvider(context, provider, `disputes/${paymentId}/${decision}`);
}
