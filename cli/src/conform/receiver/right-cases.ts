import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { demand, type Case, type Grade, type Group } from "../case.ts";
import { otherBodies, paymentBody, type PaymentEnd } from "./notification-bodies.ts";
import {
  demandAcknowledged,
  demandOrder,
  newOrder,
  post,
  type Posting,
  type ReceiverWorld,
} from "./receiver-world.ts";

type ReceiverCase = Case<ReceiverWorld>;

const takeIt =
  'Answer HTTP 200 with {"result":{"resultStatus":"S","resultCode":"SUCCESS","resultMessage":"success"}}: ' +
  "anything else is asked for again, eight times in a day. If it was refused as forged: does the receiver verify with the public " +
  "half of the key that signs here, for this client id? If it does not know the order, tell it with --orders-url.";

/** A right notification that has to be acknowledged, sent as `posting` says. */
function right(
  id: string,
  grade: Grade,
  [demands, mend]: readonly [demands: string, mend: string],
  made: (paymentRequestId: string) => { readonly body: object | string; readonly posting?: Posting },
): ReceiverCase {
  return {
    id,
    grade,
    demands,
    mend,
    async find(world) {
      const { body, posting } = made(await newOrder(world));
      demandAcknowledged(await post(world, body, posting));
    },
  };
}

const ends: readonly (readonly [PaymentEnd, string])[] = [
  ["paid", "a payment that was made is acknowledged"],
  ["failed", "a payment that failed is acknowledged: it is news as well"],
  ["pending", "a payment that is pending is acknowledged"],
];

/** Names of the other kinds, in words. */
const kinds: Readonly<Record<string, string>> = {
  "refund-done": "a refund that was made",
  "refund-failed": "a refund that failed",
  "capture-done": "a capture",
  "capture-failed": "a capture that failed",
  "consent-given": "a buyer's consent",
  "consent-taken-back": "a consent that the buyer took back",
  "dispute-opened": "a dispute",
  "dispute-judged": "a dispute that was judged",
  "store-accepted": "a store that a wallet has accepted",
  "payout-returned": "a payout that came back",
  "account-requested": "a bank account that somebody has entered",
};

export const rightOnes: Group<ReceiverWorld> = {
  name: "What the gateway tells",
  cases: [
    ...ends.map(([end, demands]) =>
      right(`payment-${end}`, "must", [demands, takeIt], (id) => ({ body: paymentBody(end, id) })),
    ),
    ...Object.entries(kinds).map(([id, what]) =>
      right(
        id,
        "should",
        [
          `${what} is acknowledged`,
          "Acknowledge also what you do nothing with, or it comes again for a day.",
        ],
        () => ({ body: otherBodies()[id] ?? {} }),
      ),
    ),
  ],
};

const metadata = "Café ü 🚀 \\u00e9 \\ud83d\\ude80 \\/ <&> \\u2028";

