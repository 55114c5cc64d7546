import { setTimeout as wait } from "node:timers/promises";
import type { CallReceived } from "./wallet/effect.ts";
import { readBody, readObject, type Exchange } from "./exchange.ts";
import type { Fault, FaultKind, FaultTarget } from "./wallet/faults.ts";
import type { Partner } from "./keys.ts";
import { answerBody, type Answer } from "./wallet/result.ts";
import { readReferences, callRecord, pathOf, type Fields, type Verb } from "./verbs/verb.ts";
import { verbs } from "./verbs/verbs.ts";
import type { Wallet } from "./wallet/wallet.ts";
import { isFresh, wireTime } from "./wallet/wire-time.ts";

const version = "1.1";
const prefix = `/provider/${version}/`;

/** Handles one request of the gateway: authenticates it, acts, writes the journal, and returns a signed response. */
export async function handleGatewayRequest(
  wallet: Wallet,
  partner: Partner,
  exchange: Exchange,
): Promise<void> {
  const operation = findOperation(exchange.path);
  const verb = verbs.find((each) => operation === pathOf(each));
  const body = await readBody(exchange.request, verb?.bodyBytesMax);
  const refusal = rejectUnauthenticated(wallet, partner, exchange, { verb, body });
  const fields = readObject(body);
  if (!verb || refusal || !fields) {
    const answer = refusal ?? { code: "PARAM_ILLEGAL", detail: "The body is not an object in JSON." };
    return send(partner, exchange, wallet.now(), answerBody(answer));
  }
  return runVerb(wallet, partner, exchange, { verb, fields });
}

/** The operation in a path, such as `orders/submit`; undefined in a path of another version of the protocol. */
function findOperation(path: string): string | undefined {
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** The first reason to reject: failed authentication, a stale time (replay), or an unknown operation. */
function rejectUnauthenticated(
  wallet: Wallet,
  { partnerId, keys }: Partner,
  { request, path }: Exchange,
  { verb, body }: { readonly verb: Verb | undefined; readonly body: Buffer | undefined },
): Answer | undefined {
  if (!verb && findOperation(path) === undefined)
    return { code: "NO_INTERFACE_DEF", detail: `Version ${version} is served, at ${prefix}.` };
  if (!verb) return { code: "NO_INTERFACE_DEF" };
  if (request.method !== "POST") return { code: "METHOD_NOT_SUPPORTED" };
  const clientId = onlyValue(request.headersDistinct["client-id"]);
  const time = onlyValue(request.headersDistinct["request-time"]);
  const signature = onlyValue(request.headersDistinct["signature"]);
  if (clientId !== partnerId) return { code: "UNKNOWN_CLIENT" };
  if (!body) return { code: "PARAM_ILLEGAL", detail: "The body is too long." };
  const message = { path: request.url ?? "", clientId, time: time ?? "", body };
  if (!signature || !keys.isFromGateway(message, signature)) return { code: "INVALID_SIGNATURE" };
  if (!isFresh(message.time, wallet.now()))
    return { code: "PARAM_ILLEGAL", detail: "request-time is too far from our clock." };
  return undefined;
}

async function runVerb(
  wallet: Wallet,
  partner: Partner,
  exchange: Exchange,
  { verb, fields }: { readonly verb: Verb; readonly fields: Fields },
): Promise<void> {
  const occasion = faultTargetOf(wallet, verb, fields);
  const before = wallet.faults.take(faultsBefore(verb), occasion);
  if (before) {
    if (mayAct(verb.name)) wallet.record(callRecord(verb.name, fields, "not-acted"));
    // The late call acts after its caller has timed out, so it sends no response.
    if (before.kind === "late-arrival") setTimeout(() => verb.act(wallet, fields), before.delayMs).unref();
    await wallet.journal.onDisk();
    return failRequest(exchange, before);
  }
  const answer = verb.act(wallet, fields);
  const after = wallet.faults.take(["answer-lost", "late-answer", "garbage"], occasion);
  // The journal must be durable first: no response may report a change that a crash could undo, including changes of
  // other callers.
  await wallet.journal.onDisk();
  if (after?.kind === "answer-lost") return failRequest(exchange, after);
  if (after?.kind === "late-answer") await wait(after.delayMs);
  const isGarbageBody = after?.kind === "garbage" && after.wrong === "body";
  const body = isGarbageBody ? Buffer.from("<html>It works!</html>") : answerBody(answer);
  return send(partner, exchange, wallet.now(), body, after);
}

/** Returns the kinds of faults that can occur before a call acts. */
function faultsBefore({ name }: Verb): readonly FaultKind[] {
  const mayComeLate = name === "refund" || name === "capture" || name === "cancel";
  return ["refuse-connection", "error-500", ...(mayComeLate ? (["late-arrival"] as const) : [])];
}

function faultTargetOf(wallet: Wallet, verb: Verb, fields: Fields): FaultTarget {
  const { paymentId, ...names } = readReferences(fields);
  const orderReference = findOrderReference(wallet, names);
  const reference = names.reference ?? orderReference?.reference;
  return {
    verb: verb.name,
    ...(orderReference && { paymentId: orderReference.paymentId }),
    ...(paymentId !== undefined && { paymentId }),
    ...(reference !== undefined && { reference }),
  };
}

/**
 * A call about a capture, a refund or a dispute contains only the reference of the capture or refund, or the id of the
 * dispute. `findOrderReference` finds its order.
 */
function findOrderReference(
  { projection }: Wallet,
  { reference, captureReference, refundReference, providerDisputeId }: ReturnType<typeof readReferences>,
): { readonly reference: string; readonly paymentId: string } | undefined {
  if (reference !== undefined) return projection.order(reference);
  if (providerDisputeId !== undefined) return projection.dispute(providerDisputeId);
  if (captureReference !== undefined) return projection.moneyRecord("capture", captureReference);
  return refundReference === undefined ? undefined : projection.moneyRecord("refund", refundReference);
}

function mayAct(name: Verb["name"]): name is CallReceived["kind"] {
  return !name.startsWith("inquire") && name !== "facts";
}

function failRequest({ request, response }: Exchange, { kind }: Fault): void {
  if (kind !== "error-500") {
    request.socket.resetAndDestroy();
    return;
  }
  response.writeHead(500, { "content-type": "text/plain" });
  response.end("Internal Server Error");
}

async function send(
  { partnerId, keys }: Partner,
  { request, response }: Exchange,
  nowMs: number,
  body: Buffer,
  fault?: Fault,
): Promise<void> {
  const time = wireTime(nowMs);
  const isForged = fault?.kind === "garbage" && fault.wrong === "signature";
  const path = isForged ? "/" : (request.url ?? "");
  const method = request.method ?? "";
  const signature = await keys.sign({ method, path, clientId: partnerId, time, body });
  response.writeHead(200, {
    "content-type": "application/json; charset=UTF-8",
    "client-id": partnerId,
    "response-time": time,
    signature,
  });
  response.end(body);
}

function onlyValue(values: readonly string[] | undefined): string | undefined {
  return values?.length === 1 ? values[0] : undefined;
}
