import { constants, sign } from "node:crypto";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { ensure, requiredCase, advisedCase, type Case, type CaseGroup } from "../conformance-case.ts";
import {
  call,
  fetchUnknownPaymentCode,
  inquiry,
  operationPath,
  parseAnswer,
  send,
  describeAnswer,
  findSignatureProblem,
  unknownPaymentId,
  type CallOptions,
  type GatewayContext,
} from "./gateway-context.ts";

type GatewayCase = Case<GatewayContext>;

const hourMs = 3_600_000;
const inquiryBody = JSON.stringify({ paymentId: unknownPaymentId });
const verifyFix =
  "Verify SHA-256 with RSA (PKCS#1 v1.5) over `POST <path and query>`, a line feed, `<client-id>.<request-time>.<body>`, over the received bytes, before you parse them.";
const clockToleranceFix =
  "Reject a Request-Time that differs by more than ten minutes from your clock, in either direction.";

/** A request that the gateway must reject because it is not authenticated. The response may therefore be unsigned. */
function rejectedRequestCase(
  id: string,
  description: string,
  fix: string,
  expected: readonly string[],
  forge: (context: GatewayContext) => CallOptions,
): GatewayCase {
  return requiredCase(`refuses-${id}`, `a request ${description} is refused`, fix, async (context) => {
    const unknownPaymentCode = await fetchUnknownPaymentCode(context);
    const answer = parseAnswer(await send(context, inquiry, inquiryBody, forge(context)));
    ensure(answer.resultStatus !== "S", `It was answered ${describeAnswer(answer)}.`);
    ensure(
      answer.resultCode !== unknownPaymentCode,
      `It was accepted, and answered ${describeAnswer(answer)} like a valid request.`,
    );
    ensure(answer.resultStatus !== "", `It was answered without a result: ${describeAnswer(answer)}`);
    context.refusals.push({ id, code: answer.resultCode, expected });
  });
}

/** Signs with the correct key, but with another hash or padding than the interface specifies. */
function signWithScheme(context: GatewayContext, hash: string, padding: number): CallOptions {
  const { clientId, privateKey, keyVersion } = context.signer;
  const time = toWireTime(Date.now());
  const text = `POST ${operationPath(context, inquiry)}\n${clientId}.${time}.${inquiryBody}`;
  const value = encodeURIComponent(
    sign(hash, Buffer.from(text), { key: privateKey, padding }).toString("base64"),
  );
  const signature = `algorithm=RSA256,keyVersion=${keyVersion},signature=${value}`;
  return { headers: { "request-time": time, signature } };
}

/** A valid request in another form, which must be accepted. */
function acceptedRequestCase(
  id: string,
  description: string,
  fix: string,
  buildOptions: () => CallOptions,
): GatewayCase {
  return requiredCase(`takes-${id}`, `a request ${description} is taken`, fix, async (context) => {
    const unknownPaymentCode = await fetchUnknownPaymentCode(context);
    const answer = await call(context, inquiry, inquiryBody, buildOptions());
    ensure(answer.resultCode === unknownPaymentCode, `It was answered ${describeAnswer(answer)}.`);
  });
}

function checkRewrittenHeader(
  change: (header: string) => string,
): (context: GatewayContext) => Promise<void> {
  return async (context) => {
    const unknownPaymentCode = await fetchUnknownPaymentCode(context);
    const { clientId, privateKey, keyVersion } = context.signer;
    const time = toWireTime(Date.now());
    const text = `POST ${operationPath(context, inquiry)}\n${clientId}.${time}.${inquiryBody}`;
    const value = sign("sha256", Buffer.from(text), privateKey).toString("base64");
    const signatureHeader = `algorithm=RSA256,keyVersion=${keyVersion},signature=${encodeURIComponent(value)}`;
    const answer = parseAnswer(
      await send(context, inquiry, inquiryBody, {
        headers: { "request-time": time, signature: change(signatureHeader) },
      }),
    );
    ensure(answer.resultCode === unknownPaymentCode, `It was answered ${describeAnswer(answer)}.`);
  };
}

/** The forms of the `Request-Time` header that clients use, each with its description. */
const timeFormats: Readonly<Record<string, readonly [what: string, time: () => string]>> = {
  milliseconds: ["as milliseconds since 1970", () => String(Date.now())],
  iso: ["in ISO 8601 with the offset +00:00", () => toWireTime(Date.now())],
  "iso-east": [
    "in ISO 8601 with the offset +08:00",
    () => `${new Date(Date.now() + 8 * hourMs).toISOString().slice(0, 19)}+08:00`,
  ],
};

