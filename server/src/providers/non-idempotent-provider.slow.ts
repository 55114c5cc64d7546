import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { CrashPoint } from "../core/crash-point.ts";
import {
  captureResponse,
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedStack,
  startScriptedProvider,
  failureResponse,
  type ProviderRequest,
  type ScriptedResponse,
  type ScriptedProvider,
} from "../../test/start/scripted-provider.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

/**
 * These tests check that a provider that is not idempotent gets every request that acts exactly once. A request that
 * was rejected before it was sent is sent later. A request that may have been sent is only queried, whichever process
 * crashed in between.
 */
const stack = await startScriptedStack();
const { merchant, database } = stack;
const quietSeconds = 8;
const amount = { currency: "EUR", value: "1250" };

/** A provider that is not idempotent: it acts on every request, unless it hangs, or its connections are reset. */
interface NonIdempotentProvider extends ScriptedProvider {
  mood: "usual" | "slow" | "hang" | "reset";
}

async function startNonIdempotent(name: string, method: string): Promise<NonIdempotentProvider> {
  const responses = new Map<string, ScriptedResponse>();
  const provider: NonIdempotentProvider = Object.assign(
    await startScriptedProvider(name, async (request) => {
      if (provider.mood === "slow") await wait(700);
      else if (provider.mood !== "usual" && !request.verb.startsWith("inquire")) return provider.mood;
      else if (provider.mood === "reset") return "reset";
      return respond(responses, request);
    }),
    { mood: "usual" as const },
  );
  await stack.connect(provider, { methods: [method], terms: { idempotentByReference: false, quietSeconds } });
  return provider;
}

function respond(
  responses: Map<string, ScriptedResponse>,
  { verb, fields }: ProviderRequest,
): ScriptedResponse {
  const { reference, refundReference, captureReference } = fields;
  const name = refundReference ?? captureReference ?? reference;
  if (verb.startsWith("inquire")) return responses.get(name) ?? failureResponse("ORDER_NOT_EXIST");
  const responsesByVerb: Readonly<Record<string, ScriptedResponse>> = {
    submit: orderResponse(reference, "OPEN"),
    cancel: orderResponse(reference, "CLOSED"),
    refund: refundResponse(fields),
    capture: captureResponse(fields),
  };
  const response = responsesByVerb[verb] ?? failureResponse("NO_INTERFACE_DEF");
  responses.set(name, response);
  return response;
}

const providers = {
  GCASH: await startNonIdempotent("crowded", "GCASH"),
  MAYA: await startNonIdempotent("silent", "MAYA"),
  BOOST: await startNonIdempotent("hanging", "BOOST"),
  DANA: await startNonIdempotent("crashing", "DANA"),
};
type Method = keyof typeof providers;
const { url } = await stack.serve();

/** The test retries while the process rejects requests because of overload. */
async function pay(id: string, paymentMethodType: Method, otherFields: object = {}): Promise<string> {
  const request = payRequest(id, { paymentMethod: { paymentMethodType }, ...otherFields });
  const { json } = await eventually(
    30_000,
    () => callPayments(url, merchant, "pay", request),
    (response) => response.json["paymentId"] !== undefined,
  );
  return String(json["paymentId"]);
}

async function referenceOf(where: "payment_id" | "payment_request_id", name: string): Promise<string> {
  const [row] = await asSuperuser<{ reference: string }>(
    `select provider_reference as reference from payments where ${where} = $1`,
    [name],
    database.superuserUrl,
  );
  return row?.reference ?? assert.fail("There is no such payment.");
}

/** A payment that its buyer has approved: paid, or authorized. */
async function approvePayment(id: string, method: Method, isHeld = false): Promise<string> {
  const manual = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const paymentId = await pay(id, method, isHeld ? manual : {});
  const reference = await referenceOf("payment_id", paymentId);
  const order = paidOrder(reference, isHeld ? "AUTHORIZED" : "PAID");
  const about = { clientId: merchant.clientId, subjectId: paymentId };
  const content = { eventId: `e-${paymentId}`, reference, order };
  const callbackResponse = await providers[method].sendCallback(url, about, content);
  assert.equal(callbackResponse.json.result["resultStatus"], "S", callbackResponse.text);
  return paymentId;
}

const countReceived = (method: Method, verb: string, reference: string): number =>
  providers[method].requests.filter(
    (request) => request.verb === verb && request.fields.reference === reference,
  ).length;

async function finalCodeOf(verb: string, body: object): Promise<string> {
  const { json } = await eventually(
    90_000,
    () => callPayments(url, merchant, verb, body),
    (response) => response.json.result["resultStatus"] !== "U",
  );
  return String(json.result["resultCode"]);
}

interface Operation {
  readonly verb: "pay" | "refund" | "capture";
  readonly atProvider: string;
  /** The request, after its preconditions are met, and its order. */
  readonly prepare: (
    name: string,
  ) => Promise<{ readonly body: object; readonly reference: () => Promise<string> }>;
}

