import { createHash, timingSafeEqual } from "node:crypto";
import { consentRedirectUrl } from "../wallet/authorization.ts";
import {
  authCodeOf,
  authorizationActions,
  changeAuthorization,
  onTheWire,
} from "../wallet/change-authorization.ts";
import { decideByName, registrationActions, type RegistrationAction } from "../wallet/decide-registration.ts";
import { isLoopback } from "../developer.ts";
import {
  decideDispute,
  disputeActions,
  disputePayment,
  returnPayment,
  type DisputeAction,
} from "./dispute-control.ts";
import { readBody, readObject, sendCsv, sendJson, type Exchange } from "../exchange.ts";
import { readFault } from "./fault-control.ts";
import { codeLifetimeSecondsDefault, issueCode } from "../wallet/issue-code.ts";
import type { MoneyKind } from "../wallet/money-record.ts";
import { dataGroups, isDataGroup } from "../wallet/order-data.ts";
import { orderOnTheWire, type Order } from "../wallet/order.ts";
import { endCancelOfPayment, endMoneyRecords } from "./operation-control.ts";
import { ok, notFound, conflict, badRequest, type Outcome as JsonOutcome } from "../wallet/outcome.ts";
import { actOnPayment, waitForArrival, paymentActions, type PaymentAction } from "./payment-control.ts";
import { registrationOnTheWire } from "../wallet/registration.ts";
import { settlementFile } from "../wallet/settlement-file.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { parseTime } from "../wallet/wire-time.ts";

const effectsAtOnceMax = 10_000;
const codeLifetimeSecondsMax = 365 * 24 * 3600;

/** The control API for tests and the command line. It requires a loopback address and the secret. */
export async function handleControlRequest(
  wallet: Wallet,
  secret: string,
  exchange: Exchange,
): Promise<void> {
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

interface CommandInput {
  readonly parts: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
}

/** The outcome of a command: a JSON response, or the text of a CSV file. */
type Outcome = JsonOutcome | { readonly status: number; readonly answer: string };

type Command = (wallet: Wallet, input: CommandInput) => Outcome | Promise<Outcome>;

const commands: readonly (readonly [route: RegExp, run: Command])[] = [
  [
    new RegExp(`^POST /control/payments/([A-Za-z0-9_.~-]+)/(${paymentActions.join("|")})$`),
    (wallet, { parts: [paymentId = "", name], body }) =>
      actOnPayment(wallet, paymentId, name as PaymentAction, { body, by: "control" }),
  ],
  [
    /^POST \/control\/payments\/([A-Za-z0-9_.~-]+)\/(finish|fail)-cancel$/,
    (wallet, { parts: [paymentId = "", action], body }) =>
      withResultCode(body, (resultCode) =>
        endCancelOfPayment(wallet, paymentId, action === "fail" ? resultCode : undefined),
      ),
  ],
  [
    /^POST \/control\/(capture|refund)s\/([^/]+)\/(finish|fail)$/,
    (wallet, { parts: [kind, part = "", action], body }) =>
      withResultCode(body, (resultCode) =>
        endMoneyRecords(wallet, kind as MoneyKind, {
          moneyReference: decodePart(part),
          failsWith: action === "fail" ? resultCode : undefined,
        }),
      ),
  ],
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
    /^POST \/control\/payments\/([A-Za-z0-9_.~-]+)\/return$/,
    (wallet, { parts: [paymentId = ""] }) => returnPayment(wallet, paymentId),
  ],
  [
    new RegExp(`^POST /control/disputes/([A-Za-z0-9_.~-]+)/(${disputeActions.join("|")})$`),
    (wallet, { parts: [name = "", action], body }) =>
      decideDispute(wallet, name, action as DisputeAction, body),
  ],
  [/^POST \/control\/payment-codes$/, issuePaymentCode],
  [/^POST \/control\/facts$/, changeFacts],
  [/^POST \/control\/faults$/, addFault],
  [/^GET \/control\/faults$/, ({ faults }) => ok({ faults: faults.list() })],
  [/^DELETE \/control\/faults$/, clearFaults],
  [/^GET \/control\/orders$/, listOrders],
  [/^GET \/control\/effects$/, listEffects],
  [/^GET \/control\/settlement\.csv$/, exportSettlement],
];

/** Reads the optional result code of a failure. */
function withResultCode(
  { resultCode = "PROCESS_FAIL" }: CommandInput["body"],
  run: (resultCode: string) => Promise<Outcome>,
): Outcome | Promise<Outcome> {
  return isResultCode(resultCode) ? run(resultCode) : badRequest("resultCode is a result code.");
}

/**
 * Decides the registration with this reference or request id. The decision about a registration that has not arrived
 * yet is stored for its arrival.
 */
function decideRegistration(wallet: Wallet, { parts: [part = "", action], body }: CommandInput): Outcome {
  const { rejectReasons = ["The documents are not in order."] } = body;
  if (!isTextList(rejectReasons)) return badRequest("rejectReasons must be a list of texts.");
  const outcome = decideByName(wallet, decodePart(part), action as RegistrationAction, rejectReasons);
  if (outcome === undefined) return ok({ planned: action });
  if (typeof outcome === "string") return conflict(outcome);
  return ok({ registration: registrationOnTheWire(outcome) });
}

/**
 * Changes the consent with this reference or `authState`. After consent the buyer is redirected to `redirectUrl` with
 * the code.
 */
