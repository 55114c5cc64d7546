import { constants, createHmac, createPublicKey, sign } from "node:crypto";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { demand, type Case, type Group } from "../case.ts";
import { paymentBody } from "./notification-bodies.ts";
import {
  bytesOf,
  demandNotAcknowledged,
  demandOrder,
  newOrder,
  post,
  type Posting,
  type ReceiverWorld,
} from "./receiver-world.ts";

const dayMs = 24 * 3_600_000;

interface Forgery {
  readonly id: string;
  readonly demands: string;
  readonly fix: string;
  readonly forged: (world: ReceiverWorld, body: Uint8Array) => Posting;
}

const construct = "`webhooks.construct` of the client libraries checks all of this.";
const verifyAll = `Verify every request before you read it, and answer 401 if the signature is not valid. ${construct}`;
const freshOnly = `Reject requests more than ten minutes older or newer than your clock: otherwise an attacker can replay a recorded request at any time. ${construct}`;

const forgeries: readonly Forgery[] = [
  {
    id: "no-signature",
    demands: "without a signature",
    fix: verifyAll,
    forged: () => ({ headers: { signature: undefined } }),
  },
  {
    id: "empty-signature",
    demands: "with an empty signature",
    fix: verifyAll,
    forged: () => ({ headers: { signature: "algorithm=RSA256,keyVersion=1,signature=" } }),
  },
  {
    id: "no-time",
    demands: "without a time",
    fix: `request-time is part of the signed text. ${freshOnly}`,
    forged: () => ({ headers: { "request-time": undefined } }),
  },
  {
    id: "other-key",
    demands: "signed with another key",
    fix: verifyAll,
    forged: ({ signer, otherKey }) => ({ signer: { ...signer, privateKey: otherKey } }),
  },
  {
    id: "other-key-version",
    demands: "signed with another key under an unknown key version",
    fix: "Reject key versions for which you have no key.",
    forged: ({ signer, otherKey }) => ({ signer: { ...signer, privateKey: otherKey, keyVersion: 99 } }),
  },
  {
    id: "algorithm-none",
    demands: "with the algorithm none",
    fix: "The algorithm is RSA256, whatever the header says; reject any other.",
    forged: () => ({ headers: { signature: "algorithm=none,keyVersion=1,signature=none" } }),
  },
  {
    id: "algorithm-confused",
    demands: "with an HMAC that uses the public key as its secret",
    fix: "The algorithm is RSA256, whatever the header says: the public key is not a secret.",
    forged: (world, body) => ({
      headers: { signature: `algorithm=HS256,keyVersion=1,signature=${hmacOf(world, body)}` },
    }),
  },
  {
    id: "other-padding",
    demands: "signed with PSS padding",
    fix: "Verify SHA-256 with RSA and PKCS#1 v1.5 padding only.",
    forged: (world, body) => pssOf(world, body),
  },
  {
    id: "other-amount",
    demands: "with another amount than the signed one",
    fix: verifyAll,
    forged: (_, body) => ({
      signed: { body: Buffer.from(body).toString("utf8").replaceAll("1250", "0001") },
    }),
  },
  {
    id: "written-again",
    demands: "whose JSON has the same meaning as the signed JSON, in other bytes",
    fix: "Verify the received bytes, and not JSON that you parsed and wrote again: two parsers can read the same text differently.",
    forged: (_, body) => ({
      signed: { body: JSON.stringify(JSON.parse(Buffer.from(body).toString("utf8"))) },
    }),
  },
  {
    id: "other-time",
    demands: "with another time than the signed one",
    fix: `The text of request-time is part of the signed text. ${construct}`,
    forged: () => ({ headers: { "request-time": toWireTime(Date.now() - 1_000) } }),
  },
  {
    id: "other-path",
    demands: "signed for another path",
    fix: `The path and the query are part of the signed text: take them from the request. ${construct}`,
    forged: () => ({ signed: { path: "/another/path" } }),
  },
  {
    id: "other-query",
    demands: "with a query that was not signed",
    fix: `The query is part of the signed text: take it from the request. ${construct}`,
    forged: ({ url }) => ({ query: "order=another", signed: { path: url.pathname + url.search } }),
  },
  {
    id: "other-client",
    demands: "signed for another merchant's client id",
    fix: `The gateway signs for all merchants with the same key: compare client-id with your own. ${construct}`,
    forged: () => ({ signed: { clientId: "ANOTHER_MERCHANT" } }),
  },
  {
    id: "a-day-old",
    demands: "that is a day old",
    fix: freshOnly,
    forged: () => ({ signed: { time: toWireTime(Date.now() - dayMs) } }),
  },
  {
    id: "a-day-ahead",
    demands: "of tomorrow",
    fix: freshOnly,
    forged: () => ({ signed: { time: toWireTime(Date.now() + dayMs) } }),
  },
  {
    id: "time-is-no-time",
    demands: "whose time is not a time",
    fix: freshOnly,
    forged: () => ({ signed: { time: "soon" } }),
  },
];

function hmacOf({ url, signer }: ReceiverWorld, body: Uint8Array): string {
  const secret = createPublicKey(signer.privateKey).export({ format: "pem", type: "spki" });
  const head = `POST ${url.pathname}${url.search}\n${signer.clientId}.${toWireTime(Date.now())}.`;
  return encodeURIComponent(createHmac("sha256", secret).update(head).update(body).digest("base64"));
}

/** Signs with the correct key, but with PSS padding, which the interface does not use. */
function pssOf({ url, signer }: ReceiverWorld, body: Uint8Array): Posting {
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
function refused({ id, demands, fix, forged }: Forgery): Case<ReceiverWorld> {
  return {
    id,
    grade: "must",
    demands: `one ${demands} is refused`,
    fix,
    async find(world) {
      const order = await newOrder(world);
      const text = JSON.stringify(paymentBody("paid", order));
      // Adds spaces without meaning, so that parsed and rewritten JSON differs from the received bytes.
      const body = bytesOf(id === "written-again" ? text.replaceAll(":", ": ") : text);
      const answer = await post(world, body, forged(world, body));
      demandNotAcknowledged(answer);
      world.forgedStatuses.push(answer.status);
      if (world.ordersUrl) await demandOrder(world, order, "WAITING");
    },
  };
}

export const forged: Group<ReceiverWorld> = {
  name: "InvalidSignature",
  cases: [
    ...forgeries.map(refused),
    {
      id: "refused-as-the-callers-fault",
      grade: "should",
      demands: "forged webhooks are answered with 401 or another 4xx status",
      fix: "Answer 401 if the signature is not valid: 5xx reports a fault of your own system, and may trigger your alerts.",
      async find({ forgedStatuses }) {
        const others = forgedStatuses.filter((status) => status < 400 || status >= 500);
        demand(others.length === 0, `They were also answered ${[...new Set(others)].join(", ")}.`);
      },
    },
  ],
};
