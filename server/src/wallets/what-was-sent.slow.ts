import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  captureIs,
  orderIs,
  paidOrder,
  refundIs,
  startScriptedStack,
  startScriptedWallet,
  walletSays,
  walletSaysNo,
  type AskedFields,
  type WalletAsked,
  type Said,
} from "../../test/start/scripted-wallet.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

/**
 * The gateway remembers what a wallet was sent, and what it answered: a refusal is final once no earlier
 * message can be in flight, and a contradiction alerts the operator.
 */
const stack = await startScriptedStack();
const { merchant, database } = stack;
const quietSeconds = 3;

/** Scripted answers other than the usual ones, by the payment's reference and the verb. */
const scripts = new Map<string, (asked: WalletAsked) => Said | Promise<Said>>();
const usual = ({ verb, fields }: WalletAsked): Said => {
  switch (verb) {
    case "submit":
      return orderIs(fields.reference, "OPEN");
    case "cancel":
      return orderIs(fields.reference, "CLOSED");
    default:
      return walletSaysNo("ORDER_NOT_EXIST");
  }
};
/** Maps a refund's or a capture's reference to its payment's: inquiries name only the former. */
const owners = new Map<string, string>();
const ownerOf = ({ reference, refundReference, captureReference }: AskedFields): string =>
  reference ?? owners.get(refundReference ?? captureReference) ?? "";
const answer = (asked: WalletAsked): Said | Promise<Said> => {
  const { reference, refundReference, captureReference } = asked.fields;
  const money = refundReference ?? captureReference;
  if (reference !== undefined && money !== undefined) owners.set(money, reference);
  return (scripts.get(`${ownerOf(asked.fields)} ${asked.verb}`) ?? usual)(asked);
};
/** One for each kind of message, so that what goes wrong with one does not open the breaker of another. */
const [forRefunds, forCaptures, forCancels] = await Promise.all([
  startScriptedWallet("for-refunds", answer),
  startScriptedWallet("for-captures", answer),
  startScriptedWallet("for-cancels", answer),
]);
await stack.connect(forRefunds, { methods: ["GCASH"], terms: { quietSeconds } });
await stack.connect(forCaptures, { methods: ["MAYA"], terms: { quietSeconds } });
await stack.connect(forCancels, { methods: ["BOOST"], terms: { quietSeconds } });
const wallets = { GCASH: forRefunds, MAYA: forCaptures, BOOST: forCancels };
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

/** A payment that its buyer has approved: paid, or held. */
async function approved(
  paymentRequestId: string,
  paymentMethodType: keyof typeof wallets,
  more: object = {},
): Promise<Paid> {
  const request = payRequest(paymentRequestId, { paymentMethod: { paymentMethodType }, ...more });
  // Retries while the process sheds load.
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
  const told = await wallets[paymentMethodType].tell(url, about, content);
  assert.equal(told.json.result["resultStatus"], "S", told.text);
  return { paymentId, reference };
}

async function referenceOf(paymentId: string): Promise<string> {
  const [row] = await rows<{ reference: string }>(
    "select wallet_reference as reference from payments where payment_id = $1",
    paymentId,
  );
  return row?.reference ?? assert.fail("There is no such payment.");
}

function rows<Row extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(sql, [...values], database.superuserUrl);
}

/** Says what comes first, once each, and the last for ever. */
function inTurn(...said: readonly (Said | ((asked: WalletAsked) => Said))[]): (asked: WalletAsked) => Said {
  let turn = 0;
  return (asked) => {
    const now = said[Math.min(turn, said.length - 1)] ?? "hang";
    turn += 1;
    return typeof now === "function" ? (now as (asked: WalletAsked) => Said)(asked) : now;
  };
}

/** Reports of what was asked for; an inquiry does not name the order. */
const refunded =
  (more: object = {}) =>
  ({ fields }: WalletAsked): Said =>
    refundIs({ ...fields, reference: ownerOf(fields), amount }, more);
const captured = ({ fields }: WalletAsked): Said =>
  captureIs({ ...fields, reference: ownerOf(fields), amount });

function asksOf(reference: string, verb: string): readonly WalletAsked[] {
  const isIt = ({ fields, verb: asked }: WalletAsked): boolean =>
    asked === verb && ownerOf(fields) === reference;
  return Object.values(wallets).flatMap(({ asked }) => asked.filter(isIt));
}

/** The alerts for a payment. */
function alertsFor(paymentId: string): readonly string[] {
  return logged.split("\n").filter((line) => line.includes('"alert":true') && line.includes(paymentId));
}

/** Repeats the call until its result is final. */
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
  readonly atWallet: "refund" | "capture";
  readonly method: keyof typeof wallets;
  readonly more: object;
  readonly body: (paymentId: string) => object;
  readonly done: (asked: WalletAsked) => Said;
}