const operations: Readonly<Record<string, Operation>> = {
  paying: {
    verb: "pay",
    atProvider: "submit",
    prepare: async (name) => ({
      body: payRequest(name, { paymentMethod: { paymentMethodType: "DANA" } }),
      reference: () => referenceOf("payment_request_id", name),
    }),
  },
  refunding: {
    verb: "refund",
    atProvider: "refund",
    prepare: async (name) => {
      const paymentId = await approvePayment(name, "DANA");
      const body = { refundRequestId: name, paymentId, refundAmount: amount };
      return { body, reference: () => referenceOf("payment_id", paymentId) };
    },
  },
  capturing: {
    verb: "capture",
    atProvider: "capture",
    prepare: async (name) => {
      const paymentId = await approvePayment(name, "DANA", true);
      const body = { captureRequestId: name, paymentId, captureAmount: amount };
      return { body, reference: () => referenceOf("payment_id", paymentId) };
    },
  },
};

/** Starts a process, sends it the request, and waits until it has crashed at this crash point. */
async function crashAtPoint(crashAt: CrashPoint, { verb }: Operation, body: object): Promise<void> {
  const { url: victim, process } = await stack.serve({ crashAt });
  await eventually(
    30_000,
    async () => {
      await callPayments(victim, merchant, verb, body).catch(() => undefined);
      return process.child.signalCode;
    },
    (signal) => signal === "SIGKILL",
  );
}

describe("providers that are not idempotent", { concurrency: true }, () => {
  test("more concurrent payments than the bulkhead has slots: all are sent, each once", async () => {
    providers.GCASH.mood = "slow";
    const ids = Array.from({ length: 80 }, (_, nth) => `crowd-${nth}`);
    const paymentIds = await Promise.all(ids.map((id) => pay(id, "GCASH")));
    const references = await Promise.all(paymentIds.map((id) => referenceOf("payment_id", id)));
    const submits = (): readonly string[] =>
      providers.GCASH.requests.filter(({ verb }) => verb === "submit").map(({ fields }) => fields.reference);
    await eventually(
      60_000,
      async () => submits().length,
      (times) => times >= ids.length,
    );
    assert.deepEqual([...submits()].sort(), [...references].sort());
  });

  test("a refund that was not sent because the breaker was open is sent when the provider is back", async () => {
    const paymentId = await approvePayment("silent", "MAYA");
    const reference = await referenceOf("payment_id", paymentId);
    const byMaya = (id: string): object => payRequest(id, { paymentMethod: { paymentMethodType: "MAYA" } });
    providers.MAYA.mood = "reset";
    for (let nth = 0; nth < 6; nth += 1) await callPayments(url, merchant, "pay", byMaya(`silent-${nth}`));
    let attemptCount = 0;
    await eventually(
      10_000,
      // Each try is a new payment, because a repeated request returns the stored result.
      () => callPayments(url, merchant, "pay", byMaya(`refused-${(attemptCount += 1)}`)),
      ({ json }) => json.result["resultCode"] === "UNAVAILABLE_PAYMENT_METHOD",
    );
    const body = { refundRequestId: "put-back", paymentId, refundAmount: amount };
    const { json } = await callPayments(url, merchant, "refund", body);
    assert.equal(json.result["resultCode"], "REFUND_IN_PROCESS");
    assert.equal(countReceived("MAYA", "refund", reference), 0);
    providers.MAYA.mood = "usual";
    assert.equal(await finalCodeOf("refund", body), "SUCCESS");
    assert.equal(countReceived("MAYA", "refund", reference), 1);
  });

  test("a refund is sent once, although the process crashes that has sent it", async () => {
    const paymentId = await approvePayment("hanging", "BOOST");
    const reference = await referenceOf("payment_id", paymentId);
    const otherProcess = await stack.serve();
    providers.BOOST.mood = "hang";
    const body = { refundRequestId: "hanging", paymentId, refundAmount: amount };
    await eventually(
      30_000,
      async () => {
        await callPayments(otherProcess.url, merchant, "refund", body);
        return countReceived("BOOST", "refund", reference);
      },
      (times) => times === 1,
    );
    otherProcess.process.kill("SIGKILL");
    providers.BOOST.mood = "usual";
    assert.equal(await finalCodeOf("refund", body), "PROCESS_FAIL");
    assert.equal(countReceived("BOOST", "refund", reference), 1);
    const [inquiry] = providers.BOOST.requests.filter(({ verb }) => verb === "inquire-refund");
    assert.ok(inquiry, "The provider got no inquiry.");
  });

  for (const [description, operation] of Object.entries(operations)) {
    test(`a crash before the send, during ${description}: it is sent once`, async () => {
      const { body, reference } = await operation.prepare(`before-${description}`);
      await crashAtPoint("before-provider-call", operation, body);
      const countSent = async (): Promise<number> =>
        countReceived("DANA", operation.atProvider, await reference());
      await eventually(60_000, countSent, (times) => times === 1);
      if (operation.verb !== "pay") assert.equal(await finalCodeOf(operation.verb, body), "SUCCESS");
      assert.equal(await countSent(), 1);
    });

    test(`a crash after the send was recorded, during ${description}: it is only queried`, async () => {
      const { body, reference } = await operation.prepare(`remembered-${description}`);
      await crashAtPoint("after-sent-commit", operation, body);
      const code = operation.verb === "pay" ? "ORDER_IS_CLOSED" : "PROCESS_FAIL";
      assert.equal(await finalCodeOf(operation.verb, body), code);
      assert.equal(countReceived("DANA", operation.atProvider, await reference()), 0);
    });
  }

  test("a worker takes over the jobs of the crashed processes", async () => {
    await stack.work();
  });
});
