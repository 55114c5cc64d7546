import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { ensure, type Case, type Grade, type CaseGroup } from "../conformance-case.ts";
import {
  exampleBodies,
  otherOutcomeBodies,
  buildPaymentBody,
  type PaymentOutcome,
} from "./notification-bodies.ts";
import {
  requireAcknowledged,
  requireOrderStatus,
  newOrder,
  postWebhook,
  type PostOptions,
  type ReceiverContext,
} from "./receiver-context.ts";

type ReceiverCase = Case<ReceiverContext>;

const acknowledgeFix =
  'Answer HTTP 200 with {"result":{"resultStatus":"S","resultCode":"SUCCESS","resultMessage":"success"}}; ' +
  "after any other response the gateway sends again, eight times in a day. If the signature was rejected, check that the " +
  "receiver verifies with the public key of the key that signs here, for this client id. If the order is unknown, set --orders-url.";

/** A valid webhook that must be acknowledged, sent with the changes in `posting`. */
function validWebhookCase(
  id: string,
  grade: Grade,
  [demands, fix]: readonly [demands: string, fix: string],
  buildWebhook: (paymentRequestId: string) => {
    readonly body: object | string;
    readonly posting?: PostOptions;
  },
): ReceiverCase {
  return {
    id,
    grade,
    demands,
    fix,
    async check(context) {
      const { body, posting } = buildWebhook(await newOrder(context));
      requireAcknowledged(await postWebhook(context, body, posting));
    },
  };
}

const paymentOutcomes: readonly (readonly [PaymentOutcome, string])[] = [
  ["paid", "a successful payment is acknowledged"],
  ["failed", "a failed payment is acknowledged"],
  ["pending", "a pending payment is acknowledged"],
];

/** Descriptions of other outcomes. */
const outcomes: Readonly<Record<string, string>> = {
  "refund-failed": "a refund that failed",
  "capture-failed": "a capture that failed",
  "consent-taken-back": "a consent that the buyer revoked",
  "dispute-judged": "a dispute with a judgement",
};

const acknowledgeAllFix =
  "Acknowledge also webhooks that you do not use, or the gateway repeats them for a day.";

export const validWebhookCases: CaseGroup<ReceiverContext> = {
  name: "Webhooks of every kind",
  cases: [
    ...paymentOutcomes.map(([end, demands]) =>
      validWebhookCase(`payment-${end}`, "must", [demands, acknowledgeFix], (id) => ({
        body: buildPaymentBody(end, id),
      })),
    ),
    ...Object.entries(outcomes).map(([id, description]) =>
      validWebhookCase(id, "should", [`${description} is acknowledged`, acknowledgeAllFix], () => ({
        body: otherOutcomeBodies()[id] ?? {},
      })),
    ),
    ...exampleBodies().map(([kind, body]) =>
      validWebhookCase(kind, "should", [`the example of ${kind} is acknowledged`, acknowledgeAllFix], () => ({
        body,
      })),
    ),
  ],
};

const metadata = "Café ü 🚀 \\u00e9 \\ud83d\\ude80 \\/ <&> \\u2028";

