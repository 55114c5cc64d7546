import { spawn } from "node:child_process";
import { styleText } from "node:util";
import { Money } from "../../../clients/typescript/src/money.ts";
import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import { shopNotifyUrl, startPayment } from "../merchant/start-payment.ts";
import { followFeed } from "../merchant/feed.ts";
import type { Key, Keys } from "./keyboard.ts";
import { createClient, createControl } from "./local-clients.ts";
import type { Ready } from "../running-file.ts";

/** The tools of the keys' actions and the state between key presses. */
interface KeyContext {
  readonly ready: Ready;
  readonly client: Tollgate;
  readonly control: ReturnType<typeof createControl>;
  /** Prints a line between the log lines. */
  show(line: string): void;
  requestStop(): void;
  /** The last created payment. */
  lastPayment?: { readonly paymentId: string; readonly page: string };
  /** Aborting `listener` stops the running `listen`; undefined if none runs. */
  listener?: AbortController | undefined;
  /** Whether the next digit key selects a fault. */
  isChoosing?: boolean;
}

interface KeyAction {
  readonly does: string;
  act(context: KeyContext): Promise<void> | void;
}

const hourSeconds = 3_600;

/** The keys in the order of the help list. Each key does the same as a command of `tollgate`. */
const keyActions: Readonly<Record<string, KeyAction>> = {
  p: { does: "start a payment", act: pay },
  a: { does: "approve the last payment, as the buyer", act: approve },
  r: { does: "refund the last payment", act: refund },
  o: { does: "open its page in a browser", act: openPage },
  w: { does: "open the portal in a browser, signed in", act: openPortal },
  l: { does: "listen: show webhooks in full; press again to stop", act: listen },
  c: { does: "advance your test clock by an hour", act: advanceClock },
  f: { does: "inject a fault", act: listFaults },
  "?": { does: "these keys", act: listKeys },
  q: { does: "quit, as Ctrl-C does", act: ({ requestStop }) => requestStop() },
};

/** Returns the keys that work in this installation: `w` (open the portal) is missing if there is no portal. */
function keyActionsFor({ portalUrl }: Ready): readonly (readonly [key: string, KeyAction])[] {
  return Object.entries(keyActions).filter(([key]) => key !== "w" || portalUrl !== undefined);
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
export function buildKeys(ready: Ready, handlers: Pick<KeyContext, "show" | "requestStop">): Keys {
  const context: KeyContext = {
    ...handlers,
    ready,
    client: createClient(ready),
    control: createControl(ready),
  };
  const digits = Object.entries(faults).map(([digit, fault]): [string, KeyAction] => [
    digit,
    { does: fault.does, act: () => injectFault(context, fault) },
  ]);
  return Object.fromEntries(
    [...digits, ...keyActionsFor(ready)].map(([key, { does, act }]): [string, Key] => [
      key,
      { does, press: () => attempt(context, act) },
    ]),
  );
}

/** Runs the action of a key. If the action fails, it prints the error as a line, and `dev` continues. */
async function attempt(context: KeyContext, act: KeyAction["act"]): Promise<void> {
  try {
    await act(context);
  } catch (error) {
    context.show(styleText("red", error instanceof Error ? error.message : String(error)));
  }
}

function showMessage({ show }: KeyContext, text: string): void {
  show(styleText("cyan", text));
}

function listKeys({ show, ready }: KeyContext): void {
  for (const [key, { does }] of keyActionsFor(ready)) show(`  ${styleText("bold", key)}  ${does}`);
}

async function pay(context: KeyContext): Promise<void> {
  const { paymentId, page } = await startPayment(context.client, { shopUrl: context.ready.shopUrl });
  context.lastPayment = { paymentId, page };
  showMessage(
    context,
    `Payment ${paymentId} is waiting. Press a to approve it, or o to open its page:\n${page}`,
  );
}

function requireLastPayment({ lastPayment }: KeyContext): string {
  if (!lastPayment) throw new Error("There is no payment yet: press p.");
  return lastPayment.paymentId;
}

async function approve(context: KeyContext): Promise<void> {
  await context.control(`payments/${requireLastPayment(context)}/approve`);
  showMessage(context, "Approved, as the buyer.");
}

async function refund(context: KeyContext): Promise<void> {
  const paymentId = requireLastPayment(context);
  const { paymentAmount: refundAmount } = await context.client.payments.inquiryPayment({ paymentId });
  if (!refundAmount) throw new Error(`Payment ${paymentId} has no amount that could be refunded.`);
  const refundRequestId = newRequestId("key");
  const refundNotifyUrl = shopNotifyUrl(context.ready.shopUrl);
  await context.client.payments.refund({ refundRequestId, paymentId, refundAmount, refundNotifyUrl });
  showMessage(context, `Gave ${Money.from(refundAmount).toString()} back.`);
}

function openPage(context: KeyContext): void {
  openAddress(context, context.lastPayment?.page ?? context.ready.baseUrl);
}

function openPortal(context: KeyContext): void {
  openAddress(context, context.ready.portalUrl ?? "");
}

function openAddress(context: KeyContext, address: string): void {
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const browser = spawn(opener, [address], { stdio: "ignore", detached: true });
  browser.once("error", () => showMessage(context, `No browser could be opened. The address is ${address}`));
  browser.unref();
}

async function listen(context: KeyContext): Promise<void> {
  if (context.listener) {
    context.listener.abort();
    context.listener = undefined;
    return showMessage(context, "No longer listening.");
  }
  const listener = new AbortController();
  context.listener = listener;
  showMessage(context, "Listening: webhooks are shown in full. Press l again to stop.");
  for await (const { kind, body } of followFeed(context.client, listener.signal))
    context.show(`${kind}  ${body}`);
}

async function advanceClock(context: KeyContext): Promise<void> {
  const request = { turnRequestId: newRequestId("key"), bySeconds: hourSeconds };
  let answer = await context.client.tollgate.advanceClock(request);
  // Repeating the same request polls the progress of the test clock.
  while (answer.isPending) answer = await context.client.tollgate.advanceClock(request);
  const { toTime = "", fired = [] } = answer;
  showMessage(
    context,
    `An hour later: your test clock shows ${toTime}. ${fired.length === 0 ? "Nothing was due." : "Due actions:"}`,
  );
  for (const { time, action, id } of fired) context.show(`  ${time}  ${action}  ${id}`);
}

function listFaults(context: KeyContext): void {
  context.isChoosing = true;
  showMessage(context, "Which fault? It occurs once.");
  for (const [digit, { does }] of Object.entries(faults)) context.show(`  ${digit}  ${does}`);
}

async function injectFault(context: KeyContext, fault: Fault): Promise<void> {
  if (!context.isChoosing) return listKeys(context);
  context.isChoosing = false;
  if ("wallet" in fault) await context.control("faults", fault.wallet);
  else
    await context.client.tollgate.orderFault({ faultRequestId: newRequestId("key"), fault: fault.gateway });
  showMessage(context, `Injected: ${fault.does}.`);
}
