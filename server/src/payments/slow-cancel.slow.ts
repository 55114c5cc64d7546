import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { formatWireTime } from "../core/request-time.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import {
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedStack,
  startScriptedProvider,
  successResponse,
  type ProviderRequest,
} from "../../test/start/scripted-provider.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

// Delay of the provider: longer than a request waits for the provider, and far shorter than the timeout of a job's
// call.
const slowMs = 5_000;

const stack = await startScriptedStack();
const { merchant, database } = stack;
const amount = { currency: "EUR", value: "1250" };
const provider = await startScriptedProvider("slow", async ({ verb, fields }) => {
  const { reference } = fields;
  if (slowVerbs.includes(verb)) await delay(slowMs);
  if (verb === "refund") return refundResponse(fields);
  if (verb === "accept-dispute") return successResponse({ dispute: disputeOf("accepted", "ACCEPTED", 2) });
  if (verb === "defend-dispute") return successResponse({ dispute: disputeOf("defended", "DEFENDED", 2) });
  return orderResponse(reference, verb === "cancel" ? "CLOSED" : "OPEN");
});
await stack.connect(provider);
// There are two processes, because a repeated request can reach another process than the lease holder.
const servers = [await stack.serve(), await stack.serve()] as const;
const [{ url }] = servers;

const slowVerbs = ["cancel", "refund", "accept-dispute", "defend-dispute"];
const references = new Map<string, string>();

async function openPayment(paymentRequestId: string): Promise<string> {
  const { json } = await callPayments(url, merchant, "pay", payRequest(paymentRequestId));
  const paymentId = String(json["paymentId"]);
  const submitted = await eventually(
    5_000,
    async () => provider.requests.find(({ fields }) => fields["paymentId"] === paymentId),
    (asked) => asked !== undefined,
  );
  references.set(paymentRequestId, submitted?.fields.reference ?? "");
  return paymentId;
}

async function newPaidPayment(paymentRequestId: string): Promise<string> {
  const paymentId = await openPayment(paymentRequestId);
  const reference = references.get(paymentRequestId) ?? "";
  await sendCallback(paymentId, { eventId: `paid-${paymentId}`, reference, order: paidOrder(reference) });
  return paymentId;
}

async function sendCallback(subjectId: string, content: object): Promise<void> {
  const { text } = await provider.sendCallback(url, { clientId: merchant.clientId, subjectId }, content);
  assert.match(text, /"resultStatus":"S"/, text);
}

async function newDispute(name: "accepted" | "defended"): Promise<string> {
  const paymentId = await newPaidPayment(name);
  const reference = references.get(name) ?? "";
  await sendCallback(paymentId, {
    eventId: `dispute-${name}`,
    reference,
    dispute: disputeOf(name, "OPEN", 1),
  });
  const [row] = await asSuperuser<{ dispute_id: string }>(
    "select dispute_id from disputes where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  return row?.dispute_id ?? "";
}

function disputeOf(name: "accepted" | "defended", state: string, sequence: number): object {
  return {
    providerDisputeId: name,
    reference: references.get(name),
    disputeType: "CHARGEBACK",
    state,
    amount,
    createdTime: formatWireTime(Date.now()),
    dueTime: formatWireTime(Date.now() + 7 * 24 * 3_600_000),
    sequence,
    defendable: true,
    ...(state === "ACCEPTED" && { takenAmount: amount, acceptReason: "MERCHANT_ACCEPTED" }),
  };
}

/** The merchant retries on `U`, at one process and then at the other, until the result is final. */
async function repeat(operation: string, request: object): Promise<readonly string[]> {
  const codes: string[] = [];
  for (let asked = 0; asked < 4 && codes.at(-1) !== "SUCCESS"; asked += 1) {
    const server = servers[asked % servers.length];
    const { json } = await callPayments(server?.url ?? url, merchant, operation, request);
    codes.push(String(json.result["resultCode"]));
  }
  return codes;
}

function callsOf(verb: string, isAbout: (fields: ProviderRequest["fields"]) => boolean): number {
  return provider.requests.filter((asked) => asked.verb === verb && isAbout(asked.fields)).length;
}

test("a merchant that repeats an unconfirmed request to a slow provider gets the outcome of the first attempt", async () => {
  const [open, made] = [await openPayment("open"), await newPaidPayment("paid")];
  const [accepted, defended] = [await newDispute("accepted"), await newDispute("defended")];
  const disputeEvidence = Buffer.from("%PDF-1.4\n").toString("base64");
  const codes = await Promise.all([
    repeat("cancel", { paymentId: open }),
    repeat("cancel", { paymentId: made }),
    repeat("acceptDispute", { disputeId: accepted }),
    repeat("supplyDefenseDocument", { disputeId: defended, disputeEvidence }),
  ]);
  assert.deepEqual(
    codes,
    codes.map(() => ["UNKNOWN_EXCEPTION", "SUCCESS"]),
  );
  assert.equal(
    callsOf("cancel", ({ reference }) => reference === references.get("open")),
    1,
  );
  assert.equal(
    callsOf("refund", ({ reference }) => reference === references.get("paid")),
    1,
  );
  assert.equal(
    callsOf("accept-dispute", () => true),
    1,
  );
  assert.equal(
    callsOf("defend-dispute", () => true),
    1,
  );
});
