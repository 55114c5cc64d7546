import { constants, createHmac, createPublicKey, sign } from "node:crypto";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { ensure, type Case, type CaseGroup } from "../conformance-case.ts";
import { buildPaymentBody } from "./notification-bodies.ts";
import {
  toBytes,
  requireNotAcknowledged,
  requireOrderStatus,
  newOrder,
  postWebhook,
  type PostOptions,
  type ReceiverContext,
} from "./receiver-context.ts";

const dayMs = 24 * 3_600_000;

interface Forgery {
  readonly id: string;
  readonly demands: string;
  readonly fix: string;
  readonly forge: (context: ReceiverContext, body: Uint8Array) => PostOptions;
}

const constructHint = "`webhooks.construct` of the client libraries checks all of this.";
const verifyFix = `Verify every request before you read it, and answer 401 if the signature is not valid. ${constructHint}`;
const clockToleranceFix = `Reject requests more than ten minutes older or newer than your clock: otherwise an attacker can replay a recorded request at any time. ${constructHint}`;

const forgeries: readonly Forgery[] = [
  {
    id: "no-signature",
    demands: "without a signature",
    fix: verifyFix,
    forge: () => ({ headers: { signature: undefined } }),
  },
  {
    id: "empty-signature",
    demands: "with an empty signature",
    fix: verifyFix,
    forge: () => ({ headers: { signature: "algorithm=RSA256,keyVersion=1,signature=" } }),
  },
  {
    id: "no-time",
    demands: "without a time",
    fix: `request-time is part of the signed text. ${clockToleranceFix}`,
    forge: () => ({ headers: { "request-time": undefined } }),
  },
  {
    id: "other-key",
    demands: "signed with another key",
    fix: verifyFix,
    forge: ({ signer, unknownKey }) => ({ signer: { ...signer, privateKey: unknownKey } }),
  },
  {
    id: "other-key-version",
    demands: "signed with another key under an unknown key version",
    fix: "Reject key versions for which you have no key.",
    forge: ({ signer, unknownKey }) => ({ signer: { ...signer, privateKey: unknownKey, keyVersion: 99 } }),
  },
  {
    id: "algorithm-none",
    demands: "with the algorithm none",
    fix: "The algorithm is RSA256, whatever the header says; reject any other.",
    forge: () => ({ headers: { signature: "algorithm=none,keyVersion=1,signature=none" } }),
  },
  {
    id: "algorithm-confused",
    demands: "with an HMAC that uses the public key as its secret",
    fix: "The algorithm is RSA256, whatever the header says: the public key is not a secret.",
    forge: (context, body) => ({
      headers: { signature: `algorithm=HS256,keyVersion=1,signature=${signWithHmac(context, body)}` },
    }),
  },
  {
    id: "other-padding",
    demands: "signed with PSS padding",
    fix: "Verify SHA-256 with RSA and PKCS#1 v1.5 padding only.",
    forge: (context, body) => signWithPss(context, body),
  },
  {
    id: "other-amount",
    demands: "with another amount than the signed one",
    fix: verifyFix,
    forge: (_, body) => ({
      signed: { body: Buffer.from(body).toString("utf8").replaceAll("1250", "0001") },
    }),
  },
  {
    id: "written-again",
    demands: "whose JSON has the same meaning as the signed JSON, in other bytes",
    fix: "Verify the received bytes, and not JSON that you parsed and wrote again: two parsers can read the same text differently.",
    forge: (_, body) => ({
      signed: { body: JSON.stringify(JSON.parse(Buffer.from(body).toString("utf8"))) },
    }),
  },
  {
    id: "other-time",
    demands: "with another time than the signed one",
    fix: `The text of request-time is part of the signed text. ${constructHint}`,
    forge: () => ({ headers: { "request-time": toWireTime(Date.now() - 1_000) } }),
  },
  {
    id: "other-path",
    demands: "signed for another path",
    fix: `The path and the query are part of the signed text: take them from the request. ${constructHint}`,
    forge: () => ({ signed: { path: "/another/path" } }),
  },
  {
    id: "other-query",
    demands: "with a query that was not signed",
    fix: `The query is part of the signed text: take it from the request. ${constructHint}`,
    forge: ({ url }) => ({ query: "order=another", signed: { path: url.pathname + url.search } }),
  },
  {
    id: "other-client",
    demands: "signed for another merchant's client id",
    fix: `The gateway signs for all merchants with the same key: compare client-id with your own. ${constructHint}`,
    forge: () => ({ signed: { clientId: "ANOTHER_MERCHANT" } }),
  },
  {
    id: "a-day-old",
    demands: "that is a day old",
    fix: clockToleranceFix,
    forge: () => ({ signed: { time: toWireTime(Date.now() - dayMs) } }),
  },
  {
    id: "a-day-ahead",
    demands: "of tomorrow",
    fix: clockToleranceFix,
    forge: () => ({ signed: { time: toWireTime(Date.now() + dayMs) } }),
  },
  {
    id: "time-is-no-time",
    demands: "whose time is not a time",
    fix: clockToleranceFix,
    forge: () => ({ signed: { time: "soon" } }),
  },
];

