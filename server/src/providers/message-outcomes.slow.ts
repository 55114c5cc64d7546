import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  captureResponse,
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedStack,
  startScriptedProvider,
  successResponse,
  failureResponse,
  type ProviderRequestFields,
  type ProviderRequest,
  type ScriptedResponse,
} from "../../test/start/scripted-provider.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

/**
 * These tests check that the gateway stores which messages it sent and which responses it got. A refusal is final once
 * no earlier message can be in flight, and a contradiction alerts the operator.
 */
const stack = await startScriptedStack();
const { merchant, database } = stack;
const quietSeconds = 3;

/** Scripted responses other than the usual ones, by the payment's reference and the verb. */
const scripts = new Map<string, (request: ProviderRequest) => ScriptedResponse | Promise<ScriptedResponse>>();
const respondByDefault = ({ verb, fields }: ProviderRequest): ScriptedResponse => {
  switch (verb) {
    case "submit":
      return orderResponse(fields.reference, "OPEN");
    case "cancel":
      return orderResponse(fields.reference, "CLOSED");
    default:
      return failureResponse("ORDER_NOT_EXIST");
  }
};
/** Maps a refund's or a capture's reference to its payment's, because inquiries have only the former. */
const owners = new Map<string, string>();
const ownerOf = ({ reference, refundReference, captureReference }: ProviderRequestFields): string =>
  reference ?? owners.get(refundReference ?? captureReference) ?? "";
const respond = (request: ProviderRequest): ScriptedResponse | Promise<ScriptedResponse> => {
  const { reference, refundReference, captureReference } = request.fields;
  const money = refundReference ?? captureReference;
  if (reference !== undefined && money !== undefined) owners.set(money, reference);
  return (scripts.get(`${ownerOf(request.fields)} ${request.verb}`) ?? respondByDefault)(request);
};
/** One provider for each kind of message, so that faults of one kind do not open the breaker of another. */
const [forRefunds, forCaptures, forCancels] = await Promise.all([
  startScriptedProvider("for-refunds", respond),
  startScriptedProvider("for-captures", respond),
  startScriptedProvider("for-cancels", respond),
]);
await stack.connect(forRefunds, { methods: ["GCASH"], terms: { quietSeconds } });
await stack.connect(forCaptures, { methods: ["MAYA"], terms: { quietSeconds } });
await stack.connect(forCancels, { methods: ["BOOST"], terms: { quietSeconds } });
const providers = { GCASH: forRefunds, MAYA: forCaptures, BOOST: forCancels };
const { url, process: serving } = await stack.serve();
const working = await stack.work();
let logged = "";
for (const { child } of [serving, working])
  child.stdout?.on("data", (text: Buffer) => (logged += text.toString("utf8")));

const amount = { currency: "EUR", value: "1250" };
const manual = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };

interface ApprovedPayment {
  readonly paymentId: string;
  readonly reference: string;
}

/** A payment that its buyer has approved: paid, or authorized. */
async function approvePayment(
  paymentRequestId: string,
  paymentMethodType: keyof typeof providers,
  otherFields: object = {},
): Promise<ApprovedPayment> {
  const request = payRequest(paymentRequestId, { paymentMethod: { paymentMethodType }, ...otherFields });
  // The test retries while the process rejects requests because of overload.
  const { json } = await eventually(
    15_000,
    () => callPayments(url, merchant, "pay", request),
    (response) => response.json["paymentId"] !== undefined,
  );
  const paymentId = String(json["paymentId"]);
  const reference = await referenceOf(paymentId);
  const order = paidOrder(reference, otherFields === manual ? "AUTHORIZED" : "PAID");
  const about = { clientId: merchant.clientId, subjectId: paymentId };
  const content = { eventId: `e-${paymentId}`, reference, order };
  const callbackResponse = await providers[paymentMethodType].sendCallback(url, about, content);
  assert.equal(callbackResponse.json.result["resultStatus"], "S", callbackResponse.text);
  return { paymentId, reference };
}

async function referenceOf(paymentId: string): Promise<string> {
  const [row] = await rows<{ reference: string }>(
    "select provider_reference as reference from payments where payment_id = $1",
    paymentId,
  );
  return row?.reference ?? assert.fail("There is no such payment.");
}

function rows<Row extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(sql, [...values], database.superuserUrl);
}

/** Returns the given responses in order, and repeats the last one. */
function respondInOrder(
  ...responses: readonly (ScriptedResponse | ((request: ProviderRequest) => ScriptedResponse))[]
): (request: ProviderRequest) => ScriptedResponse {
  let index = 0;
  return (request) => {
    const response = responses[Math.min(index, responses.length - 1)] ?? "hang";
    index += 1;
    return typeof response === "function"
      ? (response as (request: ProviderRequest) => ScriptedResponse)(request)
      : response;
  };
}

