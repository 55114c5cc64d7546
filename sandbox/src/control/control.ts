import { createHash, timingSafeEqual } from "node:crypto";
import { wayBack } from "../wallet/authorization.ts";
import {
  authCodeOf,
  authorizationActions,
  changeAuthorization,
  onTheWire,
} from "../wallet/change-authorization.ts";
import { decideNamed, registrationActions, type RegistrationAction } from "../wallet/decide-registration.ts";
import { isLoopback } from "../developer.ts";
import { decideDispute, disputeActions, disputePayment, type DisputeAction } from "./dispute-control.ts";
import { readBody, readObject, sendCsv, sendJson, type Exchange } from "../exchange.ts";
import { readFault } from "./fault-control.ts";
import { codeLifetimeSecondsDefault, issueCode } from "../wallet/issue-code.ts";
import { orderOnTheWire, type Order } from "../wallet/order.ts";
import { done, missing, notNow, wrong, type Outcome as Told } from "../wallet/outcome.ts";
import { actOnPayment, arrival, paymentActs, type PaymentAct } from "./payment-control.ts";
import { finishRefund } from "../wallet/pending-refunds.ts";
import { refundOnTheWire } from "../wallet/refund.ts";
import { registrationOnTheWire } from "../wallet/registration.ts";
import { settlementFile } from "../wallet/settlement-file.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { parseTime } from "../wallet/wire-time.ts";

const effectsAtOnceMax = 10_000;
const codeLifetimeSecondsMax = 365 * 24 * 3600;

/** The control API for tests and the command line. It requires a loopback address and the secret. */
export async function answerControl(wallet: Wallet, secret: string, exchange: Exchange): Promise<void> {
  const { request, response, path } = exchange;
  if (!isLoopback(request.socket.remoteAddress ?? ""))
    return sendJson(response, 403, { problem: "Control is for this machine only." });
  if (!isSecret(request.headers.authorization ?? "", secret))
    return sendJson(response, 401, { problem: "Send the control secret: Authorization: Bearer …" });

  const body = readObject(await readBody(request));
  if (!body) return sendJson(response, 400, { problem: "The body is not a JSON object." });
  const line = `${request.method} ${path}`;
  const [route, run] = commands.find(([each]) => each.test(line)) ?? [];
  if (!route || !run) return sendJson(response, 404, { problem: "There is no such command." });
  const parts = route.exec(line)?.slice(1) ?? [];
  const { status, answer } = await run(wallet, { parts, body, query: exchange.query });
  await wallet.journal.onDisk();
  return typeof answer === "string" ? sendCsv(response, answer) : sendJson(response, status, answer);
}

interface Given {
  readonly parts: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
}

/** The outcome of a command: a JSON response, or the text of a CSV file. */
type Outcome = Told | { readonly status: number; readonly answer: string };

type Command = (wallet: Wallet, given: Given) => Outcome | Promise<Outcome>;

const commands: readonly (readonly [route: RegExp, run: Command])[] = [
  [
    new RegExp(`^POST /control/payments/([A-Za-z0-9_.~-]+)/(${paymentActs.join("|")})$`),
    (wallet, { parts: [paymentId = "", name], body }) =>
      actOnPayment(wallet, paymentId, name as PaymentAct, { body, by: "control" }),
  ],
  [/^POST \/control\/refunds\/([^/]+)\/finish$/, finishRefunds],
  [
    new RegExp(`^POST /control/registrations/([^/]+)/(${registrationActions.join("|")})$`),
    decideRegistration,
  ],
  [
    new RegExp(`^POST /control/authorizations/([^/]+)/(${authorizationActions.join("|")})$`),
    actOnAuthorization,
  ],
  [
    /^POST \/control\/payments\/([A-Za-z0-9_.~-]+)\/dispute$/,
    (wallet, { parts: [paymentId = ""], body }) => disputePayment(wallet, paymentId, body),
  ],
  [
    new RegExp(`^POST /control/disputes/([A-Za-z0-9_.~-]+)/(${disputeActions.join("|")})$`),
    (wallet, { parts: [name = "", action], body }) =>
      decideDispute(wallet, name, action as DisputeAction, body),
  ],
  [/^POST \/control\/payment-codes$/, issuePaymentCode],
  [/^POST \/control\/faults$/, addFault],
  [/^GET \/control\/faults$/, ({ faults }) => done({ faults: faults.list() })],
  [/^DELETE \/control\/faults$/, clearFaults],
  [/^GET \/control\/orders$/, listOrders],
  [/^GET \/control\/effects$/, listEffects],
  [/^GET \/control\/settlement\.csv$/, writeSettlement],
];

async function finishRefunds(wallet: Wallet, { parts: [part = ""] }: Given): Promise<Outcome> {
  const refundReference = decoded(part);
  if (!wallet.book.refund(refundReference)) await arrival(wallet, `refund:${refundReference}`);

  const pending = wallet.book.pendingRefunds().filter((each) => each.refundReference === refundReference);
  for (const each of pending) finishRefund(wallet, each);
  const refund = wallet.book.refund(refundReference);
  if (!refund) return missing(`There is no refund ${refundReference}.`);
  if (pending.length > 0) return done({ refund: refundOnTheWire(refund) });
  return notNow("The refund is done.", { refund: refundOnTheWire(refund) });
}

/**
 * Decides the registration with this reference or request id. The decision about a registration that has not arrived
 * yet is stored for its arrival.
 */
