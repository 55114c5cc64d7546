import assert from "node:assert/strict";
import { test } from "node:test";
import { requestValidationCodes, isRefusal, refuse, results, type ResultMeaning } from "./result.ts";

/**
 * Result codes that the interface defines for our operations, by their status. The status of a code is the same for all
 * operations.
 */
const ofTheInterface = {
  S: `SUCCESS`,
  U: `
    PAYMENT_IN_PROCESS CAPTURE_IN_PROCESS REFUND_IN_PROCESS AUTH_IN_PROCESS REQUEST_TRAFFIC_EXCEED_LIMIT
    UNKNOWN_EXCEPTION
  `,
  F: `
    PARAM_ILLEGAL ACCESS_DENIED CLIENT_FORBIDDEN_ACCESS_API UNKNOWN_CLIENT CLIENT_INVALID
    INVALID_CLIENT_STATUS INVALID_SIGNATURE KEY_NOT_FOUND OAUTH_FAILED NO_INTERFACE_DEF INVALID_API
    API_INVALID METHOD_NOT_SUPPORTED MEDIA_TYPE_NOT_ACCEPTABLE PROCESS_FAIL SYSTEM_ERROR
    REPEAT_REQ_INCONSISTENT ORDER_NOT_EXIST ORDER_IS_CLOSED ORDER_IS_CANCELED ORDER_STATUS_INVALID
    CURRENCY_NOT_SUPPORT INVALID_CONTRACT SETTLE_CONTRACT_NOT_MATCH INVALID_MERCHANT_STATUS
    MERCHANT_NOT_REGISTERED MERCHANT_KYB_NOT_QUALIFIED PAYMENT_NOT_QUALIFIED MERCHANT_BALANCE_NOT_ENOUGH
    NO_PAY_OPTIONS PAYMENT_AMOUNT_EXCEED_LIMIT PAYMENT_COUNT_EXCEED_LIMIT USER_AMOUNT_EXCEED_LIMIT
    USER_BALANCE_NOT_ENOUGH USER_NOT_EXIST USER_STATUS_ABNORMAL USER_KYC_NOT_QUALIFIED
    USER_PAYMENT_VERIFICATION_FAILED VERIFY_UNMATCHED VERIFY_TIMES_EXCEED_LIMIT EXPIRED_CODE
    INVALID_PAYMENT_CODE INVALID_PAYMENT_METHOD_META_DATA RISK_REJECT FRAUD_REJECT SUSPECTED_RISK
    PAYMENT_PROHIBITED AUTHENTICATION_REQUIRED CARD_NOT_SUPPORTED SELECTED_CARD_BRAND_NOT_AVAILABLE
    INVALID_CARD INVALID_CARD_NUMBER INVALID_EXPIRATION_DATE INVALID_EXPIRY_DATE_FORMAT SUSPECTED_CARD
    ISSUER_REJECTS_TRANSACTION DO_NOT_HONOR INVALID_AMOUNT INVALID_ACCESS_TOKEN INVALID_AUTHCODE
    INVALID_REFRESH_TOKEN AUTH_CANCELLED AUTH_EXPIRED AUTH_NOT_FOUND CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT
    MULTI_CAPTURE_NOT_SUPPORTED CANCEL_WINDOW_EXCEED PAYMENT_METHOD_NOT_SUPPORTED REFUND_AMOUNT_EXCEED
    REFUND_WINDOW_EXCEED REFUND_NOT_SUPPORTED PARTIAL_REFUND_NOT_SUPPORTED MULTIPLE_REFUNDS_NOT_SUPPORTED
  `,
};
/** Result codes of in-store payments, authorizations, registrations and disputes. All of them are rejections. */
const ofItsOtherParts = `
  INVALID_CLIENT OAUTH_FAIL INVALID_CODE BUSINESS_NOT_SUPPORT UNAVAILABLE_PAYMENT_METHOD AUTH_CODE_EXPIRED
  EXPIRED_ACCESS_TOKEN AUTHORIZATION_NOT_EXIST
  REPEAT_REGISTRATION RECORD_NOT_FOUND ABNORMAL_REGISTRATION_STATUS REPEAT_REQUEST TIME_EXCEEDS_LIMIT
  DEFENSE_EXCEED_LIMIT NOT_ALLOW_IN_CURRENT_STATUS
`;

const interfaceCodes = [...Object.entries(ofTheInterface), ["F", ofItsOtherParts] as const].flatMap(
  ([status, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => ({ code, status })),
);

const meanings: Readonly<Record<string, ResultMeaning>> = results;

test("every code of the interface exists, with the interface's status", () => {
  assert.equal(interfaceCodes.length, 95);
  assert.deepEqual(
    interfaceCodes.filter(({ code, status }) => meanings[code]?.status !== status),
    [],
  );
});

test("no code is our own: merchants' systems could not handle it", () => {
  const codes = interfaceCodes.map(({ code }) => code);
  assert.deepEqual(
    Object.keys(results).filter((code) => !codes.includes(code)),
    [],
  );
});

for (const [code, { status, message, advice }] of Object.entries(meanings)) {
  test(`${code} fits on the wire, and has a meaning and an advice`, () => {
    assert.match(code, /^[A-Z][A-Z_]{2,63}$/);
    assert.match(status, /^[SFU]$/);
    assert.match(message, /^[\x20-\x7E]{2,255}\.$/);
    assert.match(advice, /^[A-Z].*\.$/);
  });
}

test("the request validation never returns success", () => {
  for (const code of requestValidationCodes) assert.notEqual(results[code].status, "S");
  // A rate limit or a fault must not give a caller a final failure, so these codes have the status U.
  assert.deepEqual(
    requestValidationCodes.filter((code) => results[code].status === "U"),
    ["REQUEST_TRAFFIC_EXCEED_LIMIT", "UNKNOWN_EXCEPTION"],
  );
});

test("a rejection is distinguishable from a record, and names the faulty field", () => {
  const refusal = refuse("PARAM_ILLEGAL", { field: "paymentId", detail: "It is too long." });
  assert.deepEqual(refusal, { refused: "PARAM_ILLEGAL", field: "paymentId", detail: "It is too long." });
  assert.ok(isRefusal(refusal));
  assert.deepEqual(refuse("RISK_REJECT"), { refused: "RISK_REJECT" });
  assert.ok(!isRefusal({ paymentId: "20261115093000123000701000042999999" }));
});
