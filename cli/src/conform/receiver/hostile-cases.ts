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

const catchAll = "Catch whatever reading and applying throws, answer 400 or 500, and go on.";

/** It is still there: a right one is acknowledged. */
async function demandAlive(world: ReceiverWorld): Promise<void> {
  const asked = async (): Promise<Answer> => post(world, paymentBody("paid", await newOrder(world)));
  const answer = await asked().catch((error: Error) => {
    throw new Unmet(`Afterwards it was gone. ${error.message}`, { cause: error });
  });
  demandAcknowledged(answer);
}

type Made = { readonly body: string | Uint8Array; readonly posting?: Posting };

/** Something that the gateway never sends, rightly signed. Any answer will do, and none as well. */
function survives(id: string, what: string, made: (world: ReceiverWorld) => Made): Case<ReceiverWorld> {
  return must(id, `${what} does not end it`, catchAll, async (world) => {
    const { body, posting } = made(world);
    await post(world, body, { timeoutMs: 5_000, ...posting }).catch(() => undefined);
    await demandAlive(world);
  });
}

/** The same from anybody: it must not be acknowledged either. */
function refuses(
  make: typeof must,
  id: string,
  what: string,
  made: (world: ReceiverWorld) => Made,
): Case<ReceiverWorld> {
  return make(
    id,
    `${what} is not acknowledged, and does not end it`,
    catchAll,
    async (world: ReceiverWorld) => {
      const { body, posting } = made(world);
      const answer = await post(world, body, { timeoutMs: 5_000, ...posting }).catch(() => undefined);
      if (answer) demandNotAcknowledged(answer);
      await demandAlive(world);
    },
  );
}

const forStrangers = ({ signer, stranger }: ReceiverWorld): Posting => ({
  signer: { ...signer, privateKey: stranger },
});

/** Two readers may take another one of the two. */
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
    survives("broken-json", "JSON that breaks off, rightly signed,", () => ({ body: '{"notifyType":"PAYM' })),
    survives("no-object", "a list in place of an object, rightly signed,", () => ({ body: "[1,2,3]" })),
    survives("null", "null in place of an object, rightly signed,", () => ({ body: "null" })),
    survives("empty", "an empty body, rightly signed,", () => ({ body: "" })),
    survives("not-utf8", "a body that is no text, rightly signed,", () => ({
      body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x00, 0x7d),
    })),
    refuses(must, "deep", "JSON of 50,000 levels from a stranger", (world) => ({
      body: "[".repeat(50_000),
      posting: forStrangers(world),
    })),
    refuses(must, "huge", "a body of 5 MB from a stranger", (world) => ({
      body: Buffer.alloc(5_000_000, 0x20),
      posting: forStrangers(world),
    })),
    refuses(must, "cut-off", "a body that breaks off with its connection", () => ({
      body: JSON.stringify(paymentBody("paid", "conform-cut-off")),
      posting: { cut: "half" },
    })),
    refuses(must, "header-garbage", "a signature that cannot be read", () => ({
      body: "{}",
      posting: { headers: { signature: "signature=%%%,,==;algorithm" } },
    })),
    refuses(
      should,
      "two-signatures",
      "one with two signatures, of which the first holds,",
      withTwoSignatures,
    ),
    refuses(should, "get", "a GET", () => ({ body: "", posting: { method: "GET" } })),
  ],
};

/** No traces of programs: they tell a stranger what to try next. */
const traces =
  /^\s+at |Traceback|node_modules|\.(?:php|java|py|[cm]?[jt]s)\b(?::|\()|Exception in thread|stack trace/im;

export const afterwards: Group<ReceiverWorld> = {
  name: "Afterwards",
  cases: [
    {
      id: "reveals-nothing",
      grade: "should",
      demands: "no answer shows a trace of the program",
      mend: "Log what was thrown, and answer with an empty body: a stack trace helps whoever looks for a way in.",
      async find({ answers }) {
        const trace = answers.map(({ text }) => traces.exec(text)?.[0]).find((each) => each !== undefined);
        demand(trace === undefined, `An answer has this in it: ${trace?.trim()}`);
      },
    },
    {
      id: "still-takes",
      grade: "must",
      demands: "after all of that a right one is acknowledged",
      mend: catchAll,
      find: demandAlive,
    },
    {
      id: "still-refuses",
      grade: "must",
      demands: "after all of that a forged one is refused",
      mend: "Keep no state between requests on which the check of the next one depends.",
      async find(world) {
        const body = bytesOf(paymentBody("paid", await newOrder(world)));
        demandNotAcknowledged(await post(world, body, forStrangers(world)));
      },
    },
  ],
};