/** Reports that repeat the request. An inquiry does not have the order's reference, so the test finds it. */
const refunded =
  (otherFields: object = {}) =>
  ({ fields }: ProviderRequest): ScriptedResponse =>
    refundResponse({ ...fields, reference: ownerOf(fields), amount }, otherFields);
const captured = ({ fields }: ProviderRequest): ScriptedResponse =>
  captureResponse({ ...fields, reference: ownerOf(fields), amount });

function requestsOf(reference: string, verb: string): readonly ProviderRequest[] {
  const isRequested = ({ fields, verb: receivedVerb }: ProviderRequest): boolean =>
    receivedVerb === verb && ownerOf(fields) === reference;
  return Object.values(providers).flatMap(({ requests }) => requests.filter(isRequested));
}

/** The alerts for a payment. */
function alertsFor(paymentId: string): readonly string[] {
  return logged.split("\n").filter((line) => line.includes('"alert":true') && line.includes(paymentId));
}

/** Repeats the request until its result is final. */
async function outcomeOf(verb: string, body: object): Promise<string> {
  const { json } = await eventually(
    20_000,
    () => callPayments(url, merchant, verb, body),
    (response) => response.json.result["resultStatus"] !== "U",
  );
  return String(json.result["resultCode"]);
}

interface MoneyOperation {
  readonly verb: "refund" | "capture" | "cancel";
  readonly atProvider: "refund" | "capture";
  readonly method: keyof typeof providers;
  readonly more: object;
  readonly body: (paymentId: string) => object;
  readonly done: (asked: ProviderRequest) => ScriptedResponse;
}

const moneyOperations: Readonly<Record<string, MoneyOperation>> = {
  "a refund": {
    verb: "refund",
    atProvider: "refund",
    method: "GCASH",
    more: {},
    body: (paymentId) => ({ refundRequestId: `r-${paymentId}`, paymentId, refundAmount: amount }),
    done: refunded(),
  },
  "a capture": {
    verb: "capture",
    atProvider: "capture",
    method: "MAYA",
    more: manual,
    body: (paymentId) => ({ captureRequestId: `c-${paymentId}`, paymentId, captureAmount: amount }),
    done: captured,
  },
  "a cancel of a paid payment": {
    verb: "cancel",
    atProvider: "refund",
    method: "BOOST",
    more: {},
    body: (paymentId) => ({ paymentId }),
    done: refunded(),
  },
};

