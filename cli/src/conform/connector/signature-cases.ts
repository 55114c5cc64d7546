import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { ensure, requiredCase, advisedCase, type Case, type CaseGroup } from "../conformance-case.ts";
import { signHeaders } from "../signer.ts";
import {
  call,
  requireCode,
  requireSuccess,
  parseFields,
  buildSubmitRequest,
  merchantId,
  readOrder,
  send,
  findSignatureProblem,
  type CallOptions,
  type Fields,
  type ProviderContext,
} from "./provider-context.ts";

type ProviderCase = Case<ProviderContext>;

const hourMs = 3_600_000;
const verifyFix =
  "Verify each request with the gateway's public key over `POST <path>`, a line feed, `<client-id>.<request-time>.<body>`, before you read it.";

/** A submit that does not come from the gateway: it must not be answered S, and must create no order. */
function rejectedRequestCase(
  id: string,
  description: string,
  fix: string,
  forge: (context: ProviderContext, body: string) => CallOptions,
  grade: typeof requiredCase = requiredCase,
): ProviderCase {
  return grade(
    `refuses-${id}`,
    `a request ${description} is rejected and stores nothing`,
    fix,
    async (context) => {
      // The body must be valid. Otherwise a provider that verifies no signature rejects it as malformed.
      const fields = buildSubmitRequest(context, { merchantId });
      const body = JSON.stringify(fields);
      const { answer } = await send(context, "submit", body, forge(context, body));
      const { resultStatus, resultCode } = parseResult(answer.text);
      ensure(resultStatus !== "S", `It was answered S ${String(resultCode)}.`);
      const inquiry = await call(context, "inquire", { reference: fields.reference });
      ensure(inquiry.resultCode === "ORDER_NOT_EXIST", "The order exists nevertheless.");
    },
  );
}

function replaceAlgorithm(header: string): string {
  return header.replace(/(?<=algorithm=)\w+/, (name) => (name === "RSA256" ? "Ed25519" : "RSA256"));
}

function parseResult(text: string): Fields {
  return (parseFields(text)?.["result"] ?? {}) as Fields;
}