async function actOnAuthorization(
  wallet: Wallet,
  { parts: [part = "", action], body }: CommandInput,
): Promise<Outcome> {
  const { reason, asks, declines } = body;
  if (reason !== undefined && !isReason(reason))
    return badRequest("reason is a text of at most 256 characters.");
  if (asks !== undefined && typeof asks !== "boolean") return badRequest("asks is true or false.");
  if (declines !== undefined && !isResultCode(declines)) return badRequest("declines is a result code.");
  const name = decodePart(part);
  if (!wallet.projection.authorizationNamed(name)) await waitForArrival(wallet, `authorization:${name}`);
  const authorization = wallet.projection.authorizationNamed(name);
  if (!authorization) return notFound(`There is no authorization ${name}.`);
  const changed = changeAuthorization(wallet, authorization, {
    event: action as (typeof authorizationActions)[number],
    by: "control",
    ...(reason !== undefined && { reason }),
    ...(asks !== undefined && { asks }),
    ...(declines !== undefined && { declines }),
  });
  if (typeof changed === "string")
    return conflict(changed, { authorization: onTheWire(wallet, authorization) });
  const redirectUrl =
    action === "agree" ? consentRedirectUrl(changed, authCodeOf(wallet, changed)) : undefined;
  return ok({
    authorization: onTheWire(wallet, changed),
    ...(redirectUrl !== undefined && { redirectUrl }),
  });
}

function issuePaymentCode(wallet: Wallet, { body }: CommandInput): Outcome {
  const { asks = false, declines, buyer, lifetimeSeconds = codeLifetimeSecondsDefault } = body;
  if (typeof asks !== "boolean") return badRequest("asks is true or false.");
  if (declines !== undefined && !isResultCode(declines)) return badRequest("declines is a result code.");
  if (asks && declines !== undefined) return badRequest("Use asks or declines, not both.");
  if (buyer !== undefined && !isBuyer(buyer)) return badRequest("buyer is a text of at most 64 characters.");
  if (!isWhole(lifetimeSeconds) || lifetimeSeconds < 0 || lifetimeSeconds > codeLifetimeSecondsMax)
    return badRequest(`lifetimeSeconds is a whole number from 0 to ${codeLifetimeSecondsMax}.`);
  const issued = issueCode(wallet, {
    lifetimeSeconds,
    ...(asks && { asks }),
    ...(declines !== undefined && { declines }),
    ...(buyer !== undefined && { buyer }),
  });
  return ok(issued);
}

/** Changes the groups of data that the facts want. The gateway reads the facts again with `connector refresh`. */
function changeFacts(wallet: Wallet, { body: { wants } }: CommandInput): Outcome {
  if (!Array.isArray(wants) || !wants.every(isDataGroup))
    return badRequest(`wants is a list of ${dataGroups.join(", ")}.`);
  wallet.wants.clear();
  for (const group of wants) wallet.wants.add(group);
  return ok({ wants });
}

function addFault({ faults }: Wallet, { body }: CommandInput): Outcome {
  const fault = readFault(body);
  if (typeof fault === "string") return badRequest(fault);
  faults.add(fault);
  return ok({ fault });
}

function clearFaults({ faults }: Wallet): Outcome {
  faults.clear();
  return ok({});
}

function listOrders({ projection, pageUrl }: Wallet, { query }: CommandInput): Outcome {
  const paymentId = query.get("paymentId");
  const orders: readonly Order[] =
    paymentId === null ? projection.orders() : projection.ordersOfPayment(paymentId);
  return ok({
    orders: orders.map((order) => ({
      ...orderOnTheWire(order, pageUrl),
      ...(order.dataGroups && { dataGroups: order.dataGroups }),
    })),
  });
}

async function listEffects({ journal }: Wallet, { query }: CommandInput): Promise<Outcome> {
  const since = Number(query.get("since") ?? "0");
  if (!isWhole(since) || since < 0) return badRequest("since is the number of a line.");
  const lines = await journal.read(since, effectsAtOnceMax);
  return ok({ effects: lines.map((line) => JSON.parse(line) as object), next: since + lines.length });
}

function exportSettlement({ projection }: Wallet, { query }: CommandInput): Outcome {
  const fromMs = readTimeParameter(query, "from", 0);
  const untilMs = readTimeParameter(query, "until", Infinity);
  if (fromMs === undefined || untilMs === undefined)
    return badRequest("from and until are times in ISO 8601 with a zone; in an address + is written %2B.");
  const feeBasisPoints = Number(query.get("feeBasisPoints") ?? "0");
  if (!isWhole(feeBasisPoints) || feeBasisPoints < 0 || feeBasisPoints > 10_000)
    return badRequest("feeBasisPoints is a whole number from 0 to 10000.");
  const payouts = query.get("payouts");
  if (payouts !== null && payouts !== "daily") return badRequest("payouts is daily, or left out.");
  const accountOf = (reference: string): string | undefined => projection.order(reference)?.account;
  const terms = { feeBasisPoints, accountOf, ...(payouts === "daily" && { paysUntilMs: Date.now() }) };
  return { status: 200, answer: settlementFile(projection.movements(), { fromMs, untilMs }, terms) };
}

function readTimeParameter(query: URLSearchParams, name: string, otherwiseMs: number): number | undefined {
  const text = query.get(name);
  return text === null ? otherwiseMs : parseTime(text);
}

/** Decodes a part of a URL, because references may be percent-encoded in it. */
function decodePart(part: string): string {
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

function isTextList(value: unknown): value is readonly string[] {
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
