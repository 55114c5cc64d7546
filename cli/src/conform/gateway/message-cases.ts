import { ensure, requiredCase, advisedCase, type Case, type CaseGroup } from "../conformance-case.ts";
import {
  call,
  fetchUnknownPaymentCode,
  requireFailure,
  inquiry,
  operationPath,
  parseAnswer,
  send,
  describeAnswer,
  unknownPaymentId,
  type Fields,
  type GatewayContext,
} from "./gateway-context.ts";

const unknownPaymentInquiry = { paymentId: unknownPaymentId };
const paramIllegalFix =
  "Answer F PARAM_ILLEGAL with a signature: the caller is authenticated and must fix its request.";

/** A body that every operation must reject. */
function malformedBodyCase(
  id: string,
  grade: "must" | "should",
  description: string,
  body: string | Uint8Array,
): Case<GatewayContext> {
  const buildCase = grade === "must" ? requiredCase : advisedCase;
  return buildCase(
    `body-${id}`,
    `a body that is ${description} is rejected`,
    paramIllegalFix,
    async (context: GatewayContext) => {
      const unknownPaymentCode = await fetchUnknownPaymentCode(context);
      const answer = await call(context, inquiry, body);
      requireFailure(answer);
      ensure(
        answer.resultCode !== unknownPaymentCode,
        `It was accepted, and answered ${describeAnswer(answer)}.`,
      );
    },
  );
}

