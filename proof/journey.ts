import { setTimeout as waitMs } from "node:timers/promises";
import type { Caller } from "./caller.ts";
import type { Answer, Verb } from "./history.ts";
import type { Installation, Merchant } from "./installation.ts";
import type { Random } from "./random.ts";

/** Which operations this build of the gateway has. */
export interface Offered {
  readonly refunds: boolean;
  readonly captures: boolean;
}

/** What a journey needs of the world around it. */
export interface World {
  readonly installation: Installation;
  readonly caller: Caller;
  readonly offered: Offered;
  readonly notifyUrl: string;
  /** False once everybody has to come to an end. */
  readonly goesOn: () => boolean;
}

/** A payment that was asked for, and how it can be asked for again. */
export interface Journey {
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  readonly payBody: object;
}

/** What buyers and merchants do. The weights are out of a hundred. */
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
const tryAgainMs = [200, 500, 1_000, 2_000, 3_000];
const triesMax = 12;
const controlTriesMax = 4;

/** Told once, when it is known whether the gateway has taken the payment. */
type OnPaid = (isMade: boolean) => void;

/** One buyer's payment from the order to its end, with a merchant that sends everything once or several times. */
export function newJourney(
  world: World,
  random: Random,
  number: number,
): Journey & { run(onPaid: OnPaid): Promise<void> } {
  const { merchants } = world.installation;
  const merchant = random.pick(merchants);
  const { fate } = random.weighted(fates);
  const isManual = world.offered.captures && fate.startsWith("approve") && random.chance(0.15);
  const paymentRequestId = `storm-${number}`;
  const currency = random.pick(currencies);
  const minor = random.between(100, 99_999);
  const lifetimeSeconds = fate === "leave" ? random.between(4, 8) : random.between(14, 20);
  const payBody = {
    ...payRequest(paymentRequestId, { currency, value: String(minor) }, world.notifyUrl),
    paymentExpiryTime: wireTime(Date.now() + lifetimeSeconds * 1_000),
    ...(isManual && { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } }),
  };
  const traveller = { world, random, merchant, paymentRequestId, currency, minor, isManual };
  return { merchant, paymentRequestId, payBody, run: (onPaid) => travel(traveller, payBody, fate, onPaid) };
}

interface Traveller {
  readonly world: World;
  readonly random: Random;
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  readonly currency: string;
  readonly minor: number;
  readonly isManual: boolean;
}

async function travel(traveller: Traveller, payBody: object, fate: Fate, onPaid: OnPaid): Promise<void> {
  const { random, paymentRequestId } = traveller;
  const cancel = (): Promise<Answer | undefined> =>
    send(traveller, "cancel", paymentRequestId, { paymentRequestId });
  if (fate === "cancel before paying") await cancel();
  const paying = repeatedly(traveller, "pay", paymentRequestId, payBody);
  if (fate === "cancel" && random.chance(0.3)) await Promise.all([paying, cancel()]);
  const paymentId = (await paying)?.id;
  onPaid(paymentId !== undefined);
  if (paymentId === undefined) return;

  await waitMs(random.between(0, 1_000));
  const act = (action: string): Promise<boolean> => control(traveller, paymentId, action);
  switch (fate) {
    case "approve":
    case "approve, then cancel":
      if (!(await act("approve"))) return;
      await Promise.all([
        fate === "approve" ? disputeNowAndThen(traveller, paymentId) : undefined,
        afterPaying(traveller, paymentId, fate),
      ]);
      return;
    case "pend, then approve":
      await act("pend");
      return void (await act(random.chance(0.8) ? "approve" : "decline"));
    case "decline":
      return void (await act("decline"));
    case "cancel":
      return void (await cancel());
    case "cancel while approving":
      return void (await Promise.all([act("approve"), cancel()]));
    case "pay on cancel":
      await fault(traveller, { kind: "pay-on-cancel", match: { paymentId } });
      return void (await cancel());
    case "approve after cancel":
      await fault(traveller, { kind: "late-success", match: { paymentId } });
      if ((await cancel())?.resultStatus === "S") await act("approve");
      return;
    case "leave":
    case "cancel before paying":
      return;
  }
}

/** A buyer disputes what was paid, while its merchant may be refunding it, and the wallet decides. */
async function disputeNowAndThen(traveller: Traveller, paymentId: string): Promise<void> {
  const draws = traveller.random.fork("dispute");
  // Of what is held, nobody here knows how much was captured.
  if (traveller.isManual || !draws.chance(0.06)) return;
  await waitMs(draws.between(0, 2_000));
  if (!(await control(traveller, paymentId, "dispute"))) return;
  await waitMs(draws.between(0, 2_000));
  const decided = draws.pick(["judge-lost", "judge-lost", "judge-won", "cancel", "expire", "nothing"]);
  if (decided !== "nothing") await controlAt(traveller, `disputes/${paymentId}/${decided}`);
}

async function afterPaying(traveller: Traveller, paymentId: string, fate: Fate): Promise<void> {
  const { world, random, paymentRequestId, isManual, minor } = traveller;
  const isRefunded = world.offered.refunds && random.chance(0.2);
  const isCancelled = fate === "approve, then cancel";
  // Most shops wait for the notification.
  if (!isManual && !isRefunded && !isCancelled && random.chance(0.9)) return;
  if (!(await untilPaid(traveller))) return;
  if (isCancelled) return void (await send(traveller, "cancel", paymentRequestId, { paymentRequestId }));

  const takenMinor = isManual ? await capture(traveller, paymentId) : minor;
  if (isRefunded && takenMinor > 0) await refund(traveller, paymentId, takenMinor);
}