export const messageCases: CaseGroup<ProviderContext> = {
  name: "Messages and signatures",
  cases: [
    requiredCase(
      "other-version",
      "a request of another protocol version is rejected, with a signed response",
      "Answer F NO_INTERFACE_DEF, and name the version that you serve in resultMessage.",
      async (context) => {
        for (const version of ["1.0", "2.0"]) {
          const { reference } = buildSubmitRequest(context);
          requireCode(await call(context, "inquire", { reference }, { version }), "NO_INTERFACE_DEF");
        }
      },
    ),
    requiredCase(
      "answers-signed",
      "responses are HTTP 200 with a result, signed over the request's path and their own response-time",
      "Sign `POST <path of the request>`, a line feed, `<partner id>.<response-time>.<body>` with Ed25519, or SHA-256 and RSA (PKCS#1 v1.5), depending " +
        "on your key, and send signature: algorithm=Ed25519 or RSA256,keyVersion=1,signature=<base64, percent-encoded>. The gateway ignores an unsigned response.",
      async (context) => {
        await call(context, "inquire", { reference: newRequestId("conform") });
      },
    ),
    requiredCase(
      "refusals-signed",
      "rejections are signed as well: F, and HTTP 200",
      "Sign a rejection like any other response: the gateway treats an unsigned rejection as no response, and keeps polling.",
      async (context) => {
        const answer = await call(context, "submit", { reference: newRequestId("conform") });
        ensure(
          answer.resultStatus === "F",
          `A submit without an amount was answered ${answer.resultStatus}.`,
        );
      },
    ),
    rejectedRequestCase("unsigned", "without a signature", verifyFix, () => ({
      headers: { signature: undefined },
    })),
    rejectedRequestCase("other-key", "signed with another key", verifyFix, ({ signer, unknownKey }) => ({
      signer: { ...signer, privateKey: unknownKey },
    })),
    rejectedRequestCase(
      "other-algorithm",
      "whose header names an algorithm that does not belong to the gateway's key",
      "Use the algorithm of the key that you were given, and reject a header with any other.",
      ({ signer, url }, body) => {
        const path = `${url.pathname.replace(/\/$/, "")}/provider/1.1/orders/submit`;
        const headers = signHeaders(signer, { path, body });
        return { headers: { ...headers, signature: replaceAlgorithm(headers["signature"] ?? "") } };
      },
      advisedCase,
    ),
    rejectedRequestCase("other-body", "with another amount than the signed one", verifyFix, (_, body) => ({
      signed: { body: body.replace("1250", "1") },
    })),
    rejectedRequestCase("other-path", "signed for another operation", verifyFix, () => ({
      signed: { path: "/provider/1.1/orders/inquire" },
    })),
    rejectedRequestCase(
      "other-partner",
      "with another partner id",
      "Compare client-id with the partner id that you gave to the gateway: UNKNOWN_CLIENT.",
      () => ({ signed: { clientId: "SOMEBODY_ELSE" } }),
    ),
    rejectedRequestCase(
      "stale",
      "that is an hour old",
      "Reject a request-time that is more than ten minutes from your clock: otherwise an attacker can replay a recorded request.",
      () => ({ signed: { time: toWireTime(Date.now() - hourMs) } }),
    ),
    advisedCase(
      "unknown-operation",
      "an unknown operation is NO_INTERFACE_DEF",
      "Answer F NO_INTERFACE_DEF: the gateway then knows that you do not offer the operation.",
      async (context) => requireCode(await call(context, "orders/no-such-operation", {}), "NO_INTERFACE_DEF"),
    ),
    advisedCase("method", "a GET is METHOD_NOT_SUPPORTED", "Operations accept only POST.", async (context) =>
      requireCode(await call(context, "inquire", "", { method: "GET" }), "METHOD_NOT_SUPPORTED"),
    ),
    requiredCase(
      "broken-json",
      "a body that is not JSON is rejected, and does not stop the server",
      "Answer F PARAM_ILLEGAL.",
      async (context) => requireCode(await call(context, "inquire", '{"reference":'), "PARAM_ILLEGAL"),
    ),
    requiredCase(
      "malformed",
      "an invalid amount is rejected",
      "Answer F PARAM_ILLEGAL: the value is a text in minor units, `^[1-9][0-9]{0,15}$`.",
      async (context) => {
        for (const value of ["12.50", "-1", "0", 1250]) {
          const fields = buildSubmitRequest(context, { amount: { currency: context.currency, value } });
          const { resultStatus } = await call(context, "submit", fields);
          ensure(resultStatus === "F", `${JSON.stringify(value)} was answered ${resultStatus}.`);
        }
      },
    ),
    requiredCase(
      "unknown-fields",
      "unknown fields are ignored",
      "Ignore them: later versions of the protocol add some.",
      async (context) => {
        const fields = buildSubmitRequest(context, { fieldOfTomorrow: { deep: [1] } });
        const answer = await call(context, "submit", fields);
        requireSuccess(answer, "submit");
        readOrder(answer, fields.reference);
      },
    ),
    advisedCase(
      "long-body",
      "a body of more than 64 KiB is rejected",
      "Answer F PARAM_ILLEGAL, and store nothing from a request that you did not read completely.",
      async (context) => {
        const fields = buildSubmitRequest(context, { description: "x".repeat(70_000) });
        const { answer, path, method } = await send(context, "submit", fields);
        ensure(parseResult(answer.text)["resultStatus"] !== "S", "It was answered S.");
        ensure(
          findSignatureProblem(context, answer, { path, method }) === undefined,
          "The rejection is not signed.",
        );
      },
    ),
  ],
};
