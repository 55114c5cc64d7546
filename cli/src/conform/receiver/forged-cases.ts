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
  readonly mend: string;
  readonly forged: (world: ReceiverWorld, body: Uint8Array) => Posting;
}

const construct = "`webhooks.construct` of the libraries checks all of this.";
const verifyAll = `Verify every request before you read it, and answer 401 when the signature does not hold. ${construct}`;
const freshOnly = `Refuse what is older or younger than ten minutes: whoever has seen one could send it again for ever. ${construct}`;

const forgeries: readonly Forgery[] = [
  {
    id: "no-signature",
    demands: "without a signature",
    mend: verifyAll,
    forged: () => ({ headers: { signature: undefined } }),
  },
  {
    id: "empty-signature",
    demands: "with an empty signature",
    mend: verifyAll,
    forged: () => ({ headers: { signature: "algorithm=RSA256,keyVersion=1,signature=" } }),
  },
  {
    id: "no-time",
    demands: "without a time",
    mend: `request-time is part of what is signed. ${freshOnly}`,
    forged: () => ({ headers: { "request-time": undefined } }),
  },
  {
    id: "other-key",
    demands: "signed with another key",
    mend: verifyAll,
    forged: ({ signer, stranger }) => ({ signer: { ...signer, privateKey: stranger } }),
  },
  {
    id: "other-key-version",
    demands: "signed with another key under a version that nobody has",
    mend: "Refuse key versions that you hold no key for.",
    forged: ({ signer, stranger }) => ({ signer: { ...signer, privateKey: stranger, keyVersion: 99 } }),
  },
  {
    id: "algorithm-none",
    demands: "with the algorithm none",
    mend: "The algorithm is RSA256, whatever the header says; refuse any other.",
    forged: () => ({ headers: { signature: "algorithm=none,keyVersion=1,signature=none" } }),
  },
  {
    id: "algorithm-confused",
    demands: "with an HMAC for which the public key was the secret",
    mend: "The algorithm is RSA256, whatever the header says: the public key is no secret.",
    forged: (world, body) => ({
      headers: { signature: `algorithm=HS256,keyVersion=1,signature=${hmacOf(world, body)}` },
    }),
  },
  {
    id: "other-padding",
    demands: "signed with PSS padding",
    mend: "Verify SHA-256 with RSA and PKCS#1 v1.5 padding only.",
    forged: (world, body) => pssOf(world, body),
  },
  {
    id: "other-amount",
    demands: "with another amount than was signed",
    mend: verifyAll,
    forged: (_, body) => ({
      signed: { body: Buffer.from(body).toString("utf8").replaceAll("1250", "0001") },
    }),
  },
  {
    id: "written-again",
    demands: "whose JSON means the same as what was signed, in other bytes",
    mend: "Verify the bytes as they came, and not JSON that was parsed and written again: two readers may disagree about the same text.",
    forged: (_, body) => ({
      signed: { body: JSON.stringify(JSON.parse(Buffer.from(body).toString("utf8"))) },
    }),
  },
  {
    id: "other-time",
    demands: "with another time than was signed",
    mend: `The text of request-time is part of what is signed. ${construct}`,
    forged: () => ({ headers: { "request-time": toWireTime(Date.now() - 1_000) } }),
  },
  {
    id: "other-path",
    demands: "signed for another path",
    mend: `The path and the query are part of what is signed: take them from the request. ${construct}`,
    forged: () => ({ signed: { path: "/another/path" } }),
  },
  {
    id: "other-query",
    demands: "with a query that was not signed",
    mend: `The query is part of what is signed: take it from the request. ${construct}`,
    forged: ({ url }) => ({ query: "order=another", signed: { path: url.pathname + url.search } }),
  },
  {
    id: "other-client",
    demands: "signed for another merchant's client id",
    mend: `The gateway signs for all merchants with one key: compare client-id with your own. ${construct}`,
    forged: () => ({ signed: { clientId: "ANOTHER_MERCHANT" } }),
  },
  {
    id: "a-day-old",
    demands: "that is a day old",
    mend: freshOnly,
    forged: () => ({ signed: { time: toWireTime(Date.now() - dayMs) } }),
  },
  {
    id: "a-day-ahead",
    demands: "of tomorrow",
    mend: freshOnly,
    forged: () => ({ signed: { time: toWireTime(Date.now() + dayMs) } }),
  },
  {
    id: "time-is-no-time",
    demands: "whose time is no time",
    mend: freshOnly,
    forged: () => ({ signed: { time: "soon" } }),
  },
];

function hmacOf({ url, signer }: ReceiverWorld, body: Uint8Array): string {
  const secret = createPublicKey(signer.privateKey).export({ format: "pem", type: "spki" });
  const head = `POST ${url.pathname}${url.search}\n${signer.clientId}.${toWireTime(Date.now())}.`;
  return encodeURIComponent(createHmac("sha256", secret).update(head).update(body).digest("base64"));
}

/** Made with the right key, and not in the way that the interface names. */
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

/** Not acknowledged, and of no effect: who answers 401 after the order is paid has refused nothing. */
function refused({ id, demands, mend, forged }: Forgery): Case<ReceiverWorld> {
  return {
    id,
    grade: "must",
    demands: `one ${demands} is refused`,
    mend,
    async find(world) {
      const order = await newOrder(world);
      const text = JSON.stringify(paymentBody("paid", order));
      // Blanks that mean nothing, so that what is parsed and written again is not what was sent.
      const body = bytesOf(id === "written-again" ? text.replaceAll(":", ": ") : text);
      const answer = await post(world, body, forged(world, body));
      demandNotAcknowledged(answer);
      world.forgedStatuses.push(answer.status);
      if (world.ordersUrl) await demandOrder(world, order, "WAITING");
    },
  };
}

export const forged: Group<ReceiverWorld> = {
  name: "Forged",
  cases: [
    ...forgeries.map(refused),
    {
      id: "refused-as-the-callers-fault",
      grade: "should",
      demands: "forgeries are answered 401, or with another status of 4xx",
      mend: "Answer 401 when a signature does not hold: 5xx looks like a fault of yours, and is what your alerts listen to.",
      async find({ forgedStatuses }) {
        const others = forgedStatuses.filter((status) => status < 400 || status >= 500);
        demand(others.length === 0, `They were also answered ${[...new Set(others)].join(", ")}.`);
      },
    },
  ],
};
