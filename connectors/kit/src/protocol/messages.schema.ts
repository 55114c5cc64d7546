import { Type, type Static, type TSchema } from "typebox";
import { Errors } from "typebox/value";
import { parseWireTime } from "./wire-time.ts";

const Reference = Type.String({ pattern: "^[\\x21-\\x7e]{1,64}$" });
const ProviderId = Type.String({ pattern: "^[\\x21-\\x7e]{1,128}$" });
const Time = Type.Refine(Type.String(), (text) => parseWireTime(text) !== undefined);
const WebAddress = Type.Refine(Type.String({ maxLength: 2048 }), (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
);
const AmountField = Type.Object({
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
  value: Type.String({ pattern: "^[1-9][0-9]{0,15}$" }),
});
/** An inquiry that only tests the connection has no merchantId. */
const forWhom = { merchantId: Type.Optional(Reference), account: Type.Optional(ProviderId) };

export const SubmitCall = Type.Object({
  reference: Reference,
  paymentId: Reference,
  merchantId: Reference,
  account: Type.Optional(ProviderId),
  registrationId: Type.Optional(ProviderId),
  merchantName: Type.String({ maxLength: 256 }),
  description: Type.String({ maxLength: 512 }),
  amount: AmountField,
  paymentMethodType: Reference,
  capture: Type.Optional(Type.Union([Type.Literal("AUTOMATIC"), Type.Literal("MANUAL")])),
  notAfter: Time,
  expiryTime: Time,
  callbackUrl: WebAddress,
  redirectUrl: Type.Optional(Type.String({ maxLength: 2048 })),
  paymentCode: Type.Optional(Type.String({ pattern: "^[0-9]{16,32}$" })),
  agreementToken: Type.Optional(Type.String({ maxLength: 2048 })),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type SubmitCall = Static<typeof SubmitCall>;

export const OrderCall = Type.Object({ reference: Reference, ...forWhom });
export type OrderCall = Static<typeof OrderCall>;

export const CancelCall = Type.Object({ reference: Reference, ...forWhom, notAfter: Type.Optional(Time) });
export type CancelCall = Static<typeof CancelCall>;

const moneyFields = {
  reference: Reference,
  ...forWhom,
  registrationId: Type.Optional(ProviderId),
  amount: AmountField,
  notAfter: Type.Optional(Time),
};
export const CaptureCall = Type.Object({
  ...moneyFields,
  captureReference: Reference,
  isLast: Type.Optional(Type.Boolean()),
});
export type CaptureCall = Static<typeof CaptureCall>;
export const RefundCall = Type.Object({ ...moneyFields, refundReference: Reference });
export type RefundCall = Static<typeof RefundCall>;

export const CaptureInquiry = Type.Object({ captureReference: Reference, ...forWhom });
export const RefundInquiry = Type.Object({ refundReference: Reference, ...forWhom });

const disputeFields = { providerDisputeId: ProviderId, ...forWhom };
export const DisputeInquiry = Type.Object(disputeFields);
export type DisputeInquiry = Static<typeof DisputeInquiry>;
export const DisputeAnswerCall = Type.Object({
  ...disputeFields,
  answerReference: Reference,
  reason: Reference,
  evidence: Type.Optional(
    Type.Array(
      Type.Object({ type: Reference, format: Reference, content: Type.String(), sha256: Type.String() }),
    ),
  ),
});
export type DisputeAnswerCall = Static<typeof DisputeAnswerCall>;

/** Returns the name of the first field that does not fit the schema; undefined if all fit. */
export function findInvalidField(schema: TSchema, fields: unknown): string | undefined {
  const [error] = Errors(schema, fields);
  if (error === undefined) return undefined;
  const missing = (error.params as { readonly requiredProperties?: readonly string[] }).requiredProperties;
  const path = error.instancePath.split("/").slice(1);
  return [...path, ...(missing?.slice(0, 1) ?? [])].join(".") || "The body";
}
