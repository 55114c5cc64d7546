import { Type } from "typebox";
import { withDescription, Id } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { ApiRequestForm, toApiRequest } from "./api-request.schema.ts";
import type { RecentCall } from "../core/recent-call.ts";

interface RecentCallDetails {
  readonly call: RecentCall | undefined;
}

export const viewRecentCall = view({
  name: "recentCall",
  summary: "Shows one of the last API requests: the signed text, the response, and the signature diagnosis.",
  description:
    "Secrets and personal data are masked, so the text differs from the signed text; length and hash are " +
    "those of the signed text. The request is absent if the responding process does not have it in " +
    "memory.",
  permission: "calls.read",

  request: Type.Object({ requestId: withDescription(Id, "The id of the request.") }),
  response: Type.Object({
    call: Type.Optional(
      Type.Object(
        {
          ...ApiRequestForm.properties,
          isProven: Type.Boolean({ description: "Whether the signature was valid." }),
          network: Type.String({ maxLength: 64, description: "The network from which the request came." }),
          signedHead: Type.String({
            maxLength: 4096,
            description: "The part of the signed text before the body.",
          }),
          signedBytes: Type.Integer({ minimum: 0, description: "Length of the signed text in bytes." }),
          signedSha256: Type.Optional(
            Type.String({
              maxLength: 64,
              description:
                "SHA-256 of the signed text; absent if the body was not JSON or contained card data.",
            }),
          ),
          requestBody: Type.String({
            maxLength: 20_000,
            description: "The body, with secrets masked; empty if it was not JSON or contained card data.",
          }),
          answerBody: Type.String({ maxLength: 20_000, description: "The response, with secrets masked." }),
          verdict: Type.Optional(Type.String({ maxLength: 4096, description: "The signature diagnosis." })),
        },
        { title: "RecentCall", description: "The request; absent if it is not in memory." },
      ),
    ),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { requestId: "req_01KA3Q8Z7V0000000000000000" },
    response: {
      call: {
        requestId: "req_01KA3Q8Z7V0000000000000000",
        createdTime: "2026-11-15T09:30:00+00:00",
        path: "/ams/sandbox/api/v1/payments/inquiryPayment",
        keyVersion: 1,
        resultCode: "INVALID_SIGNATURE",
        resultStatus: "F",
        durationMs: 2,
        isProven: false,
        network: "203.0.113.7",
        signedHead: "POST /ams/sandbox/api/v1/payments/inquiryPayment\nSANDBOX_COFFEE.1763199000123.",
        signedBytes: 118,
        signedSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        requestBody: '{"paymentRequestId":"order-1001"}',
        answerBody: '{"result":{"resultCode":"INVALID_SIGNATURE"}}',
        verdict: "Your key is right, but you signed other bytes: a line feed at the end of the body.",
      },
    },
  },

  async find({ recentCalls }, { requestId }): Promise<RecentCallDetails> {
    return { call: recentCalls.find((each) => each.requestId === requestId) };
  },

  answer({ call }: RecentCallDetails) {
    return { code: "SUCCESS", ...(call && { call: toRecentCall(call) }) };
  },
});

function toRecentCall(call: RecentCall) {
  const { isProven, network, signedHead, signedBytes, signedSha256, requestBody, answerBody, verdict } = call;
  return {
    ...toApiRequest(call),
    isProven,
    network,
    signedHead,
    signedBytes,
    ...(signedSha256 !== undefined && { signedSha256 }),
    requestBody,
    answerBody,
    ...(verdict !== undefined && { verdict }),
  };
}