export const messageCases: CaseGroup<GatewayContext> = {
  name: "Messages",
  cases: [
    requiredCase(
      "result",
      "every response has a result with three texts: resultStatus, resultCode, resultMessage",
      "Return all three in every response, also in rejections.",
      async (context) => {
        for (const body of [unknownPaymentInquiry, {}, "{"]) {
          const { json } = await call(context, inquiry, body);
          const result = (json["result"] ?? {}) as Fields;
          for (const field of ["resultStatus", "resultCode", "resultMessage"])
            ensure(typeof result[field] === "string", `${field} is ${typeof result[field]}.`);
        }
      },
    ),
    advisedCase(
      "http-200",
      "every outcome of an operation has HTTP status 200, also a rejection",
      "The result contains the outcome. Client libraries treat other HTTP statuses as connection errors, and retry.",
      async (context) => {
        const { status } = await call(context, inquiry, "{");
        ensure(status === 200, `A rejection was answered HTTP ${status}.`);
      },
    ),
    requiredCase(
      "answers-are-json",
      "responses are JSON in UTF-8",
      "Send content-type: application/json; charset=UTF-8.",
      async (context) => {
        const { headers } = await call(context, inquiry, unknownPaymentInquiry);
        ensure(
          /^application\/json\b/i.test(headers["content-type"] ?? ""),
          `content-type is ${headers["content-type"]}.`,
        );
      },
    ),
    advisedCase(
      "answers-name-the-client",
      "responses contain the client id",
      "Send client-id: the caller verifies the signature with its own client id, and compares.",
      async (context) => {
        const { headers } = await call(context, inquiry, unknownPaymentInquiry);
        ensure(
          headers["client-id"] === context.signer.clientId,
          `client-id is ${headers["client-id"] ?? "missing"}.`,
        );
      },
    ),
    requiredCase(
      "unknown-payment",
      "a payment that does not exist is a failure",
      "Answer F ORDER_NOT_EXIST, also for a payment of another merchant.",
      async (context) => {
        requireFailure(await call(context, inquiry, unknownPaymentInquiry));
      },
    ),
    advisedCase(
      "unknown-payment-code",
      "its code is ORDER_NOT_EXIST",
      "Merchants decide by this code whether to start a new payment.",
      async (context) => {
        requireFailure(await call(context, inquiry, unknownPaymentInquiry), "ORDER_NOT_EXIST");
      },
    ),
    requiredCase(
      "no-payment-named",
      "an inquiry without a payment id is rejected",
      paramIllegalFix,
      async (context) => {
        const unknownPaymentCode = await fetchUnknownPaymentCode(context);
        const answer = await call(context, inquiry, {});
        requireFailure(answer);
        ensure(answer.resultCode !== unknownPaymentCode, `It was answered ${describeAnswer(answer)}.`);
      },
    ),
    requiredCase(
      "unknown-operation",
      "an unknown operation is rejected",
      "Answer F NO_INTERFACE_DEF.",
      async (context) => {
        const answer = parseAnswer(await send(context, "payments/noSuchOperation", "{}"));
        requireFailure(answer, "NO_INTERFACE_DEF");
      },
    ),
    requiredCase(
      "other-version",
      "an unknown version of the interface is rejected",
      "The version is a segment of the path, v1: answer F NO_INTERFACE_DEF for others.",
      async (context) => {
        const path = operationPath(context, inquiry).replace("/v1/", "/v999/");
        requireFailure(
          parseAnswer(await send(context, inquiry, unknownPaymentInquiry, { path })),
          "NO_INTERFACE_DEF",
        );
      },
    ),
    requiredCase("get", "operations accept only POST", "Answer F METHOD_NOT_SUPPORTED.", async (context) => {
      const answer = parseAnswer(await send(context, inquiry, "", { method: "GET" }));
      ensure(answer.resultStatus !== "S", `A GET was answered ${describeAnswer(answer)}.`);
    }),
    advisedCase(
      "content-type",
      "a request whose content type is not JSON is rejected",
      "Answer F MEDIA_TYPE_NOT_ACCEPTABLE.",
      async (context) => {
        const answer = parseAnswer(
          await send(context, inquiry, unknownPaymentInquiry, {
            headers: { "content-type": "text/plain" },
          }),
        );
        requireFailure(answer, "MEDIA_TYPE_NOT_ACCEPTABLE");
      },
    ),
    malformedBodyCase("broken", "must", "not JSON", '{"paymentId":'),
    malformedBodyCase("empty", "must", "empty", ""),
    malformedBodyCase("list", "must", "a list", JSON.stringify([unknownPaymentInquiry])),
    malformedBodyCase("text", "must", "a text", '"1"'),
    malformedBodyCase("null", "must", "null", "null"),
    malformedBodyCase(
      "wrong-type",
      "must",
      "one with an object for its paymentId",
      '{"paymentId":{"id":"1"}}',
    ),
    malformedBodyCase(
      "not-utf8",
      "should",
      "not UTF-8",
      Buffer.concat([Buffer.from('{"paymentId":"'), Uint8Array.of(0xff, 0xfe), Buffer.from('"}')]),
    ),
    malformedBodyCase(
      "key-twice",
      "should",
      "an object with one key twice",
      `{"paymentId":"1","paymentId":"${unknownPaymentId}"}`,
    ),
    malformedBodyCase(
      "deep",
      "should",
      "10,000 levels deep",
      `{"paymentId":"1","a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
    ),
    advisedCase(
      "too-long",
      "a body of 300 kB is refused",
      "Reject a body of more than 256 KiB before you read all of it.",
      async (context) => {
        const answer = await send(context, inquiry, {
          ...unknownPaymentInquiry,
          note: "x".repeat(300_000),
        }).catch(() => undefined);
        ensure(!answer || parseAnswer(answer).resultStatus !== "S", "It was answered S.");
        ensure(
          !answer || parseAnswer(answer).resultCode !== (await fetchUnknownPaymentCode(context)),
          "It was accepted.",
        );
      },
    ),
    requiredCase(
      "unknown-fields",
      "unknown fields are ignored",
      "Ignore them: some client libraries send additional fields.",
      async (context) => {
        const unknownPaymentCode = await fetchUnknownPaymentCode(context);
        const answer = await call(context, inquiry, {
          ...unknownPaymentInquiry,
          fieldOfTomorrow: { deep: [1] },
        });
        ensure(answer.resultCode === unknownPaymentCode, `It was answered ${describeAnswer(answer)}.`);
      },
    ),
    advisedCase(
      "null-is-absent",
      "null means the same as an absent field",
      "Accept null for an absent field: some libraries write it.",
      async (context) => {
        const unknownPaymentCode = await fetchUnknownPaymentCode(context);
        const answer = await call(context, inquiry, {
          ...unknownPaymentInquiry,
          paymentRequestId: null,
        });
        ensure(answer.resultCode === unknownPaymentCode, `It was answered ${describeAnswer(answer)}.`);
      },
    ),
    requiredCase(
      "repeated-bytes",
      "the identical request may be sent several times",
      "Do not reject a repeated request within the clock tolerance as a replay: operations are idempotent.",
      async (context) => {
        const time = String(Date.now());
        const firstAnswer = await call(context, inquiry, unknownPaymentInquiry, {
          signed: { time },
        });
        const repeatedAnswer = await call(context, inquiry, unknownPaymentInquiry, {
          signed: { time },
        });
        ensure(
          repeatedAnswer.resultCode === firstAnswer.resultCode,
          `The second request was answered ${describeAnswer(repeatedAnswer)}.`,
        );
      },
    ),
  ],
};
