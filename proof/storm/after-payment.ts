import { setTimeout as waitMs } from "node:timers/promises";
import { providerReference } from "../../server/src/core/provider-reference.ts";
import type { AnswerWithBody } from "../trial/caller.ts";
import {
  controlProvider,
  pollPayment,
  sendDuplicates,
  sendUntil,
  sendWithRetries,
  type MerchantRequest,
  type PaymentContext,
} from "./merchant-requests.ts";
import type { StartedPayment } from "./payment-flows.ts";

/** A payment that succeeded, and how its merchant treats it. */
export interface SettlementContext extends PaymentContext {
  readonly isCancelled: boolean;
  readonly hasLowBalance: boolean;
}

type PendingFault = "capture-pending" | "refund-pending" | "cancel-pending";

/** Share of captures, refunds and cancels of a paid payment that the provider does not end at once. */
const pendingShare = 0.35;
const failedShare = 0.4;
/** Share of pending operations that have no end until the storm ends them. */
const endlessShare = 0.12;
const lapsedShare = 0.2;
/** Share of done refunds and returned payments whose money comes back. */
const returnedShare = 0.25;
/** Share of failed captures and refunds that the merchant requests again, with a new id. */
const againShare = 0.7;

/** The merchant captures, refunds or cancels a paid payment, and reacts to what fails late. */
export async function settleAfterPayment(context: SettlementContext, payment: StartedPayment): Promise<void> {
  const { random, isManual, minor, isCancelled, hasLowBalance } = context;
  const isRefunded = hasLowBalance || random.chance(0.2);
  // Nine of ten shops wait for the webhook and do not poll.
  if (!isManual && !isRefunded && !isCancelled && random.chance(0.9)) return;
  const inquiry = await pollPayment(context, () => false);
  if (inquiry?.recordStatus !== "SUCCESS") return;
  if (isCancelled) return cancelPaid(context, payment);
  const capturedMinor = isManual ? await captureHold(context, payment) : minor;
  if (isRefunded && capturedMinor > 0) await refund(context, payment, capturedMinor);
}

export function cancel(context: PaymentContext): Promise<AnswerWithBody | undefined> {
  const { paymentRequestId: requestId } = context;
  return sendWithRetries(context, { verb: "cancel", requestId, body: { paymentRequestId: requestId } });
}

/** The next such operation of this payment stays in progress at the provider, and is then done or fails. */
export async function makePending(
  context: PaymentContext,
  { paymentId, provider }: StartedPayment,
  kind: PendingFault,
): Promise<void> {
  const { random } = context;
  const isEndless = random.chance(endlessShare);
  await controlProvider(context, provider, "faults", {
    kind,
    match: { paymentId },
    count: 1,
    outcome: random.chance(failedShare) ? "FAILED" : "DONE",
    ...(!isEndless && { delayMs: random.between(200, 6_000) }),
  });
}

/** Cancels a paid payment. The provider rejects some cancels, ends some later, and gets the money of some back. */
async function cancelPaid(context: SettlementContext, payment: StartedPayment): Promise<void> {
  const { random, isManual } = context;
  const { paymentId, provider } = payment;
  const isRejected = random.chance(0.3);
  // If the provider rejects the refund after a cancel, the merchant keeps the money.
  const rejection = { kind: "refuse", match: { paymentId, verb: "refund" }, resultCode: "RISK_REJECT" };
  if (isRejected) await controlProvider(context, provider, "faults", rejection);
  else if (random.chance(pendingShare))
    await makePending(context, payment, isManual ? "cancel-pending" : "refund-pending");
  const answer = await cancel(context);
  if (answer?.resultStatus !== "S" || isManual || !random.chance(2 * returnedShare)) return;
  await failDoneRefund(context, payment, "cancel", paymentId);
}

/** Captures in parts, or loses the hold before all of it is captured. Returns the captured amount. */
async function captureHold(context: SettlementContext, payment: StartedPayment): Promise<number> {
  const { random, minor } = context;
  const parts = splitAmount(random, minor);
  const isLapsed = random.chance(lapsedShare);
  const capturedParts = isLapsed ? parts.slice(0, random.between(0, parts.length - 1)) : parts;
  const results: Promise<number>[] = [];
  for (const [index, partMinor] of capturedParts.entries()) {
    if (random.chance(pendingShare)) await makePending(context, payment, "capture-pending");
    const result = capturePart(context, payment, `capture-${index}`, partMinor);
    results.push(result);
    // Some merchants capture the next part while this one is in progress.
    if (random.chance(0.6)) await result;
  }
  if (isLapsed) await lapse(context, payment);
  return (await Promise.all(results)).reduce((sum, each) => sum + each, 0);
}

