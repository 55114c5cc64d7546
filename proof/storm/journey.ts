import { setTimeout as waitMs } from "node:timers/promises";
import type { Answered } from "../trial/caller.ts";
import { secondMethod, type Merchant } from "../installation/installation.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import {
  control,
  inquireUntil,
  repeatedly,
  send,
  type Question,
  type Traveller,
  type World,
} from "./traveller.ts";
import { begin, waysToPay, type Begun } from "./ways-to-pay.ts";

/** The life of one payment from its request to its final status. */
export interface Journey {
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  /** Returns the request of the payment, so that it can be retried; undefined until it has been created. */
  asked(): Question | undefined;
  run(onPaid: OnPaid): Promise<void>;
}

/** The behaviour of buyers and merchants. The weights are out of a hundred. */
const fates = [
  { weight: 56, fate: "approve" },
  { weight: 4, fate: "pend, then approve" },
  { weight: 9, fate: "decline" },
  { weight: 11, fate: "leave" },
  { weight: 6, fate: "cancel" },
  { weight: 6, fate: "cancel while approving" },
  { weight: 2, fate: "pay on cancel" },
  { weight: 2, fate: "approve after cancel" },
  { weight: 2, fate: "cancel before paying" },
  { weight: 2, fate: "approve, then cancel" },
] as const;

type Fate = (typeof fates)[number]["fate"];

const currencies = ["EUR", "USD", "GBP", "JPY"];
/** Share of payments at the provider that is not idempotent. */
const secondShare = 0.25;
/** Share of payments to the merchant that refunds everything at once, so that its balance is almost always too low. */
const poorShare = 0.08;
const disputedShare = 0.06;

/** A callback that runs once, when it is known whether the gateway has accepted the payment. */
type OnPaid = (isMade: boolean) => void;

/** One buyer's payment from the order to its final status. The merchant sends every request once or several times. */
export function newJourney(world: World, random: Random, number: number): Journey {
  const { merchants, providers } = world.installation;
  const poor = merchants.at(-1);
  const isPoor = random.chance(poorShare) && poor !== undefined;
  const merchant = isPoor ? poor : random.pick(merchants.slice(0, -1));
  const { fate } = isPoor ? { fate: "approve" as const } : random.weighted(fates);
  const { way } = random.weighted(waysToPay);
  const canBeHeld = way === "page" || way === "session" || way === "token";
  const isManual = !isPoor && canBeHeld && fate.startsWith("approve") && random.chance(0.15);
  const paymentRequestId = `storm-${number}`;
  const currency = random.pick(currencies);
  const minor = random.between(100, 99_999);
  const method = providers.length > 1 && random.chance(secondShare) ? secondMethod : "GCASH";
  const lifetimeSeconds = fate === "leave" ? random.between(4, 8) : random.between(14, 20);
  const traveller = { world, random, merchant, paymentRequestId, currency, minor, isManual, method };
  let asked: Question | undefined;
  const asking = { way, lifetimeSeconds, onQuestion: (question: Question) => void (asked = question) };
  return {
    merchant,
    paymentRequestId,
    asked: () => asked,
    run: (onPaid) => travel({ ...traveller, asking, fate, isPoor }, onPaid),
  };
}

interface Travelling extends Traveller {
  readonly asking: Parameters<typeof begin>[1];
  readonly fate: Fate;
  readonly isPoor: boolean;
}

async function travel(travelling: Travelling, onPaid: OnPaid): Promise<void> {
  const { random, fate, asking } = travelling;
  if (fate === "cancel before paying") await cancel(travelling);
  if (fate === "approve after cancel") await lagBehind(travelling);
  const beginning = begin(travelling, asking);
  if (fate === "cancel" && random.chance(0.3)) await Promise.all([beginning, cancel(travelling)]);
  const begun = await beginning;
  onPaid(begun !== undefined);
  if (begun === undefined) return;
  await waitMs(random.between(0, 1_000));
  await meetFate(travelling, begun);
}

/** Stale reads: the provider's inquiries do not find the next orders, whatever its callbacks report. */
async function lagBehind(travelling: Travelling): Promise<void> {
  const { world, method, random } = travelling;
  const delayMs = random.between(2_000, 8_000);
  const lag = { kind: "inquiry-lag", match: { verb: "submit" }, count: 3, delayMs };
  await control(travelling, world.installation.providerOf(method), "faults", lag);
}

function cancel(traveller: Traveller): Promise<Answered | undefined> {
  const { paymentRequestId: requestId } = traveller;
  return send(traveller, { verb: "cancel", requestId, body: { paymentRequestId: requestId } });
}

