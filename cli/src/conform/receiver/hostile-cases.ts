import {
  ensure,
  requiredCase,
  advisedCase,
  UnmetRequirement,
  type Case,
  type CaseGroup,
} from "../conformance-case.ts";
import type { Answer } from "../send-request.ts";
import { signHeaders } from "../signer.ts";
import { buildPaymentBody } from "./notification-bodies.ts";
import {
  toBytes,
  requireAcknowledged,
  requireNotAcknowledged,
  newOrder,
  postWebhook,
  type PostOptions,
  type ReceiverContext,
} from "./receiver-context.ts";

const catchAllFix = "Catch every exception from reading and processing, answer 400 or 500, and continue.";

/** Requires that the receiver still runs: a valid webhook is acknowledged. */
async function requireResponsive(context: ReceiverContext): Promise<void> {
  const postValidWebhook = async (): Promise<Answer> =>
    postWebhook(context, buildPaymentBody("paid", await newOrder(context)));
  const answer = await postValidWebhook().catch((error: Error) => {
    throw new UnmetRequirement(`Afterwards the receiver no longer answered. ${error.message}`, {
      cause: error,
    });
  });
  requireAcknowledged(answer);
}

type HostileWebhook = { readonly body: string | Uint8Array; readonly posting?: PostOptions };

/**
 * A correctly signed message that the gateway never sends. The receiver may send any response or none, but it must
 * still run afterwards.
 */
function survivalCase(
  id: string,
  description: string,
  buildWebhook: (context: ReceiverContext) => HostileWebhook,
): Case<ReceiverContext> {
  return requiredCase(id, `${description} does not stop the receiver`, catchAllFix, async (context) => {
    const { body, posting } = buildWebhook(context);
    await postWebhook(context, body, { timeoutMs: 5_000, ...posting }).catch(() => undefined);
    await requireResponsive(context);
  });
}

/**
 * A hostile message from an unauthenticated client. The receiver must not acknowledge it, and must still run
 * afterwards.
 */
function rejectionCase(
  grade: typeof requiredCase,
  id: string,
  description: string,
  buildWebhook: (context: ReceiverContext) => HostileWebhook,
): Case<ReceiverContext> {
  return grade(
    id,
    `${description} is not acknowledged, and does not stop the receiver`,
    catchAllFix,
    async (context: ReceiverContext) => {
      const { body, posting } = buildWebhook(context);
      const answer = await postWebhook(context, body, { timeoutMs: 5_000, ...posting }).catch(
        () => undefined,
      );
      if (answer) requireNotAcknowledged(answer);
      await requireResponsive(context);
    },
  );
}

const signWithUnknownKey = ({ signer, unknownKey }: ReceiverContext): PostOptions => ({
  signer: { ...signer, privateKey: unknownKey },
});

/** A webhook with two `Signature` headers: two parsers of the same request may each read a different one. */
function buildTwoSignatures({ url, signer }: ReceiverContext): HostileWebhook {
  const body = toBytes(buildPaymentBody("paid", "conform-two-signatures"));
  const { signature = "", ...headers } = signHeaders(signer, { path: url.pathname + url.search, body });
  return {
    body,
    posting: { headers: { ...headers, signature: [signature, signature.replace(/=[^=]*$/, "=AAAA")] } },
  };
}

export const hostileCases: CaseGroup<ReceiverContext> = {
  name: "Hostile",
  cases: [
    survivalCase("broken-json", "incomplete JSON with a valid signature", () => ({
      body: '{"notifyType":"PAYM',
    })),
    survivalCase("no-object", "a list instead of an object, with a valid signature,", () => ({
      body: "[1,2,3]",
    })),
    survivalCase("null", "null instead of an object, with a valid signature,", () => ({ body: "null" })),
    survivalCase("empty", "an empty body with a valid signature", () => ({ body: "" })),
    survivalCase("not-utf8", "a body that is not UTF-8 text, with a valid signature,", () => ({
      body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x00, 0x7d),
    })),
    rejectionCase(
      requiredCase,
      "deep",
      "JSON with 50,000 levels from an unauthenticated client",
      (context) => ({
        body: "[".repeat(50_000),
        posting: signWithUnknownKey(context),
      }),
    ),
    rejectionCase(requiredCase, "huge", "a body of 5 MB from an unauthenticated client", (context) => ({
      body: Buffer.alloc(5_000_000, 0x20),
      posting: signWithUnknownKey(context),
    })),
    rejectionCase(requiredCase, "cut-off", "a body that is cut off by a closed connection", () => ({
      body: JSON.stringify(buildPaymentBody("paid", "conform-cut-off")),
      posting: { cut: "half" },
    })),
    rejectionCase(requiredCase, "header-garbage", "a malformed signature", () => ({
      body: "{}",
      posting: { headers: { signature: "signature=%%%,,==;algorithm" } },
    })),
    rejectionCase(
      advisedCase,
      "two-signatures",
      "a webhook with two signatures, of which the first is valid,",
      buildTwoSignatures,
    ),
    rejectionCase(advisedCase, "get", "a GET", () => ({ body: "", posting: { method: "GET" } })),
  ],
};

/** Traces of the program in a response, such as stack traces. They show an attacker which software to attack. */
const traces =
  /^\s+at |Traceback|node_modules|\.(?:php|java|py|[cm]?[jt]s)\b(?::|\()|Exception in thread|stack trace/im;

export const aftermathCases: CaseGroup<ReceiverContext> = {
  name: "Afterwards",
  cases: [
    {
      id: "reveals-nothing",
      grade: "should",
      demands: "no response contains a stack trace",
      fix: "Log the exception, and answer with an empty body: a stack trace helps an attacker.",
      async check({ answers }) {
        const trace = answers.map(({ text }) => traces.exec(text)?.[0]).find((each) => each !== undefined);
        ensure(trace === undefined, `A response contains this: ${trace?.trim()}`);
      },
    },
    {
      id: "still-takes",
      grade: "must",
      demands: "after all of these a valid webhook is acknowledged",
      fix: catchAllFix,
      check: requireResponsive,
    },
    {
      id: "still-refuses",
      grade: "must",
      demands: "after all of these a forged webhook is rejected",
      fix: "Keep no state between requests that affects the check of the next request.",
      async check(context) {
        const body = toBytes(buildPaymentBody("paid", await newOrder(context)));
        requireNotAcknowledged(await postWebhook(context, body, signWithUnknownKey(context)));
      },
    },
  ],
};
