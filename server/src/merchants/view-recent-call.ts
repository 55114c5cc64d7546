import { Type } from "typebox";
import { described, Id } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { CallForm, toCall } from "./call.schema.ts";
import type { RecentCall } from "./recent-call.ts";

interface Found {
  readonly call: RecentCall | undefined;
}

export const viewRecentCall = view({
  name: "recentCall",
  summary:
    "Shows one of the last calls: what was signed, what was answered, and what the signature doctor says.",
  description:
    "Secrets and personal data are struck out, so the text is not the one that was signed; its length and hash are. There is no call " +
    "when the process that answers does not remember it.",
  right: "calls.read",

  request: Type.Object({ requestId: described(Id, "The call.") }),
  response: Type.Object({
    call: Type.Optional(
      Type.Object(
        {
          ...CallForm.properties,
          isProven: Type.Boolean({ description: "Whether the signature held." }),
          network: Type.String({ maxLength: 64, description: "The network that it came from." }),
          signedHead: Type.String({
            maxLength: 4096,
            description: "What comes before the body in the signed text.",
          }),
          signedBytes: Type.Integer({ minimum: 0, description: "How long the signed text is." }),
          signedSha256: Type.Optional(
            Type.String({
              maxLength: 64,
              description: "Its SHA-256; not for a body that was no JSON, or held card data.",
            }),
          ),
          requestBody: Type.String({
            maxLength: 20_000,
            description: "The body, with secrets struck out; empty if it was no JSON, or held card data.",
          }),
          answerBody: Type.String({ maxLength: 20_000, description: "The answer, with secrets struck out." }),
          verdict: Type.Optional(
            Type.String({ maxLength: 4096, description: "What the signature doctor found." }),
          ),
        },
        { title: "RecentCall", description: "The call; absent when it is not remembered." },
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

  async find({ recentCalls }, { requestId }): Promise<Found> {
    return { call: recentCalls.find((each) => each.requestId === requestId) };
  },

  answer({ call }: Found) {
    return { code: "SUCCESS", ...(call && { call: toShown(call) }) };
  },
});

function toShown(call: RecentCall) {
  const { isProven, network, signedHead, signedBytes, signedSha256, requestBody, answerBody, verdict } = call;
  return {
    ...toCall(call),
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
