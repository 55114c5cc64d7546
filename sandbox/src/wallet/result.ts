interface ResultMeaning {
  readonly status: "S" | "F";
  readonly message: string;
}

const succeeded = (message: string): ResultMeaning => ({ status: "S", message });
const refused = (message: string): ResultMeaning => ({ status: "F", message });

/** Every result of the provider protocol, in order of precedence. */
export const results = {
  SUCCESS: succeeded("success."),
  NO_INTERFACE_DEF: refused("There is no such operation."),
  METHOD_NOT_SUPPORTED: refused("Operations are called with POST."),
  UNKNOWN_CLIENT: refused("There is no such partner id here."),
  INVALID_SIGNATURE: refused("The signature does not match the request."),
  PARAM_ILLEGAL: refused("A header or a field is missing or malformed."),
  MESSAGE_EXPIRED: refused("The message came after its notAfter. Nothing was done."),
  REPEAT_REQ_INCONSISTENT: refused("This reference came before with other content."),
  ORDER_IS_CLOSED: refused("The order came after its time."),
  ORDER_NOT_EXIST: refused("There is no such order."),
  ORDER_STATUS_INVALID: refused("The order's state does not allow this."),
  CURRENCY_NOT_SUPPORT: refused("The order is in another currency."),
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: refused("More than what is left to capture."),
  REFUND_AMOUNT_EXCEED: refused("More than what is left to refund."),
  PROCESS_FAIL: refused("The wallet cannot do this, and will not."),
  RISK_REJECT: refused("Refused by risk control."),
  USER_NOT_EXIST: refused("The buyer has no account any more."),
  USER_STATUS_ABNORMAL: refused("The buyer's account is closed or locked."),
  USER_BALANCE_NOT_ENOUGH: refused("The buyer's balance is too low."),
  USER_AMOUNT_EXCEED_LIMIT: refused("Over the buyer's limit."),
  PAYMENT_COUNT_EXCEED_LIMIT: refused("The buyer has paid too often."),
  RECORD_NOT_FOUND: refused("There is no such registration."),
  AUTHORIZATION_NOT_EXIST: refused("There is no such authorization."),
  INVALID_AUTHCODE: refused("There is no such code, or it is used up."),
  AUTH_CODE_EXPIRED: refused("The code has expired."),
} as const satisfies Record<string, ResultMeaning>;

export type ResultCode = keyof typeof results;

/** Result codes with which an order can be declined, from the protocol's own table. */
export const refusalCodes: readonly ResultCode[] = (Object.keys(results) as ResultCode[]).filter(
  (code) => results[code].status === "F",
);

export function isRefusal(code: string): code is ResultCode {
  return refusalCodes.some((each) => each === code);
}

/** The response of an operation: its result, and its fields. */
export interface Answer {
  readonly code: ResultCode;
  /** The exact error, if the code alone is not enough. */
  readonly detail?: string;
  readonly fields?: object;
}

export function answerBody({ code, detail, fields }: Answer): Buffer {
  const { status, message } = results[code];
  const result = { resultCode: code, resultStatus: status, resultMessage: detail ?? message };
  return Buffer.from(JSON.stringify({ result, ...fields }), "utf8");
}