function signWithHmac({ url, signer }: ReceiverContext, body: Uint8Array): string {
  const secret = createPublicKey(signer.privateKey).export({ format: "pem", type: "spki" });
  const head = `POST ${url.pathname}${url.search}\n${signer.clientId}.${toWireTime(Date.now())}.`;
  return encodeURIComponent(createHmac("sha256", secret).update(head).update(body).digest("base64"));
}

/** Signs with the correct key, but with PSS padding, which the interface does not use. */
function signWithPss({ url, signer }: ReceiverContext, body: Uint8Array): PostOptions {
  const time = toWireTime(Date.now());
  const head = `POST ${url.pathname}${url.search}\n${signer.clientId}.${time}.`;
  const key = { key: signer.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING };
  const value = encodeURIComponent(
    sign("sha256", Buffer.concat([Buffer.from(head), body]), key).toString("base64"),
  );
  const signature = `algorithm=RSA256,keyVersion=${signer.keyVersion},signature=${value}`;
  return { headers: { "request-time": time, signature } };
}

/**
 * A forged webhook must not be acknowledged, and must have no effect. A receiver that sends a 401 but has marked the
 * order as paid fails this case.
 */
function forgeryCase({ id, demands, fix, forge }: Forgery): Case<ReceiverContext> {
  return {
    id,
    grade: "must",
    demands: `one ${demands} is refused`,
    fix,
    async check(context) {
      const order = await newOrder(context);
      const text = JSON.stringify(buildPaymentBody("paid", order));
      // Adds spaces without meaning, so that parsed and rewritten JSON differs from the received bytes.
      const body = toBytes(id === "written-again" ? text.replaceAll(":", ": ") : text);
      const answer = await postWebhook(context, body, forge(context, body));
      requireNotAcknowledged(answer);
      context.forgedStatuses.push(answer.status);
      if (context.ordersUrl) await requireOrderStatus(context, order, "WAITING");
    },
  };
}

export const forgedCases: CaseGroup<ReceiverContext> = {
  name: "Invalid signatures",
  cases: [
    ...forgeries.map(forgeryCase),
    {
      id: "refused-as-the-callers-fault",
      grade: "should",
      demands: "forged webhooks are answered with 401 or another 4xx status",
      fix: "Answer 401 if the signature is not valid: 5xx reports a fault of your own system, and may trigger your alerts.",
      async check({ forgedStatuses }) {
        const unexpectedStatuses = forgedStatuses.filter((status) => status < 400 || status >= 500);
        ensure(
          unexpectedStatuses.length === 0,
          `They were also answered ${[...new Set(unexpectedStatuses)].join(", ")}.`,
        );
      },
    },
  ],
};