export const writtenOtherwise: Group<ReceiverWorld> = {
  name: "The same, written in another way",
  cases: [
    right(
      "raw-bytes",
      "must",
      [
        "blanks, escapes and letters of any script in the body change nothing",
        "Verify the bytes as they came, before they are parsed; never JSON that was parsed and written again.",
      ],
      (id) => ({
        body: JSON.stringify(paymentBody("paid", id, { metadata: "{}" }), undefined, 2).replace(
          '"{}"',
          `"${metadata}"`,
        ),
      }),
    ),
    right(
      "query",
      "must",
      [
        "the address may have a query, which is signed with the path",
        "Verify over path and query as they were called, percent signs and all; never over the path that a router gives you.",
      ],
      (id) => ({ body: paymentBody("paid", id), posting: { query: "conform=1&note=a%20b%2Fc" } }),
    ),
    right(
      "unknown-fields",
      "must",
      [
        "fields that nobody knows yet are ignored",
        "Ignore fields that you do not know: later versions of the interface add some.",
      ],
      (id) => ({
        body: JSON.stringify(paymentBody("paid", id, { newField: { deep: [1, null, true] } })).replace(
          '"newField"',
          '"__proto__":{"paid":true},"newField"',
        ),
      }),
    ),
    right(
      "unknown-code",
      "should",
      [
        "a result code that nobody knows yet is taken for what its status says",
        "Decide by result.resultStatus. The list of codes grows.",
      ],
      (id) => ({
        body: paymentBody("failed", id, {
          result: { resultCode: "A_CODE_OF_TOMORROW", resultStatus: "F", resultMessage: "Not today." },
        }),
      }),
    ),
    right(
      "unknown-kind",
      "should",
      [
        "a kind of notification that nobody knows yet is acknowledged",
        "Acknowledge what you do not know, and do nothing: otherwise it comes again for a day.",
      ],
      (id) => ({ body: paymentBody("paid", id, { notifyType: "SOMETHING_OF_TOMORROW" }) }),
    ),
    right("large", "should", ["32 kB are not too long", "Allow bodies of at least 64 kB."], (id) => ({
      body: paymentBody("paid", id, { metadata: "x".repeat(32_000) }),
    })),
    right(
      "milliseconds",
      "should",
      [
        "the time may be written as milliseconds since 1970",
        "Read request-time in both forms: 13 digits, and ISO 8601 with an offset. What is signed is the text of the header.",
      ],
      (id) => ({ body: paymentBody("paid", id), posting: { signed: { time: String(Date.now()) } } }),
    ),
    right(
      "slow-body",
      "must",
      [
        "a body that comes in pieces is read to its end",
        "Read the whole body before you verify it; content-length says how much there is.",
      ],
      (id) => ({ body: paymentBody("paid", id), posting: { drip: { pieces: 4, gapMs: 60 } } }),
    ),
    right(
      "clock-skew",
      "should",
      [
        "a clock that is two minutes off is no reason to refuse",
        "Allow some minutes of difference between your clock and the gateway's; the libraries allow ten.",
      ],
      (id) => ({
        body: paymentBody("paid", id),
        posting: { signed: { time: toWireTime(Date.now() - 120_000) } },
      }),
    ),
  ],
};

/** What became of the order: only where the shop can be asked. */
function shopCase(
  id: string,
  [demands, mend]: readonly [demands: string, mend: string],
  bodyFor: (paymentRequestId: string) => object,
  ...allowed: string[]
): ReceiverCase {
  return {
    id,
    grade: "must",
    demands,
    mend,
    async find(world) {
      const order = await newOrder(world);
      await post(world, bodyFor(order));
      await demandOrder(world, order, ...allowed);
    },
  };
}

export const effects: Group<ReceiverWorld> = {
  name: "What becomes of the order",
  cases: [
    shopCase(
      "paid-is-paid",
      [
        "what was paid is called paid when it is acknowledged",
        "Acknowledge after the commit, and not before.",
      ],
      (order) => paymentBody("paid", order),
      "PAID",
    ),
    shopCase(
      "failed-is-not-paid",
      [
        "what failed is not called paid",
        "That a notification has come says nothing by itself: read result.resultStatus, S or F.",
      ],
      (order) => paymentBody("failed", order),
      "FAILED",
      "WAITING",
    ),
    shopCase(
      "pending-is-not-paid",
      [
        "what is pending is not called paid",
        "Ask isPaid of the library, or read notifyType: PAYMENT_PENDING comes with resultStatus S as well, and nothing has been paid yet.",
      ],
      (order) => paymentBody("pending", order),
      "WAITING",
      "PENDING",
    ),
    shopCase(
      "unknown-kind-changes-nothing",
      [
        "a kind that nobody knows yet changes no order",
        "Act on the notifyType that you know, PAYMENT_RESULT, and on no other.",
      ],
      (order) => paymentBody("paid", order, { notifyType: "SOMETHING_OF_TOMORROW" }),
      "WAITING",
    ),
  ],
};

/** The form of the acknowledgement, seen on one of each. */
export const form: Group<ReceiverWorld> = {
  name: "How it answers",
  cases: [
    {
      id: "acknowledgement-is-json",
      grade: "should",
      demands: "the acknowledgement says that it is JSON",
      mend: "Send content-type: application/json with it.",
      async find(world) {
        const answer = await post(world, paymentBody("paid", await newOrder(world)));
        const type = answer.headers["content-type"] ?? "none";
        demand(/^application\/json\b/i.test(type), `The content-type is ${type}.`);
      },
    },
    {
      id: "answers-in-time",
      grade: "should",
      demands: "right ones are answered within two seconds",
      mend: "Do what takes long after the answer: the gateway waits for ten seconds, and then asks again.",
      async find({ answers }) {
        const slowestMs = Math.max(
          ...answers.filter(({ status }) => status === 200).map(({ tookMs }) => tookMs),
        );
        demand(slowestMs < 2_000, `The slowest took ${slowestMs} ms.`);
      },
    },
  ],
};