function decideRegistration(wallet: Wallet, { parts: [part = "", action], body }: Given): Outcome {
  const { rejectReasons = ["The documents are not in order."] } = body;
  if (!isTexts(rejectReasons)) return wrong("rejectReasons must be a list of texts.");
  const outcome = decideNamed(wallet, decoded(part), action as RegistrationAction, rejectReasons);
  if (outcome === undefined) return done({ planned: action });
  if (typeof outcome === "string") return notNow(outcome);
  return done({ registration: registrationOnTheWire(outcome) });
}

/**
 * Changes the consent with this reference or `authState`. After consent the buyer is redirected to `redirectUrl` with
 * the code.
 */
async function actOnAuthorization(
  wallet: Wallet,
  { parts: [part = "", action], body }: Given,
): Promise<Outcome> {
  const { reason, asks, declines } = body;
  if (reason !== undefined && !isReason(reason)) return wrong("reason is a text of at most 256 characters.");
  if (asks !== undefined && typeof asks !== "boolean") return wrong("asks is true or false.");
  if (declines !== undefined && !isResultCode(declines)) return wrong("declines is a result code.");
  const name = decoded(part);
  if (!wallet.book.authorizationNamed(name)) await arrival(wallet, `authorization:${name}`);
  const authorization = wallet.book.authorizationNamed(name);
  if (!authorization) return missing(`There is no authorization ${name}.`);
  const changed = changeAuthorization(wallet, authorization, {
    event: action as (typeof authorizationActions)[number],
    by: "control",
    ...(reason !== undefined && { reason }),
    ...(asks !== undefined && { asks }),
    ...(declines !== undefined && { declines }),
  });
  if (typeof changed === "string")
    return notNow(changed, { authorization: onTheWire(wallet, authorization) });
  const redirectUrl = action === "agree" ? wayBack(changed, authCodeOf(wallet, changed)) : undefined;
  return done({
    authorization: onTheWire(wallet, changed),
    ...(redirectUrl !== undefined && { redirectUrl }),
  });
}

function issuePaymentCode(wallet: Wallet, { body }: Given): Outcome {
  const { asks = false, declines, buyer, lifetimeSeconds = codeLifetimeSecondsDefault } = body;
  if (typeof asks !== "boolean") return wrong("asks is true or false.");
  if (declines !== undefined && !isResultCode(declines)) return wrong("declines is a result code.");
  if (asks && declines !== undefined) return wrong("Use asks or declines, not both.");
  if (buyer !== undefined && !isBuyer(buyer)) return wrong("buyer is a text of at most 64 characters.");
  if (!isWhole(lifetimeSeconds) || lifetimeSeconds < 0 || lifetimeSeconds > codeLifetimeSecondsMax)
    return wrong(`lifetimeSeconds is a whole number from 0 to ${codeLifetimeSecondsMax}.`);
  const issued = issueCode(wallet, {
    lifetimeSeconds,
    ...(asks && { asks }),
    ...(declines !== undefined && { declines }),
    ...(buyer !== undefined && { buyer }),
  });
  return done(issued);
}

function addFault({ faults }: Wallet, { body }: Given): Outcome {
  const fault = readFault(body);
  if (typeof fault === "string") return wrong(fault);
  faults.add(fault);
  return done({ fault });
}

function clearFaults({ faults }: Wallet): Outcome {
  faults.clear();
  return done({});
}

function listOrders({ book, pageUrl }: Wallet, { query }: Given): Outcome {
  const paymentId = query.get("paymentId");
  const orders: readonly Order[] = paymentId === null ? book.orders() : book.ordersOfPayment(paymentId);
  return done({ orders: orders.map((order) => orderOnTheWire(order, pageUrl)) });
}

async function listEffects({ journal }: Wallet, { query }: Given): Promise<Outcome> {
  const since = Number(query.get("since") ?? "0");
  if (!isWhole(since) || since < 0) return wrong("since is the number of a line.");
  const lines = await journal.read(since, effectsAtOnceMax);
  return done({ effects: lines.map((line) => JSON.parse(line) as object), next: since + lines.length });
}

function writeSettlement({ book }: Wallet, { query }: Given): Outcome {
  const fromMs = timeIn(query, "from", 0);
  const untilMs = timeIn(query, "until", Infinity);
  if (fromMs === undefined || untilMs === undefined)
    return wrong("from and until are times in ISO 8601 with a zone; in an address + is written %2B.");
  const feeBasisPoints = Number(query.get("feeBasisPoints") ?? "0");
  if (!isWhole(feeBasisPoints) || feeBasisPoints < 0 || feeBasisPoints > 10_000)
    return wrong("feeBasisPoints is a whole number from 0 to 10000.");
  const payouts = query.get("payouts");
  if (payouts !== null && payouts !== "daily") return wrong("payouts is daily, or left out.");
  const terms = { feeBasisPoints, ...(payouts === "daily" && { paysUntilMs: Date.now() }) };
  return { status: 200, answer: settlementFile(book.movements(), { fromMs, untilMs }, terms) };
}

function timeIn(query: URLSearchParams, name: string, otherwiseMs: number): number | undefined {
  const text = query.get(name);
  return text === null ? otherwiseMs : parseTime(text);
}

/** Decodes a part of a URL, because references may be percent-encoded in it. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}

function isResultCode(value: unknown): value is string {
  return typeof value === "string" && /^[A-Z0-9_]{1,64}$/.test(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string" && each.length <= 256);
}

function isReason(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 256;
}

function isBuyer(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 64;
}

/** Constant-time comparison of digests: no timing attack can learn the length or a prefix of the secret. */
function isSecret(authorization: string, secret: string): boolean {
  return timingSafeEqual(digest(authorization), digest(`Bearer ${secret}`));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