export const requestSignatureCases: CaseGroup<GatewayContext> = {
  name: "Signatures of requests",
  cases: [
    rejectedRequestCase(
      "unsigned",
      "without a signature",
      verifyFix,
      ["PARAM_ILLEGAL", "INVALID_SIGNATURE"],
      () => ({
        headers: { signature: undefined },
      }),
    ),
    rejectedRequestCase(
      "other-key",
      "signed with another key",
      verifyFix,
      ["INVALID_SIGNATURE"],
      ({ signer, unknownKey }) => ({ signer: { ...signer, privateKey: unknownKey } }),
    ),
    rejectedRequestCase(
      "other-body",
      "whose body differs from the signed body",
      verifyFix,
      ["INVALID_SIGNATURE"],
      () => ({
        signed: { body: `${inquiryBody} ` },
      }),
    ),
    rejectedRequestCase(
      "other-path",
      "signed for another operation",
      verifyFix,
      ["INVALID_SIGNATURE"],
      (context) => ({
        signed: { path: operationPath(context, "payments/cancel") },
      }),
    ),
    rejectedRequestCase(
      "other-time",
      "whose time differs from the signed time",
      verifyFix,
      ["INVALID_SIGNATURE"],
      () => ({
        headers: { "request-time": toWireTime(Date.now() - 1_000) },
      }),
    ),
    rejectedRequestCase(
      "other-client",
      "with an unknown client id",
      "Reject it with UNKNOWN_CLIENT.",
      ["UNKNOWN_CLIENT"],
      () => ({ signed: { clientId: "NOBODY0000000000" } }),
    ),
    rejectedRequestCase(
      "other-version",
      "with a key version that the client does not have",
      "Reject it with KEY_NOT_FOUND.",
      ["KEY_NOT_FOUND"],
      ({ signer }) => ({ signer: { ...signer, keyVersion: 9_999 } }),
    ),
    rejectedRequestCase(
      "other-algorithm",
      "with another algorithm",
      "The algorithm is RSA256; reject any other.",
      ["PARAM_ILLEGAL"],
      () => ({ headers: { signature: "algorithm=none,keyVersion=1,signature=none" } }),
    ),
    rejectedRequestCase("sha512", "signed with SHA-512", verifyFix, ["INVALID_SIGNATURE"], (context) =>
      signWithScheme(context, "sha512", constants.RSA_PKCS1_PADDING),
    ),
    rejectedRequestCase("pss", "signed with PSS padding", verifyFix, ["INVALID_SIGNATURE"], (context) =>
      signWithScheme(context, "sha256", constants.RSA_PKCS1_PSS_PADDING),
    ),
    rejectedRequestCase("hour-old", "that is an hour old", clockToleranceFix, ["PARAM_ILLEGAL"], () => ({
      signed: { time: String(Date.now() - hourMs) },
    })),
    rejectedRequestCase("hour-ahead", "that is an hour ahead", clockToleranceFix, ["PARAM_ILLEGAL"], () => ({
      signed: { time: String(Date.now() + hourMs) },
    })),
    rejectedRequestCase(
      "no-time",
      "whose time is not a time",
      "Request-Time is milliseconds since 1970, or ISO 8601 with an offset.",
      ["PARAM_ILLEGAL"],
      () => ({ signed: { time: "now" } }),
    ),
    advisedCase(
      "refusals-named",
      "rejections before authentication have the result codes of the interface",
      "Callers decide by the code what to fix: see docs/reference/request-validation.md.",
      async ({ refusals }) => {
        const unexpectedRefusals = refusals.filter(({ code, expected }) => !expected.includes(code));
        ensure(
          unexpectedRefusals.length === 0,
          unexpectedRefusals
            .map(({ id, code, expected }) => `${id}: ${code}, instead of ${expected.join(" or ")}`)
            .join("; "),
        );
      },
    ),
    ...Object.entries(timeFormats).map(([id, [what, time]]) =>
      acceptedRequestCase(
        id,
        `whose time is written ${what}`,
        "Both forms of Request-Time are in use: milliseconds since 1970, and ISO 8601 with any offset.",
        () => ({ signed: { time: time() } }),
      ),
    ),
    advisedCase(
      "takes-plain-base64",
      "a signature without percent-encoding is accepted",
      "Read base64 with and without percent-encoding: some libraries do not encode it.",
      checkRewrittenHeader((header) => decodeURIComponent(header)),
    ),
    advisedCase(
      "takes-any-order",
      "the parameters of a signature may come in any order",
      "Read them by name.",
      checkRewrittenHeader((header) => header.split(",").toReversed().join(", ")),
    ),
  ],
};

export const responseSignatureCases: CaseGroup<GatewayContext> = {
  name: "Signatures of answers",
  cases: [
    requiredCase(
      "answer-signed",
      "a response is signed over the request's path, with its own response-time",
      "Sign `POST <path of the request>`, a line feed, `<client-id>.<response-time>.<body>`, with the private key whose public key merchants have.",
      async (context) => {
        await call(context, inquiry, inquiryBody);
      },
    ),
    requiredCase(
      "answer-header",
      "the signature header of a response is algorithm=RSA256,keyVersion=<integer>,signature=<value>, in this order",
      "Some libraries read it by position: write no spaces, and percent-encode the value.",
      async (context) => {
        const { signature = "" } = (await call(context, inquiry, inquiryBody)).headers;
        ensure(
          /^algorithm=RSA256,keyVersion=\d+,signature=[\w%.~-]+$/.test(signature),
          `It is ${signature.slice(0, 60)}…`,
        );
      },
    ),
    requiredCase(
      "refusal-signed",
      "a rejection for an authenticated caller is signed as well",
      "Sign every response to a caller whose signature is valid.",
      async (context) => {
        const answer = await call(context, inquiry, "{");
        ensure(answer.resultStatus === "F", `A broken body was answered ${describeAnswer(answer)}.`);
      },
    ),
    requiredCase(
      "unsigned-is-never-success",
      "an unsigned response is never a success",
      "Otherwise an attacker who changes a response in transit could remove its signature.",
      async (context) => {
        const forgedOptions = { signer: { ...context.signer, privateKey: context.unknownKey } };
        for (let time = 0; time < 5; time += 1) {
          const answer = await send(context, inquiry, inquiryBody, forgedOptions);
          const isSigned =
            findSignatureProblem(context, answer, { path: operationPath(context, inquiry) }) === undefined;
          ensure(isSigned || parseAnswer(answer).resultStatus !== "S", "It was unsigned, and S.");
        }
      },
    ),
  ],
};
