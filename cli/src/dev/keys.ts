import { spawn } from "node:child_process";
import { styleText } from "node:util";
import { Money } from "../../../clients/typescript/src/money.ts";
import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import { shopNotifyUrl, startPayment } from "../merchant/start-payment.ts";
import { feedOf } from "../merchant/feed.ts";
import type { Key, Keys } from "./keyboard.ts";
import { clientOf, controlOf } from "./own-gateway.ts";
import type { Ready } from "../running.ts";

/** The tools of the keys' actions and the state between key presses. */
interface KeyContext {
  readonly ready: Ready;
  readonly client: Tollgate;
  readonly control: ReturnType<typeof controlOf>;
  /** Prints a line between the log lines. */
  show(line: string): void;
  leave(): void;
  /** The last created payment. */
  last?: { readonly paymentId: string; readonly page: string };
  /** Aborting `ear` stops the running `listen`; undefined if none runs. */
  ear?: AbortController | undefined;
  /** Whether the next digit key selects a fault. */
  isChoosing?: boolean;
}

interface Named {
  readonly does: string;
  act(hands: KeyContext): Promise<void> | void;
}

const hourSeconds = 3_600;

/** The keys in the order of the help list. Each key does the same as a command of `tollgate`. */
const named: Readonly<Record<string, Named>> = {
  p: { does: "start a payment", act: pay },
  a: { does: "approve the last payment, as the buyer", act: approve },
  r: { does: "refund the last payment", act: refund },
  o: { does: "open its page in a browser", act: openPage },
  w: { does: "open the portal in a browser, signed in", act: openPortal },
  l: { does: "listen: show webhooks in full; press again to stop", act: listen },
  c: { does: "advance your test clock by an hour", act: moveClock },
  f: { does: "inject a fault", act: offerFaults },
  "?": { does: "these keys", act: listKeys },
  q: { does: "quit, as Ctrl-C does", act: ({ leave }) => leave() },
};

/** Returns the keys that work in this installation: `w` (open the portal) is missing if there is no portal. */
function namedFor({ portalUrl }: Ready): readonly (readonly [key: string, Named])[] {
  return Object.entries(named).filter(([key]) => key !== "w" || portalUrl !== undefined);
}

/** The faults by their digit key: each is a fault of the provider or a fault of webhooks. */
const faults = {
  "1": { does: "the wallet pays, and its response is lost", wallet: { kind: "answer-lost" } },
  "2": { does: "the wallet answers with HTTP 500", wallet: { kind: "error-500" } },
  "3": { does: "a refund takes three seconds", wallet: { kind: "refund-pending", delayMs: 3_000 } },
  "4": { does: "a webhook is sent twice", gateway: "DUPLICATE" },
  "5": { does: "a webhook is lost, and repeated later", gateway: "DROP" },
  "6": { does: "a webhook has an invalid signature", gateway: "CORRUPT_SIGNATURE" },
} as const;

type Fault = (typeof faults)[keyof typeof faults];

/** The keys of a running `dev`. */
export function keysOf(ready: Ready, given: Pick<KeyContext, "show" | "leave">): Keys {
  const hands: KeyContext = { ...given, ready, client: clientOf(ready), control: controlOf(ready) };
  const digits = Object.entries(faults).map(([digit, fault]): [string, Named] => [
    digit,
    { does: fault.does, act: () => orderFault(hands, fault) },
  ]);
  return Object.fromEntries(
    [...digits, ...namedFor(ready)].map(([key, { does, act }]): [string, Key] => [
      key,
      { does, press: () => attempt(hands, act) },
    ]),
  );
}

/** Runs the action of a key. If the action fails, it prints the error as a line, and `dev` continues. */
async function attempt(hands: KeyContext, act: Named["act"]): Promise<void> {
  try {
    await act(hands);
  } catch (error) {
    hands.show(styleText("red", error instanceof Error ? error.message : String(error)));
  }
}

function say({ show }: KeyContext, text: string): void {
  show(styleText("cyan", text));
}

function listKeys({ show, ready }: KeyContext): void {
  for (const [key, { does }] of namedFor(ready)) show(`  ${styleText("bold", key)}  ${does}`);
}

async function pay(hands: KeyContext): Promise<void> {
  const { paymentId, page } = await startPayment(hands.client, { shopUrl: hands.ready.shopUrl });
  hands.last = { paymentId, page };
  say(hands, `Payment ${paymentId} is waiting. Press a to approve it, or o to open its page:\n${page}`);
}

function lastPaymentOf({ last }: KeyContext): string {
  if (!last) throw new Error("There is no payment yet: press p.");
  return last.paymentId;
}

async function approve(hands: KeyContext): Promise<void> {
  await hands.control(`payments/${lastPaymentOf(hands)}/approve`);
  say(hands, "Approved, as the buyer.");
}

async function refund(hands: KeyContext): Promise<void> {
  const paymentId = lastPaymentOf(hands);
  const { paymentAmount: refundAmount } = await hands.client.payments.inquiryPayment({ paymentId });
  if (!refundAmount) throw new Error(`Payment ${paymentId} has no amount that could be refunded.`);
  const refundRequestId = newRequestId("key");
  const refundNotifyUrl = shopNotifyUrl(hands.ready.shopUrl);
  await hands.client.payments.refund({ refundRequestId, paymentId, refundAmount, refundNotifyUrl });
  say(hands, `Gave ${Money.from(refundAmount).toString()} back.`);
}

function openPage(hands: KeyContext): void {
  openAddress(hands, hands.last?.page ?? hands.ready.baseUrl);
}

function openPortal(hands: KeyContext): void {
  openAddress(hands, hands.ready.portalUrl ?? "");
}

function openAddress(hands: KeyContext, address: string): void {
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const browser = spawn(opener, [address], { stdio: "ignore", detached: true });
  browser.once("error", () => say(hands, `No browser could be opened. The address is ${address}`));
  browser.unref();
}

async function listen(hands: KeyContext): Promise<void> {
  if (hands.ear) {
    hands.ear.abort();
    hands.ear = undefined;
    return say(hands, "No longer listening.");
  }
  const ear = new AbortController();
  hands.ear = ear;
  say(hands, "Listening: webhooks are shown in full. Press l again to stop.");
  for await (const { kind, body } of feedOf(hands.client, ear.signal)) hands.show(`${kind}  ${body}`);
}

async function moveClock(hands: KeyContext): Promise<void> {
  const turn = { turnRequestId: newRequestId("key"), bySeconds: hourSeconds };
  let answer = await hands.client.tollgate.advanceClock(turn);
  // Repeating the same request polls the progress of the test clock.
  while (answer.isPending) answer = await hands.client.tollgate.advanceClock(turn);
  const { toTime = "", fired = [] } = answer;
  say(
    hands,
    `An hour later: your test clock shows ${toTime}. ${fired.length === 0 ? "Nothing was due." : "Due actions:"}`,
  );
  for (const { time, action, id } of fired) hands.show(`  ${time}  ${action}  ${id}`);
}

function offerFaults(hands: KeyContext): void {
  hands.isChoosing = true;
  say(hands, "Which fault? It occurs once.");
  for (const [digit, { does }] of Object.entries(faults)) hands.show(`  ${digit}  ${does}`);
}

async function orderFault(hands: KeyContext, fault: Fault): Promise<void> {
  if (!hands.isChoosing) return listKeys(hands);
  hands.isChoosing = false;
  if ("wallet" in fault) await hands.control("faults", fault.wallet);
  else await hands.client.tollgate.orderFault({ faultRequestId: newRequestId("key"), fault: fault.gateway });
  say(hands, `Injected: ${fault.does}.`);
}