describe("messages to a provider", { concurrency: true }, () => {
  for (const [description, { verb, atProvider, method, more, body, done }] of Object.entries(
    moneyOperations,
  )) {
    const name = (why: string): string => `${description} ${why}`.replaceAll(" ", "-");

    test(`${description} is refused while an earlier message is in flight, which then arrives: done, and not failed`, async () => {
      const { paymentId, reference } = await approvePayment(name("arrives"), method, more);
      let hasArrived = false;
      const refuses = (): ScriptedResponse => {
        setTimeout(() => (hasArrived = true), 300);
        return failureResponse("RISK_REJECT");
      };
      scripts.set(`${reference} ${atProvider}`, respondInOrder("reset", refuses, done));
      scripts.set(`${reference} inquire-${atProvider}`, (request) =>
        hasArrived ? done(request) : failureResponse("ORDER_NOT_EXIST"),
      );
      assert.equal(await outcomeOf(verb, body(paymentId)), "SUCCESS");
      assert.equal(requestsOf(reference, atProvider).length, 2);
      const [{ transfers } = { transfers: 0 }] = await rows<{ transfers: number }>(
        `select count(distinct effect)::int as transfers from ledger_transfers
       where client_id = $1 and effect in ('refund', 'capture', 'cancel') and (subject_id = $2 or subject_id in (
         select refund_id from refunds where payment_id = $2 union
         select capture_id from captures where payment_id = $2))`,
        merchant.clientId,
        paymentId,
      );
      assert.equal(transfers, 1);
    });

    test(
      `${description} is refused, and no message is in flight any more: failed with the provider's reason, after ` +
        "the quiet time",
      async () => {
        const { paymentId, reference } = await approvePayment(name("never"), method, more);
        scripts.set(
          `${reference} ${atProvider}`,
          respondInOrder("reset", () => failureResponse("USER_STATUS_ABNORMAL")),
        );
        const beforeMs = performance.now();
        assert.equal(await outcomeOf(verb, body(paymentId)), "USER_STATUS_ABNORMAL");
        assert.ok(performance.now() - beforeMs >= quietSeconds * 1000);
        assert.equal(
          requestsOf(reference, atProvider).length,
          2,
          "After a refusal there must be only inquiries.",
        );
      },
    );

    test(`${description} that is refused immediately fails immediately`, async () => {
      const { paymentId, reference } = await approvePayment(name("at once"), method, more);
      scripts.set(`${reference} ${atProvider}`, () => failureResponse("USER_STATUS_ABNORMAL"));
      assert.equal(await outcomeOf(verb, body(paymentId)), "USER_STATUS_ABNORMAL");
      assert.equal(requestsOf(reference, atProvider).length, 1);
      assert.equal(requestsOf(reference, `inquire-${atProvider}`).length, 0);
    });

    test(`${description} whose reference the provider knows with different content is never settled, and alerts once`, async () => {
      const { paymentId, reference } = await approvePayment(name("other content"), method, more);
      scripts.set(`${reference} ${atProvider}`, () => failureResponse("REPEAT_REQ_INCONSISTENT"));
      // The provider reports DONE, but for a different request than the gateway's.
      scripts.set(`${reference} inquire-${atProvider}`, done);
      for (let poll = 0; poll < 2; poll += 1) {
        const { json } = await callPayments(url, merchant, verb, body(paymentId));
        assert.equal(json.result["resultStatus"], "U");
        await eventually(
          10_000,
          async () =>
            requestsOf(reference, atProvider).length + requestsOf(reference, `inquire-${atProvider}`).length,
          (times) => times > poll,
        );
      }
      await wait(1_500);
      assert.equal(alertsFor(paymentId).length, 1);
    });
  }

  test("a cancel that the provider accepted and then does not find is not reported as failed, and alerts once", async () => {
    const { paymentId, reference } = await approvePayment("cancel-lost", "BOOST");
    let isFound = false;
    scripts.set(`${reference} refund`, refunded({ state: "PROCESSING", refundTime: undefined }));
    scripts.set(`${reference} inquire-refund`, (request) =>
      isFound ? refunded()(request) : failureResponse("ORDER_NOT_EXIST"),
    );
    const cancel = () => callPayments(url, merchant, "cancel", { paymentId });
    assert.equal((await cancel()).json.result["resultStatus"], "U");
    await wait(quietSeconds * 1000 + 500);
    assert.equal((await cancel()).json.result["resultStatus"], "U");
    assert.equal((await cancel()).json.result["resultStatus"], "U");
    const refund = { refundRequestId: `r-${paymentId}`, paymentId, refundAmount: amount };
    const { json } = await callPayments(url, merchant, "refund", refund);
    assert.equal(json.result["resultCode"], "ORDER_STATUS_INVALID");
    isFound = true;
    assert.equal(await outcomeOf("cancel", { paymentId }), "SUCCESS");
    assert.equal(requestsOf(reference, "refund").length, 1);
    assert.equal(alertsFor(paymentId).length, 1);
  });

  for (const [state, finalCode] of [
    ["DECLINED", "SUCCESS"],
    ["PAID", undefined],
    ["AUTHORIZED", undefined],
    ["ORDER_NOT_EXIST", undefined],
    ["REPEAT_REQ_INCONSISTENT", undefined],
  ] as const) {
    const respondToCancel = ({ fields: { reference } }: ProviderRequest): ScriptedResponse => {
      if (state === "PAID" || state === "AUTHORIZED")
        return successResponse({ order: paidOrder(reference, state) });
      return state === "DECLINED" ? orderResponse(reference, state) : failureResponse(state);
    };

    test(`a provider that is requested to release a hold reports ${state}: ${finalCode ?? "one alert"}`, async () => {
      const [cancelled, expired] = [
        await approvePayment(`cancel-${state}`, "MAYA", manual),
        await approvePayment(`release-${state}`, "MAYA", manual),
      ];
      for (const { reference } of [cancelled, expired]) scripts.set(`${reference} cancel`, respondToCancel);
      // Moves the times back, as if seven days had passed.
      await rows(
        "update jobs set due_at = now() where subject_id = $1 and job = 'release-hold'",
        expired.paymentId,
      );
      const { json } = await callPayments(url, merchant, "cancel", { paymentId: cancelled.paymentId });
      assert.equal(json.result["resultCode"], finalCode ?? "UNKNOWN_EXCEPTION");
      const isReported = async (): Promise<boolean> => {
        const [row] = await rows<{ isReleased: boolean }>(
          `select released_at is not null as "isReleased" from payments where payment_id = $1`,
          expired.paymentId,
        );
        return finalCode ? row?.isReleased === true : requestsOf(expired.reference, "cancel").length >= 2;
      };
      await eventually(10_000, isReported, Boolean);
      for (const { paymentId } of [cancelled, expired])
        assert.equal(alertsFor(paymentId).length, finalCode ? 0 : 1);
    });
  }
});