async function meetFate(travelling: Travelling, begun: Begun): Promise<void> {
  const { random, fate } = travelling;
  const { paymentId, provider, needsNobody } = begun;
  const act = async (action: string): Promise<boolean> =>
    (await control(travelling, provider, `payments/${paymentId}/${action}`)) !== undefined;
  switch (fate) {
    case "approve":
    case "approve, then cancel":
      if (!needsNobody && !(await act("approve"))) return;
      await Promise.all([
        fate === "approve" && disputeNowAndThen(travelling, begun),
        afterPaying(travelling, begun),
      ]);
      return;
    case "pend, then approve":
      await act("pend");
      return void (await act(random.chance(0.8) ? "approve" : "decline"));
    case "decline":
      return void (await act("decline"));
    case "cancel":
      return void (await cancel(travelling));
    case "cancel while approving":
      return void (await Promise.all([act("approve"), cancel(travelling)]));
    case "pay on cancel":
      await control(travelling, provider, "faults", { kind: "pay-on-cancel", match: { paymentId } });
      return void (await cancel(travelling));
    case "approve after cancel":
      await control(travelling, provider, "faults", { kind: "late-success", match: { paymentId } });
      if ((await cancel(travelling))?.resultStatus === "S") await act("approve");
      return;
    case "leave":
    case "cancel before paying":
      return;
  }
}

/** A buyer disputes a paid payment, possibly during a refund; then the provider decides. */
async function disputeNowAndThen(travelling: Travelling, { paymentId, provider }: Begun): Promise<void> {
  const draws = travelling.random.fork("dispute");
  // No dispute for a payment with an authorization hold, because the captured amount is unknown here. No dispute for
  // the low-balance merchant either, because only refunds should exhaust its balance.
  if (travelling.isManual || travelling.isPoor || !draws.chance(disputedShare)) return;
  await waitMs(draws.between(0, 2_000));
  if (!(await control(travelling, provider, `payments/${paymentId}/dispute`))) return;
  await waitMs(draws.between(0, 2_000));
  const decided = draws.pick(["judge-lost", "judge-lost", "judge-won", "cancel", "expire", "nothing"]);
  if (decided !== "nothing") await control(travelling, provider, `disputes/${paymentId}/${decided}`);
}

async function afterPaying(travelling: Travelling, { paymentId, provider }: Begun): Promise<void> {
  const { random, isManual, minor, fate, isPoor } = travelling;
  const isRefunded = isPoor || random.chance(0.2);
  const isCancelled = fate === "approve, then cancel";
  // Nine of ten shops wait for the webhook and do not poll.
  if (!isManual && !isRefunded && !isCancelled && random.chance(0.9)) return;
  const inquired = await inquireUntil(travelling, () => false);
  if (inquired?.recordStatus !== "SUCCESS") return;
  if (isCancelled) {
    // In 40 % of the cases the provider rejects the refund after a cancel, and the merchant keeps the money.
    const no = { kind: "refuse", match: { paymentId, verb: "refund" }, resultCode: "RISK_REJECT" };
    if (random.chance(0.4)) await control(travelling, provider, "faults", no);
    return void (await cancel(travelling));
  }

  const takenMinor = isManual ? await capture(travelling, paymentId) : minor;
  if (isRefunded && takenMinor > 0) await refund(travelling, paymentId, takenMinor);
}

/** Captures in parts, one after the other; the last may exceed the hold. Returns the captured amount. */
async function capture(travelling: Travelling, paymentId: string): Promise<number> {
  const { random, minor, currency, paymentRequestId } = travelling;
  let takenMinor = 0;
  for (const [index, partMinor] of partsOf(random, minor).entries()) {
    const requestId = `${paymentRequestId}-capture-${index}`;
    const captureAmount = { currency, value: String(partMinor) };
    const body = { captureRequestId: requestId, paymentId, captureAmount };
    const answer = await repeatedly(travelling, { verb: "capture", requestId, body });
    if (answer?.resultStatus === "S") takenMinor += partMinor;
  }
  return takenMinor;
}

/** Refunds in parts, concurrently. Their sum may exceed the payment, or the merchant's balance. */
async function refund(travelling: Travelling, paymentId: string, takenMinor: number): Promise<void> {
  const { random, currency, paymentRequestId, world, isPoor } = travelling;
  const half = Math.floor(takenMinor / 2);
  const parts = isPoor ? [half, takenMinor - half] : partsOf(random, takenMinor);
  await Promise.all(
    parts.map(async (partMinor, index) => {
      const requestId = `${paymentRequestId}-refund-${index}`;
      const refundAmount = { currency, value: String(partMinor) };
      const own = { refundRequestId: requestId, paymentId, refundAmount };
      const body = { ...own, refundNotifyUrl: world.notifyUrl };
      const answer = await repeatedly(travelling, { verb: "refund", requestId, body });
      if (answer?.resultStatus === "U")
        await send(travelling, { verb: "inquiryRefund", requestId, body: { refundRequestId: requestId } });
    }),
  );
}

/** One to three parts; in 10 % of the cases their sum exceeds the total. */
function partsOf(random: Random, minor: number): readonly number[] {
  const count = random.between(1, 3);
  const part = Math.floor((random.chance(0.1) ? minor * 1.5 : minor * random.pick([0.5, 0.8, 1])) / count);
  return Array.from({ length: count }, () => Math.max(1, part));
}
