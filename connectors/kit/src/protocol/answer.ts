/** Results of the connector's own checks, with their status and message. */
const results = {
  SUCCESS: ["S", "success."],
  NO_INTERFACE_DEF: ["F", "There is no such operation."],
  METHOD_NOT_SUPPORTED: ["F", "Operations are called with POST."],
  UNKNOWN_CLIENT: ["F", "There is no such partner id here."],
  INVALID_SIGNATURE: ["F", "The signature does not match the request."],
  PARAM_ILLEGAL: ["F", "A header or a field is missing or malformed."],
  MESSAGE_EXPIRED: ["F", "The message came after its notAfter. Nothing was done."],
  REPEAT_REQ_INCONSISTENT: ["F", "This reference came before with other content."],
  ORDER_IS_CLOSED: ["F", "The order came after its notAfter."],
  ORDER_NOT_EXIST: ["F", "There is no such order, capture or refund."],
  ORDER_STATUS_INVALID: ["F", "The order's state does not allow this."],
  CURRENCY_NOT_SUPPORT: ["F", "The order is in another currency."],
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: ["F", "More than what is left to capture."],
  REFUND_AMOUNT_EXCEED: ["F", "More than what is left to refund."],
  PROCESS_FAIL: ["F", "The provider rejected the request."],
  RECORD_NOT_FOUND: ["F", "There is no such record."],
  UNKNOWN_EXCEPTION: ["U", "The outcome at the provider is not known yet."],
} as const satisfies Record<string, readonly [status: "S" | "F" | "U", message: string]>;

type KnownCode = keyof typeof results;

/** The response of an operation: its result and its fields. */
export interface Answer {
  /** A code of this list, or a rejection code of the provider, which has the status F. */
  readonly code: KnownCode | (string & {});
  /** The exact error, if the code alone is not enough. */
  readonly detail?: string;
  readonly fields?: object;
}

export const unknownOutcome: Answer = { code: "UNKNOWN_EXCEPTION" };

export function malformed(field: string): Answer {
  return { code: "PARAM_ILLEGAL", detail: `${field} is missing or malformed.` };
}

export function toAnswerBody({ code, detail, fields }: Answer): Buffer {
  const [status, message] = code in results ? results[code as KnownCode] : (["F", "Rejected."] as const);
  const result = { resultCode: code, resultStatus: status, resultMessage: detail ?? message };
  return Buffer.from(JSON.stringify({ result, ...fields }), "utf8");
}