export const otherFormCases: CaseGroup<ReceiverContext> = {
  name: "The same webhook in other forms",
  cases: [
    validWebhookCase(
      "raw-bytes",
      "must",
      [
        "white space, escapes and letters of any script in the body make no difference",
        "Verify the received bytes before you parse them; never JSON that was parsed and written again.",
      ],
      (id) => ({
        body: JSON.stringify(buildPaymentBody("paid", id, { metadata: "{}" }), undefined, 2).replace(
          '"{}"',
          `"${metadata}"`,
        ),
      }),
    ),
    validWebhookCase(
      "query",
      "must",
      [
        "the address may have a query, which is signed with the path",
        "Verify over path and query as they were sent, including percent signs; never over the path that a router returns.",
      ],
      (id) => ({ body: buildPaymentBody("paid", id), posting: { query: "conform=1&note=a%20b%2Fc" } }),
    ),
    validWebhookCase(
      "unknown-fields",
      "must",
      [
        "unknown fields are ignored",
        "Ignore fields that you do not know: later versions of the interface add some.",
      ],
      (id) => ({
        body: JSON.stringify(buildPaymentBody("paid", id, { newField: { deep: [1, null, true] } })).replace(
          '"newField"',
          '"__proto__":{"paid":true},"newField"',
        ),
      }),
    ),
    validWebhookCase(
      "unknown-code",
      "should",
      [
        "an unknown result code is handled by its result status",
        "Decide by result.resultStatus. The list of codes grows.",
      ],
      (id) => ({
        body: buildPaymentBody("failed", id, {
          result: { resultCode: "A_CODE_OF_TOMORROW", resultStatus: "F", resultMessage: "Not today." },
        }),
      }),
    ),
    validWebhookCase(
      "unknown-kind",
      "should",
      [
        "an unknown kind of webhook is acknowledged",
        "Acknowledge it and do nothing: otherwise the gateway repeats it for a day.",
      ],
      (id) => ({ body: buildPaymentBody("paid", id, { notifyType: "SOMETHING_OF_TOMORROW" }) }),
    ),
    validWebhookCase(
      "large",
      "should",
      ["a body of 32 kB is accepted", "Allow bodies of at least 64 kB."],
      (id) => ({
        body: buildPaymentBody("paid", id, { metadata: "x".repeat(32_000) }),
      }),
    ),
    validWebhookCase(
      "milliseconds",
      "should",
      [
        "the time may be written as milliseconds since 1970",
        "Read request-time in both forms: 13 digits, and ISO 8601 with an offset. The signed text contains the header as it was sent.",
      ],
      (id) => ({ body: buildPaymentBody("paid", id), posting: { signed: { time: String(Date.now()) } } }),
    ),
    validWebhookCase(
      "slow-body",
      "must",
      [
        "a body that arrives in pieces is read completely",
        "Read the whole body before you verify it; content-length is its length.",
      ],
      (id) => ({ body: buildPaymentBody("paid", id), posting: { drip: { pieces: 4, gapMs: 60 } } }),
    ),
    validWebhookCase(
      "clock-skew",
      "should",
      [
        "a clock difference of two minutes is accepted",
        "Allow some minutes of difference between your clock and the gateway's; the client libraries allow ten.",
      ],
      (id) => ({
        body: buildPaymentBody("paid", id),
        posting: { signed: { time: toWireTime(Date.now() - 120_000) } },
      }),
    ),
  ],
};

/** A case about the order's status; it needs `--orders-url`. */
function orderEffectCase(
  id: string,
  [demands, fix]: readonly [demands: string, fix: string],
  bodyFor: (paymentRequestId: string) => object,
  ...allowed: string[]
): ReceiverCase {
  return {
    id,
    grade: "must",
    demands,
    fix,
    async check(context) {
      const order = await newOrder(context);
      await postWebhook(context, bodyFor(order));
      await requireOrderStatus(context, order, ...allowed);
    },
  };
}

export const orderEffectCases: CaseGroup<ReceiverContext> = {
  name: "Effect on the order",
  cases: [
    orderEffectCase(
      "paid-is-paid",
      [
        "a paid order has status paid when the webhook is acknowledged",
        "Acknowledge after the commit, and not before.",
      ],
      (order) => buildPaymentBody("paid", order),
      "PAID",
    ),
    orderEffectCase(
      "failed-is-not-paid",
      [
        "a failed payment does not make the order paid",
        "A webhook alone does not mean success: read result.resultStatus, S or F.",
      ],
      (order) => buildPaymentBody("failed", order),
      "FAILED",
      "WAITING",
    ),
    orderEffectCase(
      "pending-is-not-paid",
      [
        "a pending payment does not make the order paid",
        "Call isPaid of the client library, or read notifyType: PAYMENT_PENDING has resultStatus S as well, although nothing has been paid yet.",
      ],
      (order) => buildPaymentBody("pending", order),
      "WAITING",
      "PENDING",
    ),
    orderEffectCase(
      "unknown-kind-changes-nothing",
      [
        "an unknown kind of webhook changes no order",
        "Act only on the notifyType that you know, PAYMENT_RESULT.",
      ],
      (order) => buildPaymentBody("paid", order, { notifyType: "SOMETHING_OF_TOMORROW" }),
      "WAITING",
    ),
  ],
};

/** The form of the acknowledgement, checked on one response of each kind. */
export const responseFormCases: CaseGroup<ReceiverContext> = {
  name: "Form of the response",
  cases: [
    {
      id: "acknowledgement-is-json",
      grade: "should",
      demands: "the acknowledgement has the content type JSON",
      fix: "Send content-type: application/json with it.",
      async check(context) {
        const answer = await postWebhook(context, buildPaymentBody("paid", await newOrder(context)));
        const type = answer.headers["content-type"] ?? "none";
        ensure(/^application\/json\b/i.test(type), `The content-type is ${type}.`);
      },
    },
    {
      id: "answers-in-time",
      grade: "should",
      demands: "valid webhooks are answered within two seconds",
      fix: "Do slow work after the response: the gateway waits ten seconds, and then sends again.",
      async check({ answers }) {
        const slowestMs = Math.max(
          ...answers.filter(({ status }) => status === 200).map(({ durationMs }) => durationMs),
        );
        ensure(slowestMs < 2_000, `The slowest took ${slowestMs} ms.`);
      },
    },
  ],
};