const movings: Readonly<Record<string, Moving>> = {
  "a refund": {
    verb: "refund",
    atWallet: "refund",
    method: "GCASH",
    more: {},
    body: (paymentId) => ({ refundRequestId: `r-${paymentId}`, paymentId, refundAmount: amount }),
    done: refunded(),
  },
  "a capture": {
    verb: "capture",
    atWallet: "capture",
    method: "MAYA",
    more: manual,
    body: (paymentId) => ({ captureRequestId: `c-${paymentId}`, paymentId, captureAmount: amount }),
    done: captured,
  },
  "a cancel of what was paid": {
    verb: "cancel",
    atWallet: "refund",
    method: "BOOST",
    more: {},
    body: (paymentId) => ({ paymentId }),
    done: refunded(),
  },
};

describe("what a wallet was sent", { concurrency: true }, () => {
  for (const [what, { verb, atWallet, method, more, body, done }] of Object.entries(movings)) {
    const name = (why: string): string => `${what} ${why}`.replaceAll(" ", "-");

    test(`${what} is refused while an earlier message is on its way, which arrives: done, and not failed`, async () => {
      const { paymentId, reference } = await approved(name("arrives"), method, more);
      let hasArrived = false;
      const refuses = (): Said => {
        setTimeout(() => (hasArrived = true), 300);
        return walletSaysNo("RISK_REJECT");
      };
      scripts.set(`${reference} ${atWallet}`, inTurn("reset", refuses, done));
      scripts.set(`${reference} inquire-${atWallet}`, (asked) =>
        hasArrived ? done(asked) : walletSaysNo("ORDER_NOT_EXIST"),
      );
      assert.equal(await outcomeOf(verb, body(paymentId)), "SUCCESS");
      assert.equal(asksOf(reference, atWallet).length, 2);
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

    test(`${what} is refused, and nothing arrives any more: failed for the wallet's reason, after the quiet time`, async () => {
      const { paymentId, reference } = await approved(name("never"), method, more);
      scripts.set(
        `${reference} ${atWallet}`,
        inTurn("reset", () => walletSaysNo("USER_STATUS_ABNORMAL")),
      );
      const beforeMs = performance.now();
      assert.equal(await outcomeOf(verb, body(paymentId)), "USER_STATUS_ABNORMAL");
      assert.ok(performance.now() - beforeMs >= quietSeconds * 1000);
      assert.equal(asksOf(reference, atWallet).length, 2, "What was refused is only asked after.");
    });

    test(`${what} that is refused at once has failed at once`, async () => {
      const { paymentId, reference } = await approved(name("at once"), method, more);
      scripts.set(`${reference} ${atWallet}`, () => walletSaysNo("USER_STATUS_ABNORMAL"));
      assert.equal(await outcomeOf(verb, body(paymentId)), "USER_STATUS_ABNORMAL");
      assert.equal(asksOf(reference, atWallet).length, 1);
      assert.equal(asksOf(reference, `inquire-${atWallet}`).length, 0);
    });

    test(`${what} whose reference the wallet knows with other content is settled by nobody, and people are told once`, async () => {
      const { paymentId, reference } = await approved(name("other content"), method, more);
      scripts.set(`${reference} ${atWallet}`, () => walletSaysNo("REPEAT_REQ_INCONSISTENT"));
      // The wallet says DONE, but to something else than it was asked for.
      scripts.set(`${reference} inquire-${atWallet}`, done);
      for (let look = 0; look < 2; look += 1) {
        const { json } = await callPayments(url, merchant, verb, body(paymentId));
        assert.equal(json.result["resultStatus"], "U");
        await eventually(
          10_000,
          async () => asksOf(reference, atWallet).length + asksOf(reference, `inquire-${atWallet}`).length,
          (times) => times > look,
        );
      }
      await wait(1_500);
      assert.equal(alertsFor(paymentId).length, 1);
    });
  }

  test("a cancel that the wallet has taken on and cannot find is not called failed, and people are told once", async () => {
    const { paymentId, reference } = await approved("cancel-lost", "BOOST");
    let isFound = false;
    scripts.set(`${reference} refund`, refunded({ state: "PROCESSING", refundTime: undefined }));
    scripts.set(`${reference} inquire-refund`, (asked) =>
      isFound ? refunded()(asked) : walletSaysNo("ORDER_NOT_EXIST"),
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
    const says = ({ fields: { reference } }: WalletAsked): Said => {
      if (state === "PAID" || state === "AUTHORIZED")
        return walletSays({ order: paidOrder(reference, state) });
      return state === "DECLINED" ? orderIs(reference, state) : walletSaysNo(state);
    };

    test(`a wallet that is to let go what it holds says ${state}: ${becomes ?? "people are told once"}`, async () => {
      const [cancelled, expired] = [
        await approved(`cancel-${state}`, "MAYA", manual),
        await approved(`release-${state}`, "MAYA", manual),
      ];
      for (const { reference } of [cancelled, expired]) scripts.set(`${reference} cancel`, says);
      // As if seven days had passed.
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
