import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  captureIs,
  orderIs,
  paidOrder,
  refundIs,
  startScriptedStack,
  startScriptedProvider,
  providerSays,
  providerSaysNo,
  type AskedFields,
  type ProviderAsked,
  type Said,
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
const scripts = new Map<string, (asked: ProviderAsked) => Said | Promise<Said>>();
const usual = ({ verb, fields }: ProviderAsked): Said => {
  switch (verb) {
    case "submit":
      return orderIs(fields.reference, "OPEN");
    case "cancel":
      return orderIs(fields.reference, "CLOSED");
    default:
      return providerSaysNo("ORDER_NOT_EXIST");
  }
};
/** Maps a refund's or a capture's reference to its payment's, because inquiries have only the former. */
const owners = new Map<string, string>();
const ownerOf = ({ reference, refundReference, captureReference }: AskedFields): string =>
  reference ?? owners.get(refundReference ?? captureReference) ?? "";
const answer = (asked: ProviderAsked): Said | Promise<Said> => {
  const { reference, refundReference, captureReference } = asked.fields;
  const money = refundReference ?? captureReference;
  if (reference !== undefined && money !== undefined) owners.set(money, reference);
  return (scripts.get(`${ownerOf(asked.fields)} ${asked.verb}`) ?? usual)(asked);
};
/** One provider for each kind of message, so that faults of one kind do not open the breaker of another. */
const [forRefunds, forCaptures, forCancels] = await Promise.all([
  startScriptedProvider("for-refunds", answer),
  startScriptedProvider("for-captures", answer),
  startScriptedProvider("for-cancels", answer),
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

interface Paid {
  readonly paymentId: string;
  readonly reference: string;
}

/** A payment that its buyer has approved: paid, or authorized. */
async function approved(
  paymentRequestId: string,
  paymentMethodType: keyof typeof providers,
  more: object = {},
): Promise<Paid> {
  const request = payRequest(paymentRequestId, { paymentMethod: { paymentMethodType }, ...more });
  // The test retries while the process rejects requests because of overload.
  const { json } = await eventually(
    15_000,
    () => callPayments(url, merchant, "pay", request),
    (said) => said.json["paymentId"] !== undefined,
  );
  const paymentId = String(json["paymentId"]);
  const reference = await referenceOf(paymentId);
  const order = paidOrder(reference, more === manual ? "AUTHORIZED" : "PAID");
  const about = { clientId: merchant.clientId, subjectId: paymentId };
  const content = { eventId: `e-${paymentId}`, reference, order };
  const told = await providers[paymentMethodType].tell(url, about, content);
  assert.equal(told.json.result["resultStatus"], "S", told.text);
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
function inTurn(
  ...said: readonly (Said | ((asked: ProviderAsked) => Said))[]
): (asked: ProviderAsked) => Said {
  let turn = 0;
  return (asked) => {
    const now = said[Math.min(turn, said.length - 1)] ?? "hang";
    turn += 1;
    return typeof now === "function" ? (now as (asked: ProviderAsked) => Said)(asked) : now;
  };
}

/** Reports that repeat the request. An inquiry does not have the order's reference, so the test finds it. */
const refunded =
  (more: object = {}) =>
  ({ fields }: ProviderAsked): Said =>
    refundIs({ ...fields, reference: ownerOf(fields), amount }, more);
const captured = ({ fields }: ProviderAsked): Said =>
  captureIs({ ...fields, reference: ownerOf(fields), amount });

function asksOf(reference: string, verb: string): readonly ProviderAsked[] {
  const isIt = ({ fields, verb: asked }: ProviderAsked): boolean =>
    asked === verb && ownerOf(fields) === reference;
  return Object.values(providers).flatMap(({ asked }) => asked.filter(isIt));
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
    (said) => said.json.result["resultStatus"] !== "U",
  );
  return String(json.result["resultCode"]);
}

interface Moving {
  readonly verb: "refund" | "capture" | "cancel";
  readonly atProvider: "refund" | "capture";
  readonly method: keyof typeof providers;
  readonly more: object;
  readonly body: (paymentId: string) => object;
  readonly done: (asked: ProviderAsked) => Said;
}

const movings: Readonly<Record<string, Moving>> = {
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
  for (const [what, { verb, atProvider, method, more, body, done }] of Object.entries(movings)) {
    const name = (why: string): string => `${what} ${why}`.replaceAll(" ", "-");

    test(`${what} is refused while an earlier message is in flight, which then arrives: done, and not failed`, async () => {
      const { paymentId, reference } = await approved(name("arrives"), method, more);
      let hasArrived = false;
      const refuses = (): Said => {
        setTimeout(() => (hasArrived = true), 300);
        return providerSaysNo("RISK_REJECT");
      };
      scripts.set(`${reference} ${atProvider}`, inTurn("reset", refuses, done));
      scripts.set(`${reference} inquire-${atProvider}`, (asked) =>
        hasArrived ? done(asked) : providerSaysNo("ORDER_NOT_EXIST"),
      );
      assert.equal(await outcomeOf(verb, body(paymentId)), "SUCCESS");
      assert.equal(asksOf(reference, atProvider).length, 2);
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
      `${what} is refused, and no message is in flight any more: failed with the provider's reason, after ` +
        "the quiet time",
      async () => {
        const { paymentId, reference } = await approved(name("never"), method, more);
        scripts.set(
          `${reference} ${atProvider}`,
          inTurn("reset", () => providerSaysNo("USER_STATUS_ABNORMAL")),
        );
        const beforeMs = performance.now();
        assert.equal(await outcomeOf(verb, body(paymentId)), "USER_STATUS_ABNORMAL");
        assert.ok(performance.now() - beforeMs >= quietSeconds * 1000);
        assert.equal(
          asksOf(reference, atProvider).length,
          2,
          "After a refusal there must be only inquiries.",
        );
      },
    );

    test(`${what} that is refused immediately fails immediately`, async () => {
      const { paymentId, reference } = await approved(name("at once"), method, more);
      scripts.set(`${reference} ${atProvider}`, () => providerSaysNo("USER_STATUS_ABNORMAL"));
      assert.equal(await outcomeOf(verb, body(paymentId)), "USER_STATUS_ABNORMAL");
      assert.equal(asksOf(reference, atProvider).length, 1);
      assert.equal(asksOf(reference, `inquire-${atProvider}`).length, 0);
    });

    test(`${what} whose reference the provider knows with different content is never settled, and alerts once`, async () => {
      const { paymentId, reference } = await approved(name("other content"), method, more);
      scripts.set(`${reference} ${atProvider}`, () => providerSaysNo("REPEAT_REQ_INCONSISTENT"));
      // The provider reports DONE, but for a different request than the gateway's.
      scripts.set(`${reference} inquire-${atProvider}`, done);
      for (let look = 0; look < 2; look += 1) {
        const { json } = await callPayments(url, merchant, verb, body(paymentId));
        assert.equal(json.result["resultStatus"], "U");
        await eventually(
          10_000,
          async () =>
            asksOf(reference, atProvider).length + asksOf(reference, `inquire-${atProvider}`).length,
          (times) => times > look,
        );
      }
      await wait(1_500);
      assert.equal(alertsFor(paymentId).length, 1);
    });
  }

  test("a cancel that the provider accepted and then does not find is not reported as failed, and alerts once", async () => {
    const { paymentId, reference } = await approved("cancel-lost", "BOOST");
    let isFound = false;
    scripts.set(`${reference} refund`, refunded({ state: "PROCESSING", refundTime: undefined }));
    scripts.set(`${reference} inquire-refund`, (asked) =>
      isFound ? refunded()(asked) : providerSaysNo("ORDER_NOT_EXIST"),
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
    assert.equal(asksOf(reference, "refund").length, 1);
    assert.equal(alertsFor(paymentId).length, 1);
  });

  for (const [state, becomes] of [
    ["DECLINED", "SUCCESS"],
    ["PAID", undefined],
    ["AUTHORIZED", undefined],
    ["ORDER_NOT_EXIST", undefined],
    ["REPEAT_REQ_INCONSISTENT", undefined],
  ] as const) {
    const says = ({ fields: { reference } }: ProviderAsked): Said => {
      if (state === "PAID" || state === "AUTHORIZED")
        return providerSays({ order: paidOrder(reference, state) });
      return state === "DECLINED" ? orderIs(reference, state) : providerSaysNo(state);
    };

    test(`a provider that is requested to release a hold reports ${state}: ${becomes ?? "one alert"}`, async () => {
      const [cancelled, expired] = [
        await approved(`cancel-${state}`, "MAYA", manual),
        await approved(`release-${state}`, "MAYA", manual),
      ];
      for (const { reference } of [cancelled, expired]) scripts.set(`${reference} cancel`, says);
      // Moves the times back, as if seven days had passed.
      await rows(
        "update jobs set due_at = now() where subject_id = $1 and job = 'release-hold'",
        expired.paymentId,
      );
      const { json } = await callPayments(url, merchant, "cancel", { paymentId: cancelled.paymentId });
      assert.equal(json.result["resultCode"], becomes ?? "UNKNOWN_EXCEPTION");
      const isTold = async (): Promise<boolean> => {
        const [row] = await rows<{ isReleased: boolean }>(
          `select released_at is not null as "isReleased" from payments where payment_id = $1`,
          expired.paymentId,
        );
        return becomes ? row?.isReleased === true : asksOf(expired.reference, "cancel").length >= 2;
      };
      await eventually(10_000, isTold, Boolean);
      for (const { paymentId } of [cancelled, expired])
        assert.equal(alertsFor(paymentId).length, becomes ? 0 : 1);
    });
  }
});