/** In parts, one after the other; the last may ask for more than is held. Gives what was taken. */
async function capture(traveller: Traveller, paymentId: string): Promise<number> {
  const { random, minor, currency, paymentRequestId } = traveller;
  let takenMinor = 0;
  for (const [index, partMinor] of partsOf(random, minor).entries()) {
    const captureRequestId = `${paymentRequestId}-capture-${index}`;
    const captureAmount = { currency, value: String(partMinor) };
    const body = { captureRequestId, paymentId, captureAmount };
    const answer = await repeatedly(traveller, "capture", captureRequestId, body);
    if (answer?.resultStatus === "S") takenMinor += partMinor;
  }
  return takenMinor;
}

/** In parts, all at once. Together they may ask for more than there is. */
async function refund(traveller: Traveller, paymentId: string, takenMinor: number): Promise<void> {
  const { random, currency, paymentRequestId, world } = traveller;
  await Promise.all(
    partsOf(random, takenMinor).map(async (partMinor, index) => {
      const refundRequestId = `${paymentRequestId}-refund-${index}`;
      const refundAmount = { currency, value: String(partMinor) };
      const body = { refundRequestId, paymentId, refundAmount, refundNotifyUrl: world.notifyUrl };
      const answer = await repeatedly(traveller, "refund", refundRequestId, body);
      if (answer?.resultStatus === "U")
        await send(traveller, "inquiryRefund", refundRequestId, { refundRequestId });
    }),
  );
}

/** From one to three parts; every tenth time they are more than the whole. */
function partsOf(random: Random, minor: number): readonly number[] {
  const count = random.between(1, 3);
  const part = Math.floor((random.chance(0.1) ? minor * 1.5 : minor * random.pick([0.5, 0.8, 1])) / count);
  return Array.from({ length: count }, () => Math.max(1, part));
}

/** The same request from one to five times, at random moments and over both doors; gives what the first came to. */
async function repeatedly(
  traveller: Traveller,
  verb: Verb,
  requestId: string,
  body: object,
): Promise<Answer | undefined> {
  const { random, world } = traveller;
  const first = send(traveller, verb, requestId, body);
  const times = random.pick([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5]);
  const others = Array.from({ length: times - 1 }, async () => {
    await waitMs(random.chance(0.3) ? 0 : random.between(1, 3_000));
    if (world.goesOn()) await once(traveller, verb, requestId, body);
  });
  // They go their own way; whoever asked waits for the first only.
  void Promise.all(others);
  return first;
}

/** Asks until there is an answer that says more than "ask again", as any client library would. */
async function send(
  traveller: Traveller,
  verb: Verb,
  requestId: string,
  body: object,
): Promise<Answer | undefined> {
  let answer: Answer | undefined;
  for (let tries = 0; tries < triesMax && traveller.world.goesOn(); tries += 1) {
    answer = await once(traveller, verb, requestId, body);
    if (answer && !isWorthAnotherTry(answer)) return answer;
    await waitMs(tryAgainMs[Math.min(tries, tryAgainMs.length - 1)] ?? 0);
  }
  return answer;
}

/** Nobody knows, or nothing was recorded because the wallet could not be reached. */
function isWorthAnotherTry({ id, resultStatus, resultCode }: Answer): boolean {
  return id === undefined && (resultStatus === "U" || resultCode === "UNAVAILABLE_PAYMENT_METHOD");
}

function once(
  { world, random, merchant }: Traveller,
  verb: Verb,
  requestId: string,
  body: object,
): Promise<Answer | undefined> {
  const { port } = random.pick(world.installation.lines.merchantsToServe);
  return world.caller.call({ verb, merchant, requestId, body, port });
}

/** Inquires until the payment has ended. */
async function untilPaid(traveller: Traveller): Promise<boolean> {
  const { paymentRequestId } = traveller;
  for (let tries = 0; tries < triesMax && traveller.world.goesOn(); tries += 1) {
    await waitMs(tryAgainMs[Math.min(tries, tryAgainMs.length - 1)] ?? 0);
    const answer = await once(traveller, "inquiryPayment", paymentRequestId, { paymentRequestId });
    if (answer?.recordStatus === "SUCCESS") return true;
    if (answer?.recordStatus === "FAIL" || answer?.recordStatus === "CANCELLED") return false;
  }
  return false;
}

/** What the buyer does. Whether the wallet let it happen; it waits for an order that is on its way by itself. */
function control(traveller: Traveller, paymentId: string, action: string): Promise<boolean> {
  return controlAt(traveller, `payments/${paymentId}/${action}`);
}

async function controlAt({ world }: Traveller, path: string): Promise<boolean> {
  for (let tries = 0; tries < controlTriesMax && world.goesOn(); tries += 1) {
    const status = await world.installation.control("POST", `/control/${path}`).catch(() => 0);
    if (status !== 0) return status === 200;
    await waitMs(500);
  }
  return false;
}

async function fault({ world }: Traveller, body: object): Promise<void> {
  await world.installation.control("POST", "/control/faults", body).catch(() => undefined);
}

function wireTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`;
}

function payRequest(paymentRequestId: string, amount: object, notifyUrl: string): object {
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl: notifyUrl,
    env: { terminalType: "WEB" },
  };
}