/** Requests one capture, and after a failure sometimes another one. Returns the captured amount. */
async function capturePart(
  context: SettlementContext,
  { paymentId }: StartedPayment,
  name: string,
  partMinor: number,
): Promise<number> {
  const { random, currency, paymentRequestId } = context;
  const requestOf = (requestId: string): MerchantRequest => {
    const captureAmount = { currency, value: String(partMinor) };
    return { verb: "capture", requestId, body: { captureRequestId: requestId, paymentId, captureAmount } };
  };
  const isEnded = ({ resultStatus }: AnswerWithBody): boolean => resultStatus !== "U";
  for (const request of [name, `${name}-again`].map((each) => requestOf(`${paymentRequestId}-${each}`))) {
    const answer = await sendDuplicates(context, request);
    const last = answer && isEnded(answer) ? answer : await sendUntil(context, request, isEnded);
    if (last?.resultStatus === "S") return partMinor;
    // Without an id the gateway has rejected the capture, and would reject it again.
    if (last?.resultStatus !== "F" || last.id === undefined || !random.chance(againShare)) return 0;
  }
  return 0;
}

/** The hold lapses at the provider. A merchant that knows this captures nevertheless, and must be rejected. */
async function lapse(context: SettlementContext, payment: StartedPayment): Promise<void> {
  const { environment, merchant, currency, paymentRequestId, random } = context;
  const { paymentId, provider } = payment;
  await waitMs(random.between(0, 1_000));
  if (!(await controlProvider(context, provider, `payments/${paymentId}/lapse`))) return;
  // This capture and the gateway's report of the lapse race.
  if (random.chance(0.5)) await capturePart(context, payment, "capture-at-lapse", 1);
  const inquiry = {
    verb: "inquiryPayment",
    requestId: paymentRequestId,
    body: { paymentRequestId },
  } as const;
  const answer = await sendUntil(context, inquiry, ({ json }) => json["authReleaseTime"] !== undefined);
  if (answer?.json["authReleaseTime"] === undefined) return;
  const requestId = `${paymentRequestId}-capture-late`;
  environment.history.lateCaptures.push({ clientId: merchant.clientId, requestId });
  const captureAmount = { currency, value: "1" };
  const body = { captureRequestId: requestId, paymentId, captureAmount };
  await sendWithRetries(context, { verb: "capture", requestId, body });
}

/** Refunds in parts, concurrently. Their sum may exceed the payment, or the merchant's balance. */
async function refund(
  context: SettlementContext,
  payment: StartedPayment,
  capturedMinor: number,
): Promise<void> {
  const { random, hasLowBalance } = context;
  const half = Math.floor(capturedMinor / 2);
  const amounts = hasLowBalance ? [half, capturedMinor - half] : splitAmount(random, capturedMinor);
  await Promise.all(
    amounts.map((partMinor, index) => refundPart(context, payment, `refund-${index}`, partMinor)),
  );
}

/** Requests one refund. If it fails, also after it was done, the merchant sometimes requests another one. */
async function refundPart(
  context: SettlementContext,
  payment: StartedPayment,
  name: string,
  partMinor: number,
): Promise<void> {
  const { random, currency, paymentRequestId, environment } = context;
  for (const requestId of [name, `${name}-again`].map((each) => `${paymentRequestId}-${each}`)) {
    if (random.chance(pendingShare)) await makePending(context, payment, "refund-pending");
    const refundAmount = { currency, value: String(partMinor) };
    const refundFields = { refundRequestId: requestId, paymentId: payment.paymentId, refundAmount };
    const body = { ...refundFields, refundNotifyUrl: environment.notifyUrl };
    const answer = await sendDuplicates(context, { verb: "refund", requestId, body });
    if (answer?.id === undefined) return;
    const inquiry = { verb: "inquiryRefund", requestId, body: { refundRequestId: requestId } } as const;
    const isRefunded = ({ recordStatus }: AnswerWithBody): boolean => recordStatus === "SUCCESS";
    const isFailed = ({ recordStatus }: AnswerWithBody): boolean => recordStatus === "FAIL";
    if (answer.resultStatus !== "F") {
      const ended = await sendUntil(context, inquiry, (each) => isRefunded(each) || isFailed(each));
      if (ended && isRefunded(ended)) {
        if (!random.chance(returnedShare)) return;
        await failDoneRefund(context, payment, "refund", requestId);
        await sendUntil(context, inquiry, isFailed);
      } else if (!ended || !isFailed(ended)) return;
    }
    if (!random.chance(againShare)) return;
  }
}

/** The buyer's bank returns the money of a refund that is done. */
async function failDoneRefund(
  context: PaymentContext,
  { provider }: StartedPayment,
  action: "refund" | "cancel",
  requestId: string,
): Promise<void> {
  const { environment, merchant, random } = context;
  const environmentName = environment.installation.isLive ? "live" : "sandbox";
  const reference = providerReference(environmentName, merchant.clientId, action, requestId);
  await waitMs(random.between(0, 2_000));
  await controlProvider(context, provider, `refunds/${reference}/fail`);
}

/** One to three parts; in 10 % of the cases their sum exceeds the total. */
function splitAmount(random: PaymentContext["random"], minor: number): readonly number[] {
  const count = random.between(1, 3);
  const amount = Math.floor((random.chance(0.1) ? minor * 1.5 : minor * random.pick([0.5, 0.8, 1])) / count);
  return Array.from({ length: count }, () => Math.max(1, amount));
}
