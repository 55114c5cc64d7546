// Made by `npm run generate` from the tables of the servers. Changes by hand are lost.

export interface ShownCode {
  readonly code: string;
  readonly status: "S" | "F" | "U";
  readonly message: string;
  /** How it is forced; or why a merchant cannot. */
  readonly how: string;
  /** The operation that gives it; absent when no merchant can force it. */
  readonly operation?: string;
}

export const shownCodes: readonly ShownCode[] = [
  {
    "code": "SUCCESS",
    "status": "S",
    "message": "success.",
    "how": "pay, then tollgate approve PAYMENT_ID, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "REQUEST_TRAFFIC_EXCEED_LIMIT",
    "status": "U",
    "message": "Too many requests.",
    "how": "call faster than you may, by hundreds at once",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "NO_INTERFACE_DEF",
    "status": "F",
    "message": "There is no such operation.",
    "how": "call payments/inquirePayment, which does not exist",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "METHOD_NOT_SUPPORTED",
    "status": "F",
    "message": "Operations are called with POST.",
    "how": "send it with PUT",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "MEDIA_TYPE_NOT_ACCEPTABLE",
    "status": "F",
    "message": "The body has to be JSON in UTF-8, not compressed.",
    "how": "send it with Content-Type: text/plain",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "PARAM_ILLEGAL",
    "status": "F",
    "message": "A header or a field is missing or malformed.",
    "how": "leave out both paymentId and paymentRequestId",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "UNKNOWN_CLIENT",
    "status": "F",
    "message": "There is no such client id here.",
    "how": "call with a client id that does not exist",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "KEY_NOT_FOUND",
    "status": "F",
    "message": "This client has no such key version.",
    "how": "name a key version that you have not registered",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "INVALID_SIGNATURE",
    "status": "F",
    "message": "The signature does not match the request.",
    "how": "sign with another private key",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "ACCESS_DENIED",
    "status": "F",
    "message": "This client may not call this operation here.",
    "how": "call the live path, /ams/api/v1/…, of the sandbox",
    "operation": "payments/pay"
  },
  {
    "code": "CLIENT_FORBIDDEN_ACCESS_API",
    "status": "F",
    "message": "This client may not call this operation.",
    "how": "never given here: a client may call everything or, once suspended, nothing"
  },
  {
    "code": "INVALID_CLIENT",
    "status": "F",
    "message": "The client is not valid for this operation.",
    "how": "never given here: a client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS)"
  },
  {
    "code": "CLIENT_INVALID",
    "status": "F",
    "message": "The client is restricted.",
    "how": "never given here: a client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS)"
  },
  {
    "code": "INVALID_CLIENT_STATUS",
    "status": "F",
    "message": "The client is suspended.",
    "how": "the operator suspends your client"
  },
  {
    "code": "INVALID_API",
    "status": "F",
    "message": "This operation is not active.",
    "how": "never given here: every operation is active for every client"
  },
  {
    "code": "API_INVALID",
    "status": "F",
    "message": "This operation cannot be called like this.",
    "how": "never given here: every operation is active for every client"
  },
  {
    "code": "OAUTH_FAIL",
    "status": "F",
    "message": "The agent token is not accepted.",
    "how": "never given here: there are no agents who act for a merchant"
  },
  {
    "code": "OAUTH_FAILED",
    "status": "F",
    "message": "The agent could not be authorized.",
    "how": "never given here: there are no agents who act for a merchant"
  },
  {
    "code": "REPEAT_REQ_INCONSISTENT",
    "status": "F",
    "message": "This request id came before with other content.",
    "how": "pay twice under one paymentRequestId, with another amount",
    "operation": "payments/pay"
  },
  {
    "code": "PAYMENT_IN_PROCESS",
    "status": "U",
    "message": "payment in process.",
    "how": "pay: the buyer has not acted yet",
    "operation": "payments/pay"
  },
  {
    "code": "ORDER_NOT_EXIST",
    "status": "F",
    "message": "There is no such payment.",
    "how": "inquire about a payment that was never made",
    "operation": "payments/inquiryPayment"
  },
  {
    "code": "ORDER_IS_CLOSED",
    "status": "F",
    "message": "The payment expired.",
    "how": "pay, tollgate clock +1d, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "ORDER_IS_CANCELED",
    "status": "F",
    "message": "The payment was cancelled.",
    "how": "cancel a paymentRequestId, then pay under it",
    "operation": "payments/pay"
  },
  {
    "code": "ORDER_STATUS_INVALID",
    "status": "F",
    "message": "The payment's status does not allow this.",
    "how": "refund a payment that has failed",
    "operation": "payments/refund"
  },
  {
    "code": "CURRENCY_NOT_SUPPORT",
    "status": "F",
    "message": "The currency is not supported.",
    "how": "pay in XTS, the currency that is for tests and nobody has",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_AMOUNT",
    "status": "F",
    "message": "The amount is not valid.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_AMOUNT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "PAYMENT_AMOUNT_EXCEED_LIMIT",
    "status": "F",
    "message": "The amount is over a limit.",
    "how": "pay, then tollgate decline PAYMENT_ID --code PAYMENT_AMOUNT_EXCEED_LIMIT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "PAYMENT_COUNT_EXCEED_LIMIT",
    "status": "F",
    "message": "The buyer has paid too often.",
    "how": "pay, then tollgate decline PAYMENT_ID --code PAYMENT_COUNT_EXCEED_LIMIT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "NO_PAY_OPTIONS",
    "status": "F",
    "message": "No payment method can be used.",
    "how": "pay by a method that no wallet has: tollgate pay --method NOBODYS",
    "operation": "payments/pay"
  },
  {
    "code": "PAYMENT_METHOD_NOT_SUPPORTED",
    "status": "F",
    "message": "The payment method does not support this.",
    "how": "needs a wallet that holds no money; the operator sets up wallets"
  },
  {
    "code": "UNAVAILABLE_PAYMENT_METHOD",
    "status": "F",
    "message": "The payment method is not available.",
    "how": "tollgate faults refuse-connection --count 200, then pay until the gateway has given the wallet up; tollgate faults off",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_PAYMENT_METHOD_META_DATA",
    "status": "F",
    "message": "The payment method's data is not valid.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_PAYMENT_METHOD_META_DATA, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "PAYMENT_PROHIBITED",
    "status": "F",
    "message": "These goods cannot be sold there.",
    "how": "pay, then tollgate decline PAYMENT_ID --code PAYMENT_PROHIBITED, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "AUTHENTICATION_REQUIRED",
    "status": "F",
    "message": "The issuer demands authentication.",
    "how": "pay, then tollgate decline PAYMENT_ID --code AUTHENTICATION_REQUIRED, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "BUSINESS_NOT_SUPPORT",
    "status": "F",
    "message": "This business is not supported.",
    "how": "pay, then tollgate decline PAYMENT_ID --code BUSINESS_NOT_SUPPORT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_CONTRACT",
    "status": "F",
    "message": "The contract does not cover this.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_CONTRACT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "SETTLE_CONTRACT_NOT_MATCH",
    "status": "F",
    "message": "The settlement currency is not in the contract.",
    "how": "pay, then tollgate decline PAYMENT_ID --code SETTLE_CONTRACT_NOT_MATCH, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_MERCHANT_STATUS",
    "status": "F",
    "message": "The merchant is not active.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_MERCHANT_STATUS, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "MERCHANT_NOT_REGISTERED",
    "status": "F",
    "message": "The merchant or store is not registered with the wallet.",
    "how": "needs a wallet that demands that stores are registered; the operator sets up wallets"
  },
  {
    "code": "MERCHANT_KYB_NOT_QUALIFIED",
    "status": "F",
    "message": "The merchant is not qualified.",
    "how": "pay, then tollgate decline PAYMENT_ID --code MERCHANT_KYB_NOT_QUALIFIED, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "PAYMENT_NOT_QUALIFIED",
    "status": "F",
    "message": "The merchant may not take this payment.",
    "how": "pay, then tollgate decline PAYMENT_ID --code PAYMENT_NOT_QUALIFIED, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "MERCHANT_BALANCE_NOT_ENOUGH",
    "status": "F",
    "message": "The merchant's balance is too low.",
    "how": "your contract has a fee, so that less is left than was paid; the operator sets it"
  },
  {
    "code": "USER_BALANCE_NOT_ENOUGH",
    "status": "F",
    "message": "The buyer's balance is too low.",
    "how": "pay, then tollgate decline PAYMENT_ID --code USER_BALANCE_NOT_ENOUGH, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "USER_AMOUNT_EXCEED_LIMIT",
    "status": "F",
    "message": "The amount is over the buyer's limit.",
    "how": "pay, then tollgate decline PAYMENT_ID --code USER_AMOUNT_EXCEED_LIMIT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "USER_NOT_EXIST",
    "status": "F",
    "message": "The wallet does not know the buyer.",
    "how": "pay, then tollgate decline PAYMENT_ID --code USER_NOT_EXIST, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "USER_STATUS_ABNORMAL",
    "status": "F",
    "message": "The buyer's account is not usable.",
    "how": "pay, then tollgate decline PAYMENT_ID --code USER_STATUS_ABNORMAL, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "USER_KYC_NOT_QUALIFIED",
    "status": "F",
    "message": "The buyer's account is not qualified.",
    "how": "pay, then tollgate decline PAYMENT_ID --code USER_KYC_NOT_QUALIFIED, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "USER_PAYMENT_VERIFICATION_FAILED",
    "status": "F",
    "message": "The buyer did not pass the wallet's check.",
    "how": "pay, then tollgate decline PAYMENT_ID --code USER_PAYMENT_VERIFICATION_FAILED, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "RISK_REJECT",
    "status": "F",
    "message": "Refused by risk control.",
    "how": "pay, then tollgate decline PAYMENT_ID --code RISK_REJECT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "FRAUD_REJECT",
    "status": "F",
    "message": "Refused on suspicion of fraud.",
    "how": "pay, then tollgate decline PAYMENT_ID --code FRAUD_REJECT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "SUSPECTED_RISK",
    "status": "F",
    "message": "Held back by risk control.",
    "how": "pay, then tollgate decline PAYMENT_ID --code SUSPECTED_RISK, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "CARD_NOT_SUPPORTED",
    "status": "F",
    "message": "The card is not supported.",
    "how": "pay, then tollgate decline PAYMENT_ID --code CARD_NOT_SUPPORTED, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "SELECTED_CARD_BRAND_NOT_AVAILABLE",
    "status": "F",
    "message": "The card brand is not available.",
    "how": "pay, then tollgate decline PAYMENT_ID --code SELECTED_CARD_BRAND_NOT_AVAILABLE, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_CARD",
    "status": "F",
    "message": "The card is not valid.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_CARD, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_CARD_NUMBER",
    "status": "F",
    "message": "The card number is not valid.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_CARD_NUMBER, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_EXPIRATION_DATE",
    "status": "F",
    "message": "The card's expiry date is not valid.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_EXPIRATION_DATE, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_EXPIRY_DATE_FORMAT",
    "status": "F",
    "message": "The card's expiry date is malformed.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_EXPIRY_DATE_FORMAT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "SUSPECTED_CARD",
    "status": "F",
    "message": "The card is suspected.",
    "how": "pay, then tollgate decline PAYMENT_ID --code SUSPECTED_CARD, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "ISSUER_REJECTS_TRANSACTION",
    "status": "F",
    "message": "The issuer refused.",
    "how": "pay, then tollgate decline PAYMENT_ID --code ISSUER_REJECTS_TRANSACTION, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "DO_NOT_HONOR",
    "status": "F",
    "message": "The issuer refused.",
    "how": "pay, then tollgate decline PAYMENT_ID --code DO_NOT_HONOR, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_CODE",
    "status": "F",
    "message": "The payment code is not valid.",
    "how": "a till scans digits that no wallet has shown",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_PAYMENT_CODE",
    "status": "F",
    "message": "The payment code is not valid.",
    "how": "pay, then tollgate decline PAYMENT_ID --code INVALID_PAYMENT_CODE, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "EXPIRED_CODE",
    "status": "F",
    "message": "The code has expired.",
    "how": "a till scans a payment code whose time is over",
    "operation": "payments/pay"
  },
  {
    "code": "VERIFY_UNMATCHED",
    "status": "F",
    "message": "The code does not match.",
    "how": "pay, then tollgate decline PAYMENT_ID --code VERIFY_UNMATCHED, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "VERIFY_TIMES_EXCEED_LIMIT",
    "status": "F",
    "message": "The code was tried too often.",
    "how": "pay, then tollgate decline PAYMENT_ID --code VERIFY_TIMES_EXCEED_LIMIT, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "CAPTURE_IN_PROCESS",
    "status": "U",
    "message": "capture in process.",
    "how": "hold a payment, tollgate faults late-answer --verb capture --delay 8s, then capture",
    "operation": "payments/capture"
  },
  {
    "code": "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
    "status": "F",
    "message": "More than what is left to capture.",
    "how": "capture more than is held",
    "operation": "payments/capture"
  },
  {
    "code": "MULTI_CAPTURE_NOT_SUPPORTED",
    "status": "F",
    "message": "The payment can be captured once only.",
    "how": "needs a wallet that lets what is held be captured once; the operator sets up wallets"
  },
  {
    "code": "AUTH_CANCELLED",
    "status": "F",
    "message": "The authorization was cancelled.",
    "how": "hold a payment, cancel it, then capture",
    "operation": "payments/capture"
  },
  {
    "code": "AUTH_EXPIRED",
    "status": "F",
    "message": "The authorization has expired.",
    "how": "hold a payment, tollgate clock +8d, then capture",
    "operation": "payments/capture"
  },
  {
    "code": "AUTH_NOT_FOUND",
    "status": "F",
    "message": "There is no such authorization.",
    "how": "capture a payment that was never made",
    "operation": "payments/capture"
  },
  {
    "code": "CANCEL_WINDOW_EXCEED",
    "status": "F",
    "message": "Too late to cancel.",
    "how": "tollgate clock +3d, then cancel a payment that was paid before",
    "operation": "payments/cancel"
  },
  {
    "code": "REFUND_IN_PROCESS",
    "status": "U",
    "message": "refund in process.",
    "how": "tollgate faults refund-pending --delay 3s, then refund",
    "operation": "payments/refund"
  },
  {
    "code": "REFUND_AMOUNT_EXCEED",
    "status": "F",
    "message": "More than what is left to refund.",
    "how": "refund more than is left",
    "operation": "payments/refund"
  },
  {
    "code": "REFUND_WINDOW_EXCEED",
    "status": "F",
    "message": "Too late to refund.",
    "how": "tollgate clock +366d, then refund a payment from before",
    "operation": "payments/refund"
  },
  {
    "code": "REFUND_NOT_SUPPORTED",
    "status": "F",
    "message": "The payment method takes no refunds.",
    "how": "needs a wallet that refunds nothing; the operator sets up wallets"
  },
  {
    "code": "PARTIAL_REFUND_NOT_SUPPORTED",
    "status": "F",
    "message": "The payment method refunds in full only.",
    "how": "needs a wallet that refunds all or nothing; the operator sets up wallets"
  },
  {
    "code": "MULTIPLE_REFUNDS_NOT_SUPPORTED",
    "status": "F",
    "message": "The payment method refunds once only.",
    "how": "needs a wallet that refunds once; the operator sets up wallets"
  },
  {
    "code": "AUTH_IN_PROCESS",
    "status": "U",
    "message": "authorization in process.",
    "how": "tollgate faults late-answer --verb exchange-code --delay 6s, then exchange a code",
    "operation": "authorizations/applyToken"
  },
  {
    "code": "INVALID_AUTHCODE",
    "status": "F",
    "message": "The authorization code is not valid.",
    "how": "exchange a code that no buyer has brought",
    "operation": "authorizations/applyToken"
  },
  {
    "code": "AUTH_CODE_EXPIRED",
    "status": "F",
    "message": "The authorization code has expired.",
    "how": "a buyer agrees, tollgate clock +12m, then exchange the code",
    "operation": "authorizations/applyToken"
  },
  {
    "code": "INVALID_ACCESS_TOKEN",
    "status": "F",
    "message": "The access token is unknown, expired or revoked.",
    "how": "charge a token that does not exist",
    "operation": "payments/pay"
  },
  {
    "code": "INVALID_REFRESH_TOKEN",
    "status": "F",
    "message": "The refresh token is unknown, expired or used.",
    "how": "refresh with a token that does not exist",
    "operation": "authorizations/applyToken"
  },
  {
    "code": "EXPIRED_ACCESS_TOKEN",
    "status": "F",
    "message": "The access token has expired.",
    "how": "get a token, tollgate clock +31d, and charge it",
    "operation": "payments/pay"
  },
  {
    "code": "AUTHORIZATION_NOT_EXIST",
    "status": "F",
    "message": "The buyer has not agreed to this, or no longer does.",
    "how": "revoke a token, then charge it",
    "operation": "payments/pay"
  },
  {
    "code": "REPEAT_REGISTRATION",
    "status": "F",
    "message": "The merchant or store is registered already.",
    "how": "register a store that is registered, under another id",
    "operation": "merchants/registration"
  },
  {
    "code": "ABNORMAL_REGISTRATION_STATUS",
    "status": "F",
    "message": "The registration's status does not allow this.",
    "how": "register a store of which the wallet has not decided yet, under another id",
    "operation": "merchants/registration"
  },
  {
    "code": "RECORD_NOT_FOUND",
    "status": "F",
    "message": "There is no such registration.",
    "how": "ask for a registration that was never sent",
    "operation": "merchants/inquiryRegistrationStatus"
  },
  {
    "code": "REPEAT_REQUEST",
    "status": "F",
    "message": "The dispute has been answered, or is over.",
    "how": "defend a dispute, then accept it",
    "operation": "payments/acceptDispute"
  },
  {
    "code": "TIME_EXCEEDS_LIMIT",
    "status": "F",
    "message": "The time to answer the dispute is over.",
    "how": "tollgate trigger dispute-created, tollgate clock +8d, then accept it",
    "operation": "payments/acceptDispute"
  },
  {
    "code": "DEFENSE_EXCEED_LIMIT",
    "status": "F",
    "message": "The dispute was answered too often.",
    "how": "defend a compliance request, and have it found invalid, three times; then once more",
    "operation": "payments/supplyDefenseDocument"
  },
  {
    "code": "NOT_ALLOW_IN_CURRENT_STATUS",
    "status": "F",
    "message": "What was supplied before is still being looked at.",
    "how": "defend a compliance request twice",
    "operation": "payments/supplyDefenseDocument"
  },
  {
    "code": "PROCESS_FAIL",
    "status": "F",
    "message": "The operation failed.",
    "how": "pay, then tollgate decline PAYMENT_ID --code PROCESS_FAIL, and repeat the call",
    "operation": "payments/pay"
  },
  {
    "code": "SYSTEM_ERROR",
    "status": "F",
    "message": "The system failed.",
    "how": "never given here: a fault of ours is UNKNOWN_EXCEPTION, so that nobody concludes that nothing happened"
  },
  {
    "code": "UNKNOWN_EXCEPTION",
    "status": "U",
    "message": "The outcome is not known yet.",
    "how": "tollgate faults late-answer --verb submit --delay 8s, pay, and move the clock while the wallet is slow",
    "operation": "tollgate/advanceClock"
  }
];
