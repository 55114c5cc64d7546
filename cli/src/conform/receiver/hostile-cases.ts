import { demand, must, should, Unmet, type Case, type Group } from "../case.ts";
import type { Answer } from "../exchange.ts";
import { signedHeaders } from "../signer.ts";
import { paymentBody } from "./notification-bodies.ts";
import {
  bytesOf,
  demandAcknowledged,
  demandNotAcknowledged,
  newOrder,
  post,
  type Posting,
  type ReceiverWorld,
} from "./receiver-world.ts";

const catchAll = "Catch every exception from reading and processing, answer 400 or 500, and continue.";

/** Requires that the receiver still runs: a valid webhook is acknowledged. */
async function demandAlive(world: ReceiverWorld): Promise<void> {
  const asked = async (): Promise<Answer> => post(world, paymentBody("paid", await newOrder(world)));
  const answer = await asked().catch((error: Error) => {
    throw new Unmet(`Afterwards the receiver no longer answered. ${error.message}`, { cause: error });
  });
  demandAcknowledged(answer);
}

type Made = { readonly body: string | Uint8Array; readonly posting?: Posting };

/**
 * A correctly signed message that the gateway never sends. The receiver may send any response or none, but it must
 * still run afterwards.
 */
function survives(id: string, what: string, made: (world: ReceiverWorld) => Made): Case<ReceiverWorld> {
  return must(id, `${what} does not stop the receiver`, catchAll, async (world) => {
    const { body, posting } = made(world);
    await post(world, body, { timeoutMs: 5_000, ...posting }).catch(() => undefined);
    await demandAlive(world);
  });
}

/**
 * A hostile message from an unauthenticated client. The receiver must not acknowledge it, and must still run
 * afterwards.
 */
function refuses(
  make: typeof must,
  id: string,
  what: string,
  made: (world: ReceiverWorld) => Made,
): Case<ReceiverWorld> {
  return make(
    id,
    `${what} is not acknowledged, and does not stop the receiver`,
    catchAll,
    async (world: ReceiverWorld) => {
      const { body, posting } = made(world);
      const answer = await post(world, body, { timeoutMs: 5_000, ...posting }).catch(() => undefined);
      if (answer) demandNotAcknowledged(answer);
      await demandAlive(world);
    },
  );
}

const forOtherKey = ({ signer, otherKey }: ReceiverWorld): Posting => ({
  signer: { ...signer, privateKey: otherKey },
});

/** A webhook with two `Signature` headers: two parsers of the same request may each read a different one. */
function withTwoSignatures({ url, signer }: ReceiverWorld): Made {
  const body = bytesOf(paymentBody("paid", "conform-two-signatures"));
  const { signature = "", ...headers } = signedHeaders(signer, { path: url.pathname + url.search, body });
  return {
    body,
    posting: { headers: { ...headers, signature: [signature, signature.replace(/=[^=]*$/, "=AAAA")] } },
  };
}

export const hostile: Group<ReceiverWorld> = {
  name: "Hostile",
  cases: [
    survives("broken-json", "incomplete JSON with a valid signature", () => ({
      body: '{"notifyType":"PAYM',
    })),
    survives("no-object", "a list instead of an object, with a valid signature,", () => ({
      body: "[1,2,3]",
    })),
    survives("null", "null instead of an object, with a valid signature,", () => ({ body: "null" })),
    survives("empty", "an empty body with a valid signature", () => ({ body: "" })),
    survives("not-utf8", "a body that is not UTF-8 text, with a valid signature,", () => ({
      body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x00, 0x7d),
    })),
    refuses(must, "deep", "JSON with 50,000 levels from an unauthenticated client", (world) => ({
      body: "[".repeat(50_000),
      posting: forOtherKey(world),
    })),
    refuses(must, "huge", "a body of 5 MB from an unauthenticated client", (world) => ({
      body: Buffer.alloc(5_000_000, 0x20),
      posting: forOtherKey(world),
    })),
    refuses(must, "cut-off", "a body that is cut off by a closed connection", () => ({
      body: JSON.stringify(paymentBody("paid", "conform-cut-off")),
      posting: { cut: "half" },
    })),
    refuses(must, "header-garbage", "a malformed signature", () => ({
      body: "{}",
      posting: { headers: { signature: "signature=%%%,,==;algorithm" } },
    })),
    refuses(
      should,
      "two-signatures",
      "a webhook with two signatures, of which the first is valid,",
      withTwoSignatures,
    ),
    refuses(should, "get", "a GET", () => ({ body: "", posting: { method: "GET" } })),
  ],
};

/** Traces of the program in a response, such as stack traces. They show an attacker which software to attack. */
const traces =
  /^\s+at |Traceback|node_modules|\.(?:php|java|py|[cm]?[jt]s)\b(?::|\()|Exception in thread|stack trace/im;

export const afterwards: Group<ReceiverWorld> = {
  name: "Afterwards",
  cases: [
    {
      id: "reveals-nothing",
      grade: "should",
      demands: "no response contains a stack trace",
      fix: "Log the exception, and answer with an empty body: a stack trace helps an attacker.",
      async find({ answers }) {
        const trace = answers.map(({ text }) => traces.exec(text)?.[0]).find((each) => each !== undefined);
        demand(trace === undefined, `A response contains this: ${trace?.trim()}`);
      },
    },
    {
      id: "still-takes",
      grade: "must",
      demands: "after all of these a valid webhook is acknowledged",
      fix: catchAll,
      find: demandAlive,
    },
    {
      id: "still-refuses",
      grade: "must",
      demands: "after all of these a forged webhook is rejected",
      fix: "Keep no state between requests that affects the check of the next request.",
      async find(world) {
        const body = bytesOf(paymentBody("paid", await newOrder(world)));
        demandNotAcknowledged(await post(world, body, forOtherKey(world)));
      },
    },
  ],
};
